import { formatJid, parseJid } from '../../../domain/address.js';
import { endsWithin, type MonotonicClock } from '../../../domain/clock.js';
import { Deferred } from '../../../domain/deferred.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { reason } from '../../../domain/reasons.js';
import type { OlderMessages } from '../../link/link.js';
import type { Store } from '../../store/store.js';
import {
  ANCHOR_ROWS,
  isShownOnPhones,
  type LiveLinks,
  referenceTo,
  requirePaired,
  type SessionSource,
} from '../access.js';
import { roomIdOf } from '../identities/parties.js';
import type { PersonRooms } from '../identities/person-rooms.js';
import type { Session, SessionEvent } from '../sessions/session.js';
import type { HistoryAnswer } from '../sessions/session-context.js';
import type { SessionPart } from '../sessions/session-parts.js';
import { findRoom } from './find-room.js';
import { keptSince } from './kept-since.js';

const SECOND_MS = 1_000;

/** Durations of requests, in milliseconds. */
export interface HistoryWaits {
  /** Wait for the phone's answer. */
  answerMs: number;
  /** Pause until the session may ask again. */
  pauseMs: number;
}

const WAITS: HistoryWaits = { answerMs: LIMITS.historyAnswerMs, pauseMs: LIMITS.historyPauseMs };

/** A request of a session that runs. */
interface Running {
  /** Ids of the requests that have left; more than one if the connection ended while the first one left. */
  ids: Set<string>;
  /** Answers that have come. */
  answers: HistoryAnswer[];
  answered: Deferred<HistoryAnswer>;
}

/** From where a phone is asked. */
interface Anchored extends Omit<OlderMessages, 'count'> {
  /** The room and its oldest stored message. */
  storedId: string;
}

/** Where the last answer ended, for as long as the stored messages are the same. */
type Passed = Pick<Anchored, 'storedId' | 'oldest'>;

/**
 * Asks the phone for messages that are older than the stored ones, for one room of a session at a time. The answer is a part
 * of the history, which `HistoryImports` takes in, whether or not the request still waits for it.
 */
export class HistoryRequests implements SessionPart {
  readonly #options;
  readonly #waits: HistoryWaits;
  readonly #running = new Map<string, Running>();
  /** By session: from where to ask on, after an answer that brought nothing new. */
  readonly #passed = new Map<string, Passed>();
  /** By session: when it may ask again, on the monotonic clock. */
  readonly #freeAt = new Map<string, number>();

  constructor(options: {
    sessions: SessionSource;
    store: Pick<Store, 'history'>;
    liveLinks: LiveLinks;
    rooms: Pick<PersonRooms, 'renamedTo'>;
    /** Days after which messages are deleted, unless a session says otherwise; 0 for never. */
    retentionDays: number;
    waits?: HistoryWaits | undefined;
    clock: MonotonicClock;
  }) {
    this.#options = options;
    this.#waits = options.waits ?? WAITS;
  }

  /**
   * Asks for the messages of a room before the oldest stored one, and waits until they are stored.
   * @throws session_unknown, session_unpaired, session_suspended, history_off, history_requested, send_not_connected,
   * invalid_request, room_unknown, message_unknown, history_phone_silent
   */
  async request(
    clientId: string,
    chatRoomId: string,
    count: number,
  ): Promise<{ messages: number; more?: boolean }> {
    const { sessions, clock } = this.#options;
    const session = requirePaired(sessions, clientId);
    if (!session.record.orgId) throw historyOff(clientId, 'no_workspace');
    const running = this.#begin(clientId);
    try {
      const older = await this.#olderThanStored(session, chatRoomId);
      await this.#ask(running, session, { chat: older.chat, oldest: older.oldest, count });
      const answer = await this.#answer(running);
      const more = this.#pass(clientId, older, answer);
      return { messages: answer.messages, ...(more !== undefined && { more }) };
    } finally {
      // only a request that has left rests
      if (running.ids.size > 0) this.#freeAt.set(clientId, clock.monotonic() + this.#waits.pauseMs);
      this.#running.delete(clientId);
    }
  }

  hear(heard: SessionEvent): void {
    if (heard.type !== 'history' || !heard.answer) return;
    const running = this.#running.get(heard.clientId);
    running?.answers.push(heard.answer);
    if (running) settle(running);
  }

  /** Ends the wait for an answer, which is stored by the node that then holds the session. */
  async finish(clientId: string): Promise<void> {
    this.abort(clientId);
  }

  abort(clientId: string): void {
    const why = 'the session left this node before the phone answered; the answer will be stored';
    this.#running.get(clientId)?.answered.reject(new GatewayError('send_not_connected', why));
  }

  async end(clientId: string): Promise<void> {
    this.abort(clientId);
  }

  forget(clientId: string): void {
    this.#freeAt.delete(clientId);
    this.#passed.delete(clientId);
  }

  stop(): void {
    for (const clientId of this.#running.keys()) this.abort(clientId);
  }

  /** @throws GatewayError history_requested */
  #begin(clientId: string): Running {
    const leftMs = (this.#freeAt.get(clientId) ?? 0) - this.#options.clock.monotonic();
    if (this.#running.has(clientId)) {
      throw new GatewayError('history_requested', `${clientId} already asks its phone for older messages`);
    }
    if (leftMs > 0) {
      const retryAfter = Math.ceil(leftMs / SECOND_MS);
      const why = `${clientId} has just asked its phone for older messages; ask again in ${retryAfter} s`;
      throw new GatewayError('history_requested', why, { retryAfter });
    }
    const running: Running = { ids: new Set(), answers: [], answered: new Deferred() };
    // it may be rejected before anybody waits for it
    running.answered.promise.catch(() => undefined);
    this.#running.set(clientId, running);
    return running;
  }

  async #ask(running: Running, session: Session, older: OlderMessages): Promise<void> {
    await this.#options.liveLinks.withLink(session, async (link) => {
      running.ids.add(await link.requestHistory(older));
      settle(running);
    });
  }

  /**
   * Remembers where an answer ended that brought nothing new: the stored messages alone would lead to the same answer again. So
   * it is with messages that are stored in another order, and with those that are no rows, such as changes of a group.
   * @returns whether the phone holds more that a further request can bring
   */
  #pass(
    clientId: string,
    { oldest: asked, storedId }: Anchored,
    { messages, hasMore, oldest }: HistoryAnswer,
  ): boolean | undefined {
    this.#passed.delete(clientId);
    if (messages > 0 || !hasMore) return hasMore;
    if (!oldest || oldest.messageId === asked.messageId || oldest.sentAt > asked.sentAt) return false;
    this.#passed.set(clientId, { storedId, oldest });
    return true;
  }

  /** @throws GatewayError invalid_request, room_unknown, message_unknown, history_off */
  async #olderThanStored(session: Session, roomId: string): Promise<Anchored> {
    const { store, retentionDays, clock } = this.#options;
    const { clientId, record } = session;
    const { chatRoomId, remoteJid } = (await findRoom(roomId, this.#options)).room;
    const address = parseJid(remoteJid);
    // rooms outlive the number: the phone of another one does not know them
    if (!address || roomIdOf(record, address) !== chatRoomId) {
      const why = `chatRoomId: ${chatRoomId} is not a room of the number that ${clientId} is linked to`;
      throw new GatewayError('invalid_request', why);
    }
    const rows = await store.history.oldest(clientId, chatRoomId, ANCHOR_ROWS);
    const stored = rows.find(isShownOnPhones);
    if (!stored) {
      const why = `chatRoomId: room ${chatRoomId} has no stored message, and the phone is asked for what is older than one`;
      throw new GatewayError('message_unknown', why);
    }
    const passed = this.#passed.get(clientId);
    const storedId = `${chatRoomId} ${stored.messageId}`;
    const oldest = passed?.storedId === storedId ? passed.oldest : referenceTo(session, address, stored);
    if (oldest.sentAt < keptSince(record, retentionDays, clock.now()))
      throw historyOff(clientId, 'older_deleted');
    return { chat: formatJid(address), oldest, storedId };
  }

  /** @throws GatewayError history_phone_silent */
  async #answer({ answered }: Running): Promise<HistoryAnswer> {
    if (await endsWithin(this.#options.clock, this.#waits.answerMs, answered.promise))
      return answered.promise;
    const why = 'The linked phone did not answer. If it answers later, its messages are stored all the same.';
    throw new GatewayError('history_phone_silent', why);
  }
}

function settle({ ids, answers, answered }: Running): void {
  const answer = answers.find(({ requestId }) => ids.has(requestId));
  if (answer) answered.resolve(answer);
}

function historyOff(clientId: string, kind: 'no_workspace' | 'older_deleted'): GatewayError {
  return new GatewayError('history_off', reason('history_off', { kind, clientId }));
}
