import type { Clock } from '../../domain/clock.js';
import { LIMITS } from '../../domain/limits.js';
import { readContent } from '../../kinds/index.js';
import type { Reading, StoredType } from '../../kinds/kind.js';
import { isSilent } from '../../kinds/silent.js';
import type { IncomingMessage, LinkFactory } from '../../link/link.js';
import type { HistoricMessage } from '../../link/port/history.js';
import type { HistoryMessage, HistoryStore, RoomUpdate, SessionRecord } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import { admit } from '../receive/admit.js';
import { composeEnvelope } from '../receive/compose.js';
import { sealedPart } from '../receive/open.js';
import { identifyParties, type Parties } from '../receive/parties.js';
import { lidOfQuoted } from '../receive/quoted-author.js';
import type { Traces } from '../receive/traces.js';
import type { StoreSteps } from '../store-steps.js';
import { pastChanges } from './import-changes.js';
import type { Recorder } from './recorder.js';
import { roomOf, rowOf } from './rows.js';
import type { UnreadMarks } from './unread-marks.js';

export interface MessageImportOptions {
  contacts: Contacts;
  recorder: Pick<Recorder, 'add' | 'amend'>;
  traces: Traces;
  history: Pick<HistoryStore, 'advance'>;
  steps: StoreSteps;
  links: Pick<LinkFactory, 'encode'>;
  clock: Clock;
}

/** Where messages of the past go. */
export interface PastOf {
  session: SessionRecord;
  unread: UnreadMarks;
  /** An earlier run of the daemon may have taken some of them. */
  resumed: boolean;
  /** Aborted when nothing more may be written of the session. */
  signal: AbortSignal;
}

/** What a message of the past says. */
interface Read {
  reading: Reading;
  storedType: StoredType;
}

/** The phone only tells that there was a message. */
const DELETED: Read = { reading: { type: 'text', body: '' }, storedType: 'chat' };

/** Takes messages of the past into the hosted history. Doing it twice changes nothing more. */
export class MessageImport {
  readonly #options: MessageImportOptions;

  constructor(options: MessageImportOptions) {
    this.#options = options;
  }

  /**
   * Nobody is told of the message: it is no news.
   * @returns true when a row was added
   * @throws GatewayError store_unavailable after the stop
   */
  async take(past: HistoricMessage, of: PastOf): Promise<boolean> {
    const { contacts, steps } = this.#options;
    const { session, signal } = of;
    const message = asIncoming(past);
    const read = past.deleted ? DELETED : readPast(message);
    if (!read || admit(message)) return false;
    const parties = await steps.run(() => identifyParties(session, message, contacts));
    const quotedLid = await steps.run(() => lidOfQuoted(session, message.content, contacts));
    const { room, row } = this.#rowOf(session, past, message, read, { parties, quotedLid });
    const change = await steps.run(() => pastChanges(session, past, row.body, parties, contacts));
    const unread = await of.unread.next(row.chatRoomId, past, of.resumed);
    if (signal.aborted) return false;
    // traces of older messages would be deleted again at once
    const remember = () => this.#options.traces.remember(session.clientId, message, parties, signal);
    const traced = this.#isYounger(past, LIMITS.traceTtlMs) ? remember() : undefined;
    await this.#noteStatus(session.clientId, past);
    const isNew = await this.#write(
      session.clientId,
      { ...room, unread },
      change(row) ?? row,
      change,
    ).finally(() => traced);
    if (isNew && unread) of.unread.counted(row.chatRoomId);
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

  /** Before the row, so that whoever is told of that sees how far it has come. */
  async #noteStatus(clientId: string, past: HistoricMessage): Promise<void> {
    const { fromMe, messageId, status, timestamp: at } = past;
    if (!fromMe || !status || status === 'sent') return;
    const { history, steps } = this.#options;
    await steps.run(() => history.advance(clientId, { messageId, status, at }));
  }

  async #write(
    clientId: string,
    room: RoomUpdate,
    row: HistoryMessage,
    change: (row: HistoryMessage) => HistoryMessage | undefined,
  ): Promise<boolean> {
    const { recorder, steps } = this.#options;
    const { chatRoomId, messageId } = row;
    const isNew = await steps.run(() => recorder.add(clientId, room, row));
    if (!isNew) await steps.run(() => recorder.amend({ clientId, chatRoomId, messageId }, change));
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

/** Undefined for what is no row of its own. */
function readPast({ content }: IncomingMessage): Read | undefined {
  if (isSilent(content) || sealedPart(content)) return undefined;
  const { kind, reading } = readContent(content);
  const storedType = kind ? kind.storedType : 'chat';
  return storedType && { reading, storedType };
}
