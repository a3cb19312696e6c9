import { proto } from '@whiskeysockets/baileys';
import { personOf } from '../../../../domain/address.js';
import type { HistoricMessage, HistoricPerson, HistoryBatch, NamedMessage } from '../../history.js';
import { type Field, FieldReader } from './fields.js';
import { type ChatHead, ChatHeadReader, MESSAGES_FIELD, nameOfHistoric, readHistoric } from './message.js';

/** Numbers of the fields of a history that are read. */
const CONVERSATIONS_FIELD = 2;
const PUSHNAMES_FIELD = 7;
const MAPPINGS_FIELD = 15;
/** People or messages in one batch. */
const BATCH = 200;
/** Bytes of one message with its preview; longer ones are skipped. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Bytes of the entry of one person. */
const MAX_PERSON_BYTES = 4 * 1024;

/** An entry of a history, in the order of the stream. */
type Item =
  | { type: 'message' /** Position of its chat. */; chat: number; bytes: Buffer }
  | { type: 'too-long'; length: number }
  | { type: 'chat'; head: ChatHead }
  | { type: 'person'; person: HistoricPerson };

/**
 * Reads a history in two passes over the same bytes: chats and people follow the messages in the stream, and are needed to
 * name the authors. Only the heads of the chats are held in memory.
 *
 * @param open streams the encoded history from its beginning
 * @param onSkipped called for each message that cannot be read
 * @throws Error when the history is malformed
 */
export async function* readHistory(
  open: () => AsyncIterable<Buffer>,
  onSkipped: (why: unknown) => void,
): AsyncGenerator<HistoryBatch> {
  const chats: ChatHead[] = [];
  for await (const people of batches(peopleIn(open(), chats))) yield { people, messages: [] };
  const [only, another] = chats;
  const isAnswer = only?.hasMore !== undefined && !another;
  if (isAnswer) yield { people: [], messages: [], hasMore: only.hasMore };
  for await (const messages of batches(messagesIn(open(), chats, onSkipped))) yield { people: [], messages };
  const oldest = isAnswer ? await lastIn(open()) : undefined;
  if (oldest) yield { people: [], messages: [], oldest };
}

/** The last message that is named: a phone lists the newest first. */
async function lastIn(pieces: AsyncIterable<Buffer>): Promise<NamedMessage | undefined> {
  let last: NamedMessage | undefined;
  for await (const item of itemsIn(pieces, { messages: true })) {
    if (item.type !== 'message') continue;
    const { bytes } = item;
    const nameIn = () => nameOfHistoric(bytes);
    last = attempt(nameIn, () => undefined) ?? last;
  }
  return last;
}

async function* peopleIn(pieces: AsyncIterable<Buffer>, chats: ChatHead[]): AsyncGenerator<HistoricPerson> {
  for await (const item of itemsIn(pieces, { messages: false })) {
    if (item.type === 'person') yield item.person;
    if (item.type !== 'chat') continue;
    chats.push(item.head);
    if (item.head.person) yield item.head.person;
  }
}

async function* messagesIn(
  pieces: AsyncIterable<Buffer>,
  chats: readonly ChatHead[],
  onSkipped: (why: unknown) => void,
): AsyncGenerator<HistoricMessage> {
  const second = new SameSecond();
  for await (const item of itemsIn(pieces, { messages: true })) {
    if (item.type === 'too-long') onSkipped(new Error(`it has ${item.length} bytes`));
    if (item.type !== 'message') continue;
    const head = chats[item.chat];
    if (!head?.chat) continue;
    const message = attempt(() => readHistoric(item.bytes, head), onSkipped);
    if (message) yield* second.add(message);
  }
  yield* second.end();
}

async function* itemsIn(pieces: AsyncIterable<Buffer>, wanted: { messages: boolean }): AsyncGenerator<Item> {
  const reader = new FieldReader(pieces);
  let chats = 0;
  try {
    for (let field = await reader.next(); field; field = await reader.next()) {
      if (field.number === CONVERSATIONS_FIELD) yield* chatIn(reader, field, chats++, wanted);
      else if (isPerson(field)) yield* personIn(field, await reader.take(field));
      else await reader.skip(field);
    }
  } finally {
    await reader.close();
  }
}

async function* chatIn(
  reader: FieldReader,
  { length }: Field,
  chat: number,
  wanted: { messages: boolean },
): AsyncGenerator<Item> {
  const head = new ChatHeadReader();
  const end = reader.position + length;
  for (let field = await reader.next(end); field; field = await reader.next(end)) {
    const isMessage = field.number === MESSAGES_FIELD && wanted.messages;
    if (isMessage && field.length <= MAX_MESSAGE_BYTES) {
      yield { type: 'message', chat, bytes: await reader.take(field) };
      continue;
    }
    if (isMessage) yield { type: 'too-long', length: field.length };
    head.number(field);
    if (head.wants(field)) head.text(field, await reader.take(field));
    else await reader.skip(field);
  }
  yield { type: 'chat', head: head.head() };
}

function isPerson({ number, length }: Field): boolean {
  return (number === PUSHNAMES_FIELD || number === MAPPINGS_FIELD) && length <= MAX_PERSON_BYTES;
}

function* personIn({ number }: Field, bytes: Buffer): Generator<Item> {
  const isName = number === PUSHNAMES_FIELD;
  const person = attempt(
    () => (isName ? named(bytes) : mapped(bytes)),
    () => undefined,
  );
  if (person?.lid || person?.pn) yield { type: 'person', person };
}

function named(bytes: Buffer): HistoricPerson {
  const { id, pushname } = proto.Pushname.decode(bytes);
  // phones write "-" for people without a push name
  return { ...personOf(id), ...(pushname && pushname !== '-' && { pushName: pushname }) };
}

function mapped(bytes: Buffer): HistoricPerson {
  const { pnJid, lidJid } = proto.PhoneNumberToLIDMapping.decode(bytes);
  return personOf(pnJid, lidJid);
}

function attempt<T>(read: () => T, onError: (error: unknown) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    onError(error);
    return undefined;
  }
}

async function* batches<T>(each: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const one of each) {
    batch.push(one);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Messages of one second that wait until the order of their chat is known. */
const MAX_IN_SECOND = 200;

/**
 * Puts the messages of one second into the reverse order of their writing. A history lists the newest first, but its times
 * are whole seconds, so readers depend on the order; where a list begins with the oldest message, its seconds are reversed.
 */
class SameSecond {
  #second: HistoricMessage[] = [];

  /** @returns the ordered messages of the previous second. */
  add(message: HistoricMessage): HistoricMessage[] {
    const [first] = this.#second;
    const isSame = first?.chat === message.chat && first.timestamp === message.timestamp;
    if (isSame && this.#second.length < MAX_IN_SECOND) {
      this.#second.push(message);
      return [];
    }
    const isForward = first?.chat === message.chat && first.timestamp < message.timestamp;
    const ordered = isForward ? this.#second.reverse() : this.#second;
    this.#second = [message];
    return ordered;
  }

  /** @returns the remaining messages. */
  end(): HistoricMessage[] {
    return this.#second;
  }
}
