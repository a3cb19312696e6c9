import { personOf } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { LIMITS } from '../../../domain/limits.js';
import { isSilent } from '../../kinds/content.js';
import { readContent } from '../../kinds/index.js';
import type { Reading, StoredType } from '../../kinds/kind.js';
import { sealedPart } from '../../kinds/secret.js';
import type { HistoricMessage, HistoricReaction } from '../../link/history.js';
import type { IncomingMessage, LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type {
  HistoryMessage,
  HistoryStore,
  Place,
  RoomUpdate,
  SessionRecord,
  Store,
} from '../../store/store.js';
import type { Contacts } from '../identities/contacts.js';
import {
  type Authorship,
  identifyParties,
  lidOfQuoted,
  type Parties,
  roomIdOf,
} from '../identities/parties.js';
import type { StoreRetry } from '../store-retry.js';
import { applyChange } from './change.js';
import { composeEnvelope } from './envelope.js';
import type { Recorder } from './recorder.js';
import { roomOf, rowOf } from './recording.js';
import type { StoredRows } from './stored-rows.js';
import { admit, Traces } from './traces.js';

/** Parameters of importing a batch of past messages. */
export interface ImportContext {
  session: SessionRecord;
  unread: UnreadMarks;
  /** An earlier run may have imported some messages of the batch. */
  resumed: boolean;
  /** Aborted when nothing more may be written for the session. */
  signal: AbortSignal;
}

/** The content of a past message. */
interface Read {
  reading: Reading;
  storedType: StoredType;
}

/** The phone sends no content of a deleted message. */
const DELETED: Read = { reading: { type: 'text', body: '' }, storedType: 'chat' };

/** Writes past messages to the hosted history. Idempotent. */
export class PastMessages {
  readonly #options;
  readonly #traces: Traces;

  constructor(options: {
    store: Pick<Store, 'history' | 'traces'>;
    links: Pick<LinkFactory, 'encode'>;
    recorder: Pick<Recorder, 'add'>;
    rows: Pick<StoredRows, 'amend'>;
    contacts: Contacts;
    retry: StoreRetry;
    clock: Clock;
    log: Logger;
  }) {
    const { store, retry, log } = options;
    this.#options = options;
    this.#traces = new Traces({ traces: store.traces, retry, log });
  }

  /** @throws GatewayError store_unavailable after the stop */
  async isStored(past: HistoricMessage, { session }: ImportContext): Promise<boolean> {
    const { store, contacts, retry } = this.#options;
    return retry.run(async () => {
      const { remote } = await identifyParties(session, asIncoming(past), contacts);
      const row = await store.history.message(session.clientId, roomIdOf(session, remote), past.messageId);
      return row !== undefined;
    });
  }

  /**
   * Writes a message without announcing it.
   * @param place among the messages of the same second
   * @returns true when a row was added
   * @throws GatewayError store_unavailable after the stop
   */
  async take(past: HistoricMessage, context: ImportContext, place: Place): Promise<boolean> {
    const { contacts, retry } = this.#options;
    const { session, unread: marks, resumed, signal } = context;
    const message = asIncoming(past);
    const read = past.deleted ? DELETED : readPast(message);
    if (!read || admit(message)) return false;
    const parties = await retry.run(() => identifyParties(session, message, contacts));
    const quotedLid = await retry.run(() => lidOfQuoted(session, message.content, contacts));
    const { room, row } = this.#rowOf(session, past, message, read, { parties, quotedLid });
    const change = await retry.run(() => pastChanges(session, past, row.body, parties, contacts));
    const unread = await marks.next(row.chatRoomId, past, resumed);
    if (signal.aborted) return false;
    // traces of older messages would be pruned at once
    const isTraced = this.#isYounger(past, LIMITS.traceTtlMs);
    const traced = isTraced && this.#traces.remember(session.clientId, message, parties, signal);
    await this.#writeStatus(session.clientId, past);
    const changed = { row: change(row) ?? row, change, place };
    const isNew = await this.#write(session.clientId, { ...room, unread }, changed).finally(() => traced);
    if (isNew && unread) marks.counted(row.chatRoomId);
    return isNew;
  }

  #rowOf(
    session: SessionRecord,
    past: HistoricMessage,
    message: IncomingMessage,
    { reading, storedType }: Read,
    { parties, quotedLid }: { parties: Parties; quotedLid: string },
  ): { room: RoomUpdate; row: HistoryMessage } {
    const event = composeEnvelope({ session, message, reading, parties, quotedLid });
    if (event.group) event.group.subject ||= past.subject;
    const recording = { event, message, author: parties.author, storedType };
    const content = this.#options.links.encode(message.content);
    const row = rowOf(recording, storedType, content);
    const mayHaveFile = this.#isYounger(past, LIMITS.pastFileMaxAgeMs);
    return { room: roomOf(event), row: mayHaveFile ? row : { ...row, fileId: '' } };
  }

  /** Writes the status before the row, so that a stream that is notified of the row finds it. */
  async #writeStatus(clientId: string, past: HistoricMessage): Promise<void> {
    const { fromMe, messageId, status, timestamp: at } = past;
    if (!fromMe || !status || status === 'sent') return;
    const { store, retry } = this.#options;
    await retry.run(() => store.history.advance(clientId, { messageId, status, at }));
  }

  async #write(
    clientId: string,
    room: RoomUpdate,
    { row, change, place }: { row: HistoryMessage; change: RowChange; place: Place },
  ): Promise<boolean> {
    const { recorder, rows, retry } = this.#options;
    const { chatRoomId, messageId } = row;
    const isNew = await retry.run(() => recorder.add(clientId, room, row, place));
    if (!isNew) await retry.run(() => rows.amend({ clientId, chatRoomId, messageId }, change));
    return isNew;
  }

  #isYounger({ timestamp }: HistoricMessage, ageMs: number): boolean {
    return this.#options.clock.now() - timestamp < ageMs;
  }
}

function asIncoming(past: HistoricMessage): IncomingMessage {
  const { messageId, chat, chatAlt, participant, fromMe, pushName, timestamp, content } = past;
  return {
    messageId,
    chat,
    ...(chatAlt && { chatAlt }),
    ...(participant && { participant }),
    fromMe,
    pushName,
    timestamp,
    content,
    journalIds: [],
    offline: true,
  };
}

/** Undefined when the message is no row of its own. */
function readPast({ content }: IncomingMessage): Read | undefined {
  if (isSilent(content) || sealedPart(content)) return undefined;
  const { kind, reading } = readContent(content);
  const storedType = kind ? kind.storedType : 'chat';
  return storedType && { reading, storedType };
}

/** Returns the changed row; undefined when nothing changes. */
type RowChange = (row: HistoryMessage) => HistoryMessage | undefined;

/** The reactions, edits and deletion that the phone sends with a past message, as one change of its row. */
async function pastChanges(
  session: SessionRecord,
  past: HistoricMessage,
  body: string,
  parties: Parties,
  contacts: Contacts,
): Promise<RowChange> {
  const { messageId: targetId, timestamp, editedAt } = past;
  const { author: by } = parties;
  const changes: RowChange[] = [];
  for (const reaction of past.reactions) {
    const reacting = await reactorOf(session, reaction, parties, contacts);
    const { emoji, at } = reaction;
    const reactor = reacting.lid || reacting.pn;
    if (!reactor) continue;
    changes.push((row) => applyChange(row, { type: 'reaction', targetId, by: reacting, reactor, emoji, at }));
  }
  if (past.deleted) {
    changes.push((row) => applyChange(row, { type: 'revoke', targetId, by, byAdmin: true, at: timestamp }));
  } else if (editedAt !== undefined) {
    changes.push((row) =>
      row.body === body
        ? asEdited(row)
        : applyChange(row, { type: 'edit', targetId, by, body, at: editedAt }),
    );
  }
  return (row) => {
    const changed = changes.reduce((current, change) => change(current) ?? current, row);
    return changed === row ? undefined : changed;
  };
}

/** Marks the row as edited without a former text, because the phone does not send it. */
function asEdited(row: HistoryMessage): HistoryMessage | undefined {
  return row.extras.edited === true ? undefined : { ...row, extras: { ...row.extras, edited: true } };
}

async function reactorOf(
  { clientId, lid, pn }: SessionRecord,
  { fromMe, participant }: HistoricReaction,
  { remote, person }: Parties,
  contacts: Contacts,
): Promise<Authorship> {
  if (fromMe) return { fromMe, lid, pn };
  const named = personOf(participant);
  const known = remote.kind === 'group' ? ((await contacts.find(clientId, named)) ?? named) : person;
  return { fromMe, ...(known?.lid && { lid: known.lid }), ...(known?.pn && { pn: known.pn }) };
}

/**
 * Decides which past messages count as unread: in each chat the newest ones of other people, as many as the phone says. A
 * chat may extend over several parts, and each part carries the same number.
 */
export class UnreadMarks {
  readonly #options;
  /** By room: messages of other people seen so far, newest first, and rows that may still count as unread. */
  readonly #chats = new Map<string, { seen: number; left: number }>();

  constructor(options: { history: Pick<HistoryStore, 'room'>; retry: StoreRetry; clientId: string }) {
    this.#options = options;
  }

  /**
   * Takes the next message of a room.
   * @param resumed an earlier run may have counted some already
   * @returns whether it counts as unread, provided that its row is new
   */
  async next(
    chatRoomId: string,
    { fromMe, unreadInChat }: Pick<HistoricMessage, 'fromMe' | 'unreadInChat'>,
    resumed: boolean,
  ): Promise<boolean> {
    if (fromMe || unreadInChat === 0) return false;
    let marks = this.#chats.get(chatRoomId);
    if (!marks) {
      marks = { seen: 0, left: unreadInChat };
      this.#chats.set(chatRoomId, marks);
      if (resumed) marks.left -= await this.#counted(chatRoomId);
    }
    marks.seen += 1;
    return marks.seen <= unreadInChat && marks.left > 0;
  }

  /** The row of a message that counts was new. */
  counted(chatRoomId: string): void {
    const marks = this.#chats.get(chatRoomId);
    if (marks) marks.left -= 1;
  }

  async #counted(chatRoomId: string): Promise<number> {
    const { history, retry, clientId } = this.#options;
    const room = await retry.run(() => history.room(clientId, chatRoomId));
    return room?.unreadCount ?? 0;
  }
}
