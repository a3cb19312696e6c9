import { setImmediate } from 'node:timers/promises';
import type { Clock, EpochMs } from '../../../domain/clock.js';
import { type ErrorCode, isFinalForSend } from '../../../domain/errors.js';
import { isHeldEnd } from '../../../domain/held-send.js';
import { LIMITS } from '../../../domain/limits.js';
import { pauseAfter } from '../../../domain/retry.js';
import { isTerminal } from '../../../domain/session.js';
import type { Logger } from '../../log.js';
import type { SentRecord, Store } from '../../store/store.js';
import type { SessionSource } from '../access.js';
import type { Media } from '../files/media.js';
import type { SendPolicies } from '../policies/send-policies.js';
import type { Session } from '../sessions/session.js';
import type { MessageSpans } from '../spans.js';
import { type Composer, discardFile } from './composer.js';
import type { HeldEndings, Waiting } from './held-endings.js';
import {
  type HeldQueue,
  type HeldRequest,
  type HeldSend,
  JUDGED_AGAIN_MS,
  leavingAt,
  ownNumber,
  readHeld,
  timeOfEnd,
} from './held-queue.js';
import { heldJob, type Send, type SendObserver, textIn } from './job.js';
import type { Outbox } from './outbox.js';

/** Pause between two held messages of a session whose policy enforces its limits: when one ends, all would leave at once. */
const GAP = { pausesMs: [2_000], endless: true } as const;
/** Pause between two held messages of a session without enforced limits: 1 to 3 minutes, like the `newChatGap` of the gentle policy. */
const GAP_WITHOUT_LIMITS = { pausesMs: [120_000], endless: true, jitter: 0.5 } as const;

/** The held messages of a session in this process. */
export interface Held {
  queue: HeldQueue;
  /** No further message leaves before this time. */
  pausesUntil: EpochMs;
  /** Aborted when this node must not send for the session any more. */
  ended: AbortController;
  cancelTimer(): void;
}

/** Judges the waiting messages of a session, and sends those that may leave. */
export class HeldPasses {
  readonly #options;

  constructor(options: {
    sessions: SessionSource;
    store: Pick<Store, 'sends'>;
    policies: Pick<SendPolicies, 'refusals' | 'enforces'>;
    endings: HeldEndings;
    composer: Composer;
    outbox: Outbox;
    media: Pick<Media, 'prepare' | 'preview'>;
    linkPreviews: boolean;
    spans: MessageSpans;
    observer: SendObserver;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /**
   * Sends the messages that may leave, one at a time, the oldest first.
   * @returns when to run the next pass, in milliseconds since the epoch; undefined if no message is left
   */
  async pass(clientId: string, held: Held): Promise<number | undefined> {
    const { sessions, clock } = this.#options;
    while (!held.ended.signal.aborted) {
      const session = sessions.find(clientId);
      const ready = held.queue.heads().filter(({ state }) => state === 'waiting');
      const due = ready.filter((send) => dueFor(send, session, held) <= clock.now());
      if (due.length > 0) await this.#attemptAll(clientId, held, due);
      else if (ready.length === 0) return undefined;
      else {
        const soonest = (found: number, send: HeldSend) => Math.min(found, dueFor(send, session, held));
        return ready.reduce(soonest, clock.now() + JUDGED_AGAIN_MS);
      }
    }
    return undefined;
  }

  /** Attempts messages in turn, until one has left or another message is first in its chat. */
  async #attemptAll(clientId: string, held: Held, due: readonly HeldSend[]): Promise<void> {
    const { sessions, clock } = this.#options;
    const { queue } = held;
    for (const send of due) {
      // judging thousands must not hold up other requests
      await setImmediate();
      if (held.ended.signal.aborted) return;
      const session = sessions.find(clientId);
      const isNext = queue.firstOf(send.to) === send && send.state === 'waiting';
      if (!isNext || dueFor(send, session, held) > clock.now()) continue;
      await this.#attempt(session, held, send);
      const successor = queue.firstOf(send.to);
      if (held.pausesUntil > clock.now() || (successor && successor !== send)) return;
    }
  }

  async #attempt(session: Session, held: Held, send: HeldSend): Promise<void> {
    const { queue, ended } = held;
    const { clientId } = session;
    const { endings, log } = this.#options;
    const waiting = { session, queue, send };
    queue.move(send, 'judge');
    send.refusedWith = undefined;
    let record: SentRecord | undefined;
    try {
      const found = await this.#judge(waiting);
      if (!found) return;
      record = found.record;
      queue.move(send, 'allowed');
      const leaving = this.#leave(session, record, found.request, ended.signal);
      // proven to have arrived after its attempt had failed: this only announces it
      if (record.acknowledged) await leaving;
      else await leaving.finally(() => this.#pause(session, held));
      queue.move(send, 'acknowledged');
      log.info({ clientId, messageId: send.messageId }, 'a held message was sent');
    } catch (error) {
      if (!ended.signal.aborted) await endings.failed(waiting, error, record);
    } finally {
      if (!isHeldEnd(send.state)) queue.move(send, 'put_back');
    }
  }

  /** Record and request of a message that may leave now; undefined otherwise. */
  async #judge(waiting: Waiting): Promise<{ record: SentRecord; request: HeldRequest } | undefined> {
    const { store, policies, endings } = this.#options;
    const { session, queue, send } = waiting;
    const record = await store.sends.get(session.clientId, send.messageId);
    // announced meanwhile, or never written to the store
    if (!record?.held || (record.acknowledged && record.closed)) return void queue.move(send, 'not_stored');
    const request = readHeld(record.held);
    if (record.acknowledged) return { record, request };
    const code = this.#whyGivenUp(session, send, record, request);
    if (code) return void (await endings.giveUp(waiting, code));
    const asked = { to: send.to, text: textIn(request.request), kept: record };
    const refusals = record.closed ? await policies.refusals(session, asked) : [];
    if (refusals.length > 0) return void (await endings.refused(waiting, refusals));
    return { record, request };
  }

  /** The code with which a message is given up; undefined if it may still leave. */
  #whyGivenUp(
    session: Session,
    send: HeldSend,
    record: SentRecord,
    { from, leftAt = record.sentAt }: HeldRequest,
  ): ErrorCode | undefined {
    const now = this.#options.clock.now();
    if (from !== ownNumber(session.record)) return 'session_unpaired';
    if (record.closed && now >= timeOfEnd(send)) return whyNotSent(session);
    if (record.content.length > 0 && now - leftAt > LIMITS.resendMaxAgeMs) return 'send_unacknowledged';
    return undefined;
  }

  /** Sends a message that waited. If the outcome is unknown, the record stays open: it is continued with the same content, not composed again. */
  async #leave(session: Session, record: SentRecord, request: HeldRequest, gone: AbortSignal): Promise<void> {
    const { outbox, spans, observer } = this.#options;
    const send = { session, job: heldJob(request, this.#options), messageId: record.messageId, gone };
    try {
      if (record.content.length > 0) {
        const asked = { text: textIn(send.job.payload), isResumed: !record.closed };
        await outbox.continue(session, record, asked, gone);
      } else await spans.resume(session.clientId, record, () => this.#composeAndSend(send, record));
      observer.sent(request.route);
    } catch (error) {
      if (isFinalForSend(error)) await outbox.closeFailed(session.clientId, record.messageId);
      throw error;
    }
  }

  async #composeAndSend(send: Send, record: SentRecord): Promise<void> {
    const { composer, outbox, clock, log } = this.#options;
    const draft = await composer.compose(send);
    try {
      const held = record.held && leavingAt(record.held, clock.now());
      // the network refused an earlier copy, which is counted already
      const kept = record.counted === 'nothing' ? undefined : record;
      await outbox.send(send.session, { ...draft, ...(held && { held }), kept }, send.gone);
    } finally {
      await discardFile(send.session.clientId, draft, log);
    }
  }

  #pause({ record }: Session, held: Held): void {
    const { policies, clock } = this.#options;
    const hasLimits = policies.enforces(record);
    held.pausesUntil = clock.now() + pauseAfter(hasLimits ? GAP : GAP_WITHOUT_LIMITS, 1);
  }
}

/** When a message may be attempted: not in the pause after another one. */
function dueFor(send: HeldSend, session: Session, { pausesUntil }: Held): number {
  return Math.max(timeOf(send, session), pausesUntil);
}

/** When a message needs attention: without a connection only at its expiry. */
function timeOf(send: HeldSend, { record }: Session): number {
  const dueAt = record.status === 'connected' ? Math.min(send.dueAt, timeOfEnd(send)) : timeOfEnd(send);
  return Math.max(send.snoozedUntil, dueAt);
}

/** The code for a message that expired before it could leave. */
function whyNotSent({ record: { status }, hasCredentials }: Session): ErrorCode {
  if (status === 'connected') return 'policy_refused';
  if (!isTerminal(status)) return 'send_not_connected';
  return hasCredentials ? 'session_suspended' : 'session_unpaired';
}
