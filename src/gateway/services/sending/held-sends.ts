import type { HeldMessage } from '../../../contract/index.js';
import { callAt } from '../../../domain/clock.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { LIMITS } from '../../../domain/limits.js';
import { MultiMap } from '../../../domain/multi-map.js';
import { doubling, pauseAfter } from '../../../domain/retry.js';
import type { IncomingMessage } from '../../link/link.js';
import type { SentRecord } from '../../store/store.js';
import type { SessionSource } from '../access.js';
import { isShared } from '../policies/chat-standings.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { MessageSpans } from '../spans.js';
import { HeldEndings } from './held-endings.js';
import { type Held, HeldPasses } from './held-passes.js';
import {
  FRESH,
  type HeldRequest,
  type HeldSend,
  judgedBy,
  ownNumber,
  type RefusedForATime,
  readHeld,
  readQueue,
  toView,
  writeHeld,
} from './held-queue.js';
import type { SentAnswer } from './idempotency.js';
import type { Send } from './job.js';

/** Pauses before the next pass after a store outage. */
const STORE_AWAY = { pausesMs: doubling(1_000, 60_000), endless: true, jitter: 0.2 } as const;

/** The turn of a request in its chat: no later request of the chat is judged or held before it ends. */
export interface Turn {
  /** The recipient's jid. */
  readonly to: string;
  /** An earlier message of the chat, which waits: the request is judged when it becomes the first. */
  readonly ahead: HeldSend | undefined;
  /** The facts have changed since the turn began: the request is judged again as soon as it is held. */
  isOutdated: boolean;
  end(): void;
}

/**
 * Messages that their policy refuses for a time, and whose callers asked to keep them. The record of each send holds its
 * request: closed while it waits, open from the moment it leaves. So the step from waiting to leaving is one write, and a
 * crash finds the message in one of both states. Decision 31 has the details.
 */
export class HeldSends implements SessionPart {
  readonly #options;
  readonly #endings: HeldEndings;
  readonly #passes: HeldPasses;
  readonly #held = new Map<string, Promise<Held>>();
  /** `#held`, once it is read from the store. */
  readonly #read = new Map<string, Held>();
  /** One lock per chat: requests that may be held run in order. */
  readonly #requests = new KeyedLock();
  /** Requests that are being judged, by session. They are in no queue yet, so changes are noted here. */
  readonly #judging = new MultiMap<Turn>();
  /** One lock per session, for passes and withdrawals. */
  readonly #work = new KeyedLock();
  /** Cancel the repetitions of work for which the store was away, by session. */
  readonly #repetitions = new MultiMap<() => void>();
  #stopped = false;

  constructor(
    options: Omit<ConstructorParameters<typeof HeldPasses>[0], 'endings'> &
      ConstructorParameters<typeof HeldEndings>[0] & {
        sessions: SessionSource & { has(clientId: string): boolean };
        spans: MessageSpans;
        /** Messages of one session that may wait. */
        limit: number;
      },
  ) {
    this.#options = options;
    this.#endings = new HeldEndings(options);
    this.#passes = new HeldPasses({ ...options, endings: this.#endings });
  }

  /**
   * Waits for the turn of a request that may be held. The caller must end it.
   * @param to the recipient's jid
   * @throws GatewayError `store_unavailable`, `store_damaged`
   */
  async takeTurn(clientId: string, to: string): Promise<Turn> {
    const place = await this.#requests.take(`${clientId} ${to}`);
    try {
      const { queue } = await this.#heldOf(clientId);
      const ahead = queue.firstOf(to);
      const turn: Turn = {
        to,
        ahead,
        isOutdated: ahead !== undefined,
        end: () => {
          this.#judging.delete(clientId, turn);
          place.end();
        },
      };
      this.#judging.add(clientId, turn);
      return turn;
    } catch (error) {
      place.end();
      throw error;
    }
  }

  /**
   * Keeps a request until its policy allows it. Holds nothing for a caller who has hung up, because the caller would never
   * learn of it.
   * @param refusal the rule that refuses it, and when that rule allows it
   * @throws GatewayError held_sends_full, request_too_large, send_not_connected; send_cut_off with the message's id when the
   * store does not say whether it keeps the message
   */
  async hold(
    { session, job, messageId, gone }: Send,
    turn: Turn,
    { rule, allowedAt: at }: RefusedForATime,
  ): Promise<SentAnswer> {
    const { clientId } = session;
    const { route, request } = job;
    const { to } = turn;
    const { store, clock, limit, sessions, spans } = this.#options;
    const { queue } = await this.#heldOf(clientId);
    if (gone?.aborted) throw new GatewayError('send_not_connected', 'nothing was sent: the caller hung up');
    requireRoom(queue.size, limit, this.total());
    const heldAt = queue.nextTime(clock.now());
    const held = { route, rule, allowedAt: at, heldAt };
    const text = writeHeld({ ...held, request, from: ownNumber(sessions.find(clientId).record) });
    const judged = turn.isOutdated ? {} : judgedBy(rule, at, clock.now());
    const send: HeldSend = { ...held, ...FRESH, ...judged, state: 'storing', messageId, to };
    queue.add(send);
    try {
      await store.sends.put(clientId, {
        ...{ messageId, to, content: new Uint8Array(), metaData: '', fileName: '' },
        // a held message counts as nothing until it leaves
        ...{ counted: 'nothing', sentAt: heldAt, acknowledged: false, closed: true },
        held: text,
        ...spans.noted(clientId, messageId),
      });
    } catch (error) {
      if (!isGatewayError(error, 'store_unavailable')) {
        queue.move(send, 'not_stored');
        throw error;
      }
      // the next judgement reads whether the record was written
      Object.assign(send, FRESH);
      queue.move(send, 'stored');
      this.#wake(clientId);
      throw new GatewayError('send_cut_off', error.message, { cause: error, messageId });
    }
    queue.move(send, 'stored');
    this.#wake(clientId);
    return toAnswer(send);
  }

  /** The answer to a request whose message waits; undefined for any other record. */
  waitingAnswer({ messageId, closed, acknowledged, held }: SentRecord): SentAnswer | undefined {
    return held && closed && !acknowledged ? toAnswer({ ...readHeld(held), messageId }) : undefined;
  }

  /** Oldest first. @throws session_unknown, store_unavailable */
  async list(
    clientId: string,
    { after, limit = Number.POSITIVE_INFINITY }: { after?: string | undefined; limit?: number } = {},
  ): Promise<HeldMessage[]> {
    this.#options.sessions.find(clientId);
    const { queue } = await this.#heldOf(clientId);
    return queue.after(after, limit).map(toView);
  }

  /** @throws session_unknown, held_send_unknown, held_send_leaving, store_unavailable */
  async cancel(clientId: string, messageId: string): Promise<void> {
    const { sessions, store } = this.#options;
    sessions.find(clientId);
    const { queue } = await this.#heldOf(clientId);
    // a judgement may end without a send: wait for its end
    let send = queue.find(messageId);
    for (; send?.state === 'judging'; send = queue.find(messageId)) await send.judgement?.promise;
    if (!send) throw new GatewayError('held_send_unknown', `no message ${messageId} waits to be sent`);
    const leaving = new GatewayError('held_send_leaving', `the message ${messageId} is being sent`);
    if (send.state !== 'waiting') throw leaving;
    queue.move(send, 'cancel');
    try {
      const record = await store.sends.get(clientId, messageId);
      // an earlier attempt may have arrived
      if (record && (!record.closed || record.content.length > 0)) throw leaving;
      if (record) await this.#endings.close(clientId, record);
      queue.move(send, 'withdraw');
    } catch (error) {
      queue.move(send, 'put_back');
      throw error;
    } finally {
      this.#wake(clientId);
    }
  }

  /**
   * Withdraws a message that is deleted for everyone: no copy of it leaves from now on. Waits for an attempt in flight.
   * @returns true if no copy has left, so that there is nothing to delete
   * @throws GatewayError store_unavailable
   */
  async withdraw(clientId: string, messageId: string): Promise<boolean> {
    const { store } = this.#options;
    if (!(await this.#heldOf(clientId)).queue.find(messageId)) return false;
    return this.#work.run(clientId, async () => {
      const { queue } = await this.#heldOf(clientId);
      const send = queue.find(messageId);
      const record = send && (await store.sends.get(clientId, messageId));
      if (!send || !record?.held || record.acknowledged) return false;
      await this.#endings.close(clientId, record);
      queue.move(send, 'withdraw');
      this.#wake(clientId);
      return record.content.length === 0;
    });
  }

  /** Reads the messages of a session that may never connect again, so that they expire in time. @throws GatewayError store_unavailable */
  async watch(clientId: string): Promise<void> {
    if (this.#held.has(clientId)) return;
    await this.#heldOf(clientId);
    this.#wake(clientId);
  }

  /** Messages of a session that wait; 0 until they are read from the store. */
  count(clientId: string): number {
    return this.#read.get(clientId)?.queue.size ?? 0;
  }

  /** Waiting messages of all sessions. */
  total(): number {
    return [...this.#read.values()].reduce((total, { queue }) => total + queue.size, 0);
  }

  hear(heard: SessionEvent): void {
    if (heard.type === 'workspace' || heard.type === 'history' || heard.type === 'restrictions')
      this.reevaluate(heard.clientId);
    if (heard.type !== 'link') return;
    const { session, event } = heard;
    if (event.type === 'message' || event.type === 'unreadable')
      this.#noteMessage(session.clientId, event.message);
  }

  /** Judges all messages of a session again: it is connected, or facts about its number have changed. */
  reevaluate(clientId: string): void {
    for (const turn of this.#judging.of(clientId)) turn.isOutdated = true;
    this.#wake(clientId, ({ queue }) => queue.wake());
  }

  /** A message arrived or was sent from another device: re-evaluates the held messages of that chat, unless it is a group. */
  #noteMessage(clientId: string, message: Pick<IncomingMessage, 'chat' | 'chatAlt'>): void {
    const held = this.#read.get(clientId)?.queue;
    const judging = this.#judging.of(clientId);
    if (!held?.size && judging.length === 0) return;
    const chats = [message.chat, message.chatAlt].flatMap((jid) => (jid && !isShared(jid) ? jid : []));
    for (const turn of judging) if (chats.includes(turn.to)) turn.isOutdated = true;
    if (chats.some((jid) => held?.firstOf(jid))) this.#wake(clientId, ({ queue }) => queue.wake(chats));
  }

  /**
   * Notes that the network refused a copy of a message.
   * @returns true if the message is held: it may leave again, so only its final outcome is announced
   */
  onRejected(clientId: string, messageId: string, code: string | undefined): boolean {
    const send = this.#read.get(clientId)?.queue.find(messageId);
    if (send) send.refusedWith = code;
    return send !== undefined;
  }

  /** Another number may be linked: gives up the messages that wait for the former one. */
  reset(clientId: string): void {
    const { sessions, limit, clock } = this.#options;
    // messages held within one millisecond have consecutive times, up to `limit` after now
    const until = clock.now() + limit;
    this.#run(clientId, async ({ queue }) => {
      const session = sessions.find(clientId);
      const former = queue.all.filter(({ heldAt }) => heldAt <= until);
      for (const send of former) await this.#endings.giveUp({ session, queue, send }, 'session_unpaired');
    });
  }

  abort(clientId: string): void {
    const held = this.#read.get(clientId);
    held?.ended.abort();
    held?.cancelTimer();
    for (const cancel of this.#repetitions.of(clientId)) cancel();
    this.#read.delete(clientId);
    this.#held.delete(clientId);
  }

  /** Sends in flight fail with the link, and are continued like any send. */
  async end(clientId: string): Promise<void> {
    this.abort(clientId);
  }

  forget(clientId: string): void {
    this.abort(clientId);
  }

  stop(): void {
    this.#stopped = true;
    for (const clientId of [...this.#read.keys()]) this.abort(clientId);
    for (const cancel of this.#repetitions.all()) cancel();
  }

  #heldOf(clientId: string): Promise<Held> {
    const known = this.#held.get(clientId);
    if (known) return known;
    const ended = new AbortController();
    const reading = readQueue(this.#options.store.sends, clientId).then((queue) => {
      const held: Held = { queue, pausesUntil: 0, ended, cancelTimer: () => undefined };
      if (this.#held.get(clientId) === reading) this.#read.set(clientId, held);
      else ended.abort();
      return held;
    });
    this.#held.set(clientId, reading);
    // a failed read must not be cached: it would outlast the store's outage
    reading.catch(() => this.#held.get(clientId) === reading && this.#held.delete(clientId));
    return reading;
  }

  #wake(clientId: string, change: (held: Held) => void = () => undefined): void {
    this.#run(clientId, async (held) => {
      change(held);
      held.cancelTimer();
      const at = await this.#passes.pass(clientId, held);
      if (at === undefined || held.ended.signal.aborted) return;
      const { clock } = this.#options;
      // at the earliest in the next millisecond, after the current work
      held.cancelTimer = callAt(clock, Math.max(at, clock.now() + 1), () => this.#wake(clientId));
    });
  }

  #run(clientId: string, work: (held: Held) => Promise<void>, failures = 0): void {
    const { sessions, log } = this.#options;
    const running = this.#work.run(clientId, async () => {
      if (this.#stopped || !sessions.has(clientId)) return;
      await work(await this.#heldOf(clientId));
    });
    running.catch((err: unknown) => {
      log.warn({ err, clientId }, 'held messages could not be looked at');
      if (isGatewayError(err, 'store_unavailable')) this.#repeat(clientId, work, failures + 1);
    });
  }

  #repeat(clientId: string, work: (held: Held) => Promise<void>, failures: number): void {
    if (this.#stopped) return;
    const stop = this.#options.clock.after(pauseAfter(STORE_AWAY, failures), () => {
      cancel();
      this.#run(clientId, work, failures);
    });
    const cancel = () => {
      stop();
      this.#repetitions.delete(clientId, cancel);
    };
    this.#repetitions.add(clientId, cancel);
  }
}

function toAnswer({
  messageId,
  rule,
  allowedAt: at,
}: Omit<HeldRequest, 'request' | 'route' | 'heldAt' | 'from'> & { messageId: string }): SentAnswer {
  return { status: 'held', messageId, allowedAt: new Date(at).toISOString(), rule };
}

/** @throws GatewayError `held_sends_full` */
function requireRoom(size: number, limit: number, total: number): void {
  const isFull = size >= limit;
  if (!isFull && total < LIMITS.heldSendsOfNode) return;
  const bound = isFull
    ? `${size} messages wait already, the most that --held-sends permits`
    : `this node already holds ${total} waiting messages, its limit`;
  throw new GatewayError('held_sends_full', `nothing was sent: ${bound}`);
}
