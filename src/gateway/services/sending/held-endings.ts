import type { Clock } from '../../../domain/clock.js';
import { type ErrorCode, GatewayError, isGatewayError } from '../../../domain/errors.js';
import { allowedAt, type Refusal, type RuleName } from '../../../domain/policy/rules.js';
import { pauseAfter } from '../../../domain/retry.js';
import type { Logger } from '../../log.js';
import type { SentRecord, Store } from '../../store/store.js';
import type { SendPolicies } from '../policies/send-policies.js';
import type { Announcements } from '../receivers/announce.js';
import type { Session } from '../sessions/session.js';
import { type HeldQueue, type HeldSend, JUDGED_AGAIN_MS, neverLeft } from './held-queue.js';
import type { SendObserver } from './job.js';

/** Transient failures: the message keeps waiting. */
const PASSING = new Set<ErrorCode>([
  'send_not_connected',
  'send_cut_off',
  'session_not_connected',
  'session_unpaired',
  'session_suspended',
  'session_elsewhere',
  'store_unavailable',
  'stopping',
  'media_busy',
]);
/** Failures that may be transient: the message is tried `MAX_FAILURES` times. Any other failure gives it up at once. */
const PERHAPS_PASSING = new Set<ErrorCode>([
  'send_unacknowledged',
  'lookup_failed',
  'device_query_unanswered',
  'media_unfetchable',
  'proxy_failed',
  'internal',
]);
/** Rules about what the network restricts. */
const OF_THE_NETWORK = new Set<RuleName>(['reachoutLock', 'newChatLimit', 'networkSilent', 'stopAtWarning']);
const MAX_FAILURES = 5;
/** Pauses in milliseconds after failed attempts. */
const RETRY = { pausesMs: [5_000, 15_000, 60_000, 300_000], endless: true, jitter: 0.2 } as const;

/** A message that waits, with its queue. */
export interface Waiting {
  session: Session;
  queue: HeldQueue;
  send: HeldSend;
}

/** How an attempt to send a held message ends if the message is not sent: it waits on, or it is given up. */
export class HeldEndings {
  readonly #options;

  constructor(options: {
    store: Pick<Store, 'sends'>;
    policies: Pick<SendPolicies, 'refusals'>;
    announcements: Pick<Announcements, 'messageStatus'>;
    observer: Pick<SendObserver, 'sendFailed'>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** Rules refuse the message: if no time will allow it, it is given up. */
  async refused(waiting: Waiting, refusals: readonly Refusal[]): Promise<void> {
    const { queue, send } = waiting;
    const [first] = refusals;
    const at = allowedAt(refusals);
    if (!first || at === undefined) return this.giveUp(waiting, 'policy_refused');
    const found = { rule: first.rule, allowedAt: at, until: first.allowedAt ?? at };
    queue.holdBack(send, found, this.#options.clock.now());
  }

  /**
   * Handles a failed attempt: tries the message again later if that can help, otherwise gives it up.
   * @param before its record as it was before the attempt; undefined if it could not be read
   */
  async failed(waiting: Waiting, error: unknown, before: SentRecord | undefined): Promise<void> {
    const { session, send } = waiting;
    const { clientId } = session;
    const { policies, clock, log } = this.#options;
    const { messageId, to } = send;
    const code: ErrorCode = error instanceof GatewayError ? error.code : 'internal';
    log.warn({ err: error, clientId, messageId }, 'a held message was not sent');
    const { rule, allowedAt: at } = (error instanceof GatewayError && error.policy) || {};
    if (at) {
      // the record was written for the first copy, which has not left
      if (before?.content.length === 0) await this.#putBack(clientId, messageId, () => before);
      const snoozedUntil = Math.min(Date.parse(at), clock.now() + JUDGED_AGAIN_MS);
      return void Object.assign(send, { rule, allowedAt: Date.parse(at), snoozedUntil });
    }
    send.snoozedUntil = clock.now() + pauseAfter(RETRY, send.failures + 1);
    if (PASSING.has(code)) return;
    if (code === 'send_rejected') {
      const found = await policies.refusals(session, { to, text: '', isRejected: true }).catch(() => []);
      // only rules of the network count here: limits of the policy must not keep a rejected message waiting for days
      const refusals = found.filter(({ rule }) => OF_THE_NETWORK.has(rule));
      // if the network does not give a reason, the refusal may last for ever
      const isReasonKnown = refusals.some(({ rule }) => rule !== 'networkSilent');
      const mayWait = isReasonKnown || send.failures + 1 < MAX_FAILURES;
      if (refusals.length > 0 && mayWait) {
        const isUnknown = isGatewayError(error) && error.messageId !== undefined;
        if (!isUnknown) await this.#putBack(clientId, messageId, neverLeft);
        if (!isReasonKnown) send.failures += 1;
        return this.refused(waiting, refusals);
      }
    }
    send.failures += 1;
    if (PERHAPS_PASSING.has(code) && send.failures < MAX_FAILURES) return;
    await this.giveUp(waiting, code);
  }

  /**
   * Returns a message that nobody has received to the waiting state: it is composed again when it leaves, and can be
   * cancelled until then.
   * @param asBefore makes the record of the waiting message
   */
  async #putBack(
    clientId: string,
    messageId: string,
    asBefore: (record: SentRecord) => SentRecord,
  ): Promise<void> {
    const { store, log } = this.#options;
    try {
      const record = await store.sends.get(clientId, messageId);
      // a record without content is already in the waiting state
      if (record?.held && !record.acknowledged && record.content.length > 0)
        await store.sends.put(clientId, asBefore(record));
    } catch (err) {
      // the message keeps its content, and is sent again with it
      log.warn({ err, clientId, messageId }, 'a refused message could not be put back');
    }
  }

  /** Announces that a message failed, and closes its record. Tries again later if the store is unavailable. */
  async giveUp({ session, queue, send }: Waiting, code: ErrorCode): Promise<void> {
    const { clientId, record: about } = session;
    const { store, announcements, observer, clock, log } = this.#options;
    const { messageId } = send;
    try {
      const record = await store.sends.get(clientId, messageId);
      if (record?.held) {
        const at = clock.now();
        const why = (code === 'send_rejected' && send.refusedWith) || code;
        const status = { type: 'message-status', messageId, status: 'failed', at, code: why } as const;
        announcements.messageStatus(about, status);
      }
      if (record?.held) await this.close(clientId, record);
      queue.move(send, 'give_up');
      observer.sendFailed(code);
      log.warn({ clientId, messageId, code }, 'a held message was given up');
    } catch (err) {
      log.warn({ err, clientId, messageId }, 'a held message could not be given up yet');
      send.snoozedUntil = clock.now() + pauseAfter(RETRY, 1);
    }
  }

  /** Closes the record of a held message that will not be sent. */
  async close(clientId: string, { held: _, ...record }: SentRecord): Promise<void> {
    await this.#options.store.sends.put(clientId, { ...record, closed: true });
  }
}
