import { DisconnectReason, type WASocket } from '@whiskeysockets/baileys';
import type { Clock } from '../../../domain/clock.js';
import type { LinkEvent, Restriction } from '../link.js';
import { field, lookupFailed, partsOf } from './reasons.js';

/** Milliseconds to wait for the network's answer. */
const ANSWER_MS = 5_000;

/** The network's names for warnings before the limit of new chats (Baileys `NewChatMessageCappingStatusType`). */
const WARNINGS: readonly string[] = ['FIRST_WARNING', 'SECOND_WARNING'];

type Cap = Awaited<ReturnType<WASocket['fetchNewChatMessageCap']>>;

/**
 * The restrictions of the account: the time lock, under which it cannot begin chats, and the limit of new chats in a
 * cycle. The network reports both on request, and announces changes (`w:mex`).
 */
export class Restrictions {
  readonly #sock: WASocket;
  readonly #clock: Clock;
  readonly #emit: (event: LinkEvent) => void;
  /** The last reported state. */
  #lock: Restriction | undefined;
  #asking: Promise<Restriction | undefined> | undefined;

  constructor(sock: WASocket, clock: Clock, emit: (event: LinkEvent) => void) {
    this.#sock = sock;
    this.#clock = clock;
    this.#emit = emit;
    sock.ev.on('connection.update', ({ reachoutTimeLock }) => {
      if (reachoutTimeLock) this.#report(lockIn(reachoutTimeLock));
    });
    sock.ev.on('message-capping.update', (cap) => this.#report(capIn(cap)));
  }

  /**
   * Asks for the restrictions.
   * @returns those that the network does not refuse to report
   * @throws GatewayError `lookup_failed` when it does not answer
   */
  async ask(): Promise<Restriction[]> {
    const { fetchAccountReachoutTimelock, fetchNewChatMessageCap } = this.#sock;
    const told = await this.#inTime(
      Promise.all([
        fetchAccountReachoutTimelock().then(lockIn).catch(unlessSilent),
        fetchNewChatMessageCap().then(capIn).catch(unlessSilent),
      ]),
    );
    return told.flatMap((restriction) => restriction ?? []);
  }

  /**
   * The time lock of the account, after a negative acknowledgement that may have two causes. Asks the network unless an
   * active lock is already known.
   * @returns undefined when the network does not answer
   */
  async lock(): Promise<Restriction | undefined> {
    const known = this.#lock;
    if (known?.active && (known.until ?? 0) > this.#clock.now()) return known;
    this.#asking ??= this.#inTime(this.#sock.fetchAccountReachoutTimelock())
      .then(lockIn, () => undefined)
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  #report(restriction: Restriction): void {
    if (restriction.kind === 'reachout-lock') this.#lock = restriction;
    this.#emit({ type: 'restriction', restriction });
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    let cancel: () => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(ANSWER_MS, () => reject(new Error('no answer in time')));
    });
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      throw lookupFailed(error);
    } finally {
      cancel();
    }
  }
}

const SILENT: readonly unknown[] = [DisconnectReason.timedOut, DisconnectReason.connectionClosed];

/** Ignores a refused query. @throws the error, if no answer came */
function unlessSilent(error: unknown): undefined {
  if (SILENT.includes(partsOf(error).code)) throw error;
}

function lockIn(lock: Awaited<ReturnType<WASocket['fetchAccountReachoutTimelock']>>): Restriction {
  const { isActive, timeEnforcementEnds, enforcementType } = lock;
  const ends = timeEnforcementEnds?.getTime() ?? Number.NaN;
  // 0 means that the network names no end
  const until = isActive && ends > 0 ? { until: ends } : {};
  return { kind: 'reachout-lock', active: isActive === true, cause: enforcementType ?? '', ...until };
}

/** Reads the limit of new chats. Counts and times are texts, or missing. */
function capIn(cap: Partial<Cap>): Restriction {
  const cause = String(field(cap, 'capping_status') ?? '');
  const ends = Number(field(cap, 'cycle_end_timestamp'));
  const quota = Number(field(cap, 'total_quota'));
  const used = Number(field(cap, 'used_quota'));
  return {
    kind: 'new-chat-limit',
    active: cause === 'CAPPED',
    ...(WARNINGS.includes(cause) && { isWarning: true }),
    cause,
    ...(ends > 0 && { until: ends * 1_000 }),
    ...(quota > 0 && { quota, used }),
  };
}
