import { type Clock, systemClock, wait } from '../domain/clock.js';
import { errorMessage } from '../domain/error-message.js';
import type { SessionStatus } from '../domain/session.js';
import { CliError, type Failure } from './cli-error.js';
import type { DaemonClient } from './client.js';
import { followHistory, type HistoryItem, keepsHistory } from './pair-history.js';
import { watchSession } from './session-watch.js';
import type { QrAnswer, WebhookChange } from './wire.js';

/** Milliseconds between two looks at the QR. */
const POLL_MS = 1_500;
/** Milliseconds without a QR and without progress after which we ask why. */
const IDLE_MS = 20_000;
/** Looks in a row that may fail, as while the daemon restarts. */
const TOLERATED_FAILURES = 5;
/** Milliseconds for which the daemon may refuse for now, as while the session's node is gone and others wait for its lease. */
const TOLERATED_MS = 60_000;
/** Milliseconds that a pairing may take: all QR codes together live about 160 s. */
export const PAIR_TIMEOUT_MS = 240_000;

export interface PairOptions {
  clientId: string;
  /** With a phone number an 8-character code is asked for instead of a QR. */
  phone?: string;
  webhook?: WebhookChange;
  /** The workspace whose history is kept; it is set before the number is linked, so that its past is kept too. */
  orgId?: string;
  signal: AbortSignal;
  timeoutMs?: number;
  clock?: Clock;
}

/** A step of a pairing. The last item is `connected` or `failed`, and nothing follows it. */
export type PairItem =
  | { type: 'status'; status: SessionStatus }
  | { type: 'qr'; qr: string }
  | { type: 'code'; code: string }
  | HistoryItem
  | PairEnd;

export type PairEnd =
  | { type: 'connected'; jid: string }
  | { type: 'failed'; reason: string; code: Failure; suggestions: readonly string[] };

/** True for the last item of a pairing. */
export function isPairEnd(item: PairItem): item is PairEnd {
  return item.type === 'connected' || item.type === 'failed';
}

/** Pairs a session. Never throws: whatever goes wrong is the last item. */
export async function* pair(client: DaemonClient, options: PairOptions): AsyncGenerator<PairItem, void> {
  try {
    yield* new Pairing(client, options).steps();
  } catch (error) {
    yield failed(error, options);
  }
}

/** One pairing on its way: what was seen last, and since when nothing moved. */
class Pairing {
  readonly #client: DaemonClient;
  readonly #options: PairOptions;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #status: SessionStatus | undefined;
  #qr = '';
  #codeAsked = false;
  /** The number is linked by this pairing, and was not before. */
  #isFresh = false;
  #movedAt: number;
  #failures = 0;
  #refusedSince: number | undefined;

  constructor(client: DaemonClient, options: PairOptions) {
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#startedAt = this.#clock.now();
    this.#movedAt = this.#startedAt;
  }

  async *steps(): AsyncGenerator<PairItem, void> {
    const { clientId, webhook, orgId, signal } = this.#options;
    await this.#client.start(clientId, webhook);
    if (orgId !== undefined) await this.#client.setOrgId(clientId, orgId);
    const watch = watchSession(this.#client, clientId, signal);
    try {
      while (true) {
        // taken before the look, so that a change during it is not waited for again
        const change = watch.nextChange();
        const seen = await this.#look();
        if (seen) yield* this.#progress(seen);
        if (seen?.status === 'connected') return yield* this.#end();
        await this.#checkStuck();
        await wait(this.#clock, POLL_MS, change);
        if (signal.aborted) throw new CliError('interrupted', 'interrupted');
      }
    } finally {
      watch.stop();
    }
  }

  /** Undefined when the daemon is away for a moment. */
  async #look(): Promise<QrAnswer | undefined> {
    try {
      const answer = await this.#client.qr(this.#options.clientId);
      this.#failures = 0;
      this.#refusedSince = undefined;
      return answer;
    } catch (error) {
      if (!this.#mayPass(error)) throw error;
      return undefined;
    }
  }

  #mayPass(error: unknown): boolean {
    if (!(error instanceof CliError)) return false;
    const now = this.#clock.now();
    if (error.isTemporary) {
      this.#refusedSince ??= now;
      // nobody can tell how the session fares: it does not stand still
      this.#movedAt = now;
      return now - this.#refusedSince <= TOLERATED_MS;
    }
    return error.failure === 'unreachable' && ++this.#failures <= TOLERATED_FAILURES;
  }

  async *#progress({ status, qr }: QrAnswer): AsyncGenerator<PairItem, void> {
    const { clientId, phone } = this.#options;
    if (status !== this.#status && status !== 'connected') yield { type: 'status', status };
    this.#isFresh ||= status === 'qr';
    if (status !== this.#status || qr !== this.#qr) this.#movedAt = this.#clock.now();
    const isNew = qr !== '' && qr !== this.#qr;
    this.#status = status;
    this.#qr = qr;
    if (isNew && !phone) yield { type: 'qr', qr };
    if (status === 'qr' && phone && !this.#codeAsked) {
      this.#codeAsked = true;
      const { code } = await this.#client.pairPhone(clientId, phone);
      yield { type: 'code', code };
    }
  }

  /** The past comes once a number is linked; whoever does not want to wait for it has linked the number all the same. */
  async *#end(): AsyncGenerator<PairItem, void> {
    const { clientId, signal } = this.#options;
    const { state } = await this.#client.checkState(clientId);
    if (this.#isFresh && (await keepsHistory(this.#client, clientId))) {
      yield* followHistory(this.#client, { clientId, signal, clock: this.#clock });
    }
    yield { type: 'connected', jid: state };
  }

  /** @throws CliError when waiting longer cannot help. */
  async #checkStuck(): Promise<void> {
    const { clientId, timeoutMs = PAIR_TIMEOUT_MS } = this.#options;
    const now = this.#clock.now();
    const isTerminal = TERMINAL.has(this.#status ?? '');
    const isIdle = this.#status !== 'qr' && now - this.#movedAt >= IDLE_MS;
    if (isTerminal || isIdle)
      throw new CliError('failure', await this.#reason(), { suggestions: again(clientId) });
    if (now - this.#startedAt >= timeoutMs) {
      const seconds = Math.round(timeoutMs / 1000);
      throw new CliError('failure', `nobody linked the number within ${seconds} s`, {
        suggestions: again(clientId),
      });
    }
  }

  /** Why the session does not move, in the daemon's words. */
  async #reason(): Promise<string> {
    const { clientId } = this.#options;
    const rows = await this.#client.health([clientId]);
    const row = rows.find((candidate) => candidate.clientId === clientId);
    return (
      row?.reason || row?.lastDisconnect || `the session stays in ${this.#status ?? 'an unknown status'}`
    );
  }
}

const TERMINAL = new Set<string>(['logged_out', 'replaced', 'banned'] satisfies SessionStatus[]);

function again(clientId: string): string[] {
  return [`try again: switchboard pair ${clientId}`, 'find out why: switchboard doctor'];
}

function failed(error: unknown, { clientId }: PairOptions): PairEnd {
  if (!(error instanceof CliError)) {
    const reason = errorMessage(error);
    return { type: 'failed', reason, code: 'failure', suggestions: again(clientId) };
  }
  const { message, failure, suggestions } = error;
  return { type: 'failed', reason: message, code: failure, suggestions };
}
