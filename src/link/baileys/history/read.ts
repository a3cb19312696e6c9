import { proto } from '@whiskeysockets/baileys';
import { personOf } from '../../../domain/address.js';
import type { HistoricMessage, HistoricPerson, HistoryBatch } from '../../port/history.js';
import { type ChatHead, ChatHeadReader, MESSAGES_FIELD } from './chat-head.js';
import { type Field, FieldReader } from './fields.js';
import { readHistoric } from './message.js';
import { SameSecond } from './same-second.js';

/** Numbers of the fields of a history that are read. */
const CONVERSATIONS_FIELD = 2;
const PUSHNAMES_FIELD = 7;
const MAPPINGS_FIELD = 15;
/** People or messages that are given at once. */
const BATCH = 200;
/** Bytes of one message, with its preview; longer ones are left out. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Bytes of what is said of one person. */
const MAX_PERSON_BYTES = 4 * 1024;

/** What is found on the way through a history. */
type Item =
  | { type: 'message' /** Position of its chat. */; chat: number; bytes: Buffer }
  | { type: 'too-long'; length: number }
  | { type: 'chat'; head: ChatHead }
  | { type: 'person'; person: HistoricPerson };

/**
 * Reads a history in two passes over the same bytes: what it says of chats and people stands behind the messages, and is
 * needed to tell whose they are. Only what is said of the chats is held.
 *
 * @param open gives the encoded history from its beginning, in pieces
 * @param onSkipped told of each message that is left out because it cannot be read
 * @throws Error when it is no history
 */
export async function* readHistory(
  open: () => AsyncIterable<Buffer>,
  onSkipped: (why: unknown) => void,
): AsyncGenerator<HistoryBatch> {
  const chats: ChatHead[] = [];
  for await (const people of batches(peopleIn(open(), chats))) yield { people, messages: [] };
  for await (const messages of batches(messagesIn(open(), chats, onSkipped))) yield { people: [], messages };
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
  // phones tell "-" of people who have given themselves no name
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
