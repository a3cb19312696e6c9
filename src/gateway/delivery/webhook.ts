import { EventEmitter } from 'node:events';
import type { Clock } from '../../domain/clock.js';
import { connectionFaultOf } from '../../domain/connection-fault.js';
import type { PauseCode } from '../../domain/pauses.js';
import { type Reason, reason, textOf } from '../../domain/reasons.js';
import { shownUrl } from '../../domain/text.js';
import { basicAuthorization } from '../../domain/url-credentials.js';
import { type WebhookFacts, webhookHeaders } from '../../domain/webhook-headers.js';
import { PrivateAddressError } from './guard.js';
import { LazyAgent } from './lazy-agent.js';

/** Pauses between the four attempts of one delivery. */
export const RETRY = { pausesMs: [500, 1_000, 2_000], endless: false, jitter: 0.2 } as const;

/** Milliseconds for one call, from the name look-up to the end of the answer. */
const CALL_TIMEOUT_MS = 15_000;
/**
 * Bytes of an answer that are read and buffered. Without the buffer a complete answer fails if its connection ends while
 * the library holds data back (`domain/contained.ts`).
 */
export const ANSWER_BYTES = 1024 * 1024;

const TOO_MANY_REQUESTS = 429;

/** The outcome of one attempt: `rejected` is final, `failed` may be retried. */
type Outcome = 'delivered' | 'rejected' | 'failed';

/** A receiver's URL, parsed once. */
export interface Target {
  origin: string;
  /** Path and query. */
  path: string;
  /** The address without parts that may be secret. */
  shown: string;
  /** The header for the user and password of the address; absent without them. */
  authorization?: string | undefined;
  /** The whole address of a broker, which gets no HTTP calls. */
  broker?: string;
}

/** An attempt that did not deliver the event. */
export interface FailedCall {
  outcome: Exclude<Outcome, 'delivered'>;
  /** The receiver's HTTP status; 0 without an answer. */
  status: number;
  reason: Reason;
  /** Set if the receiver must be paused, with the reason. */
  pause?: PauseCode;
}

export type CallResult =
  | { outcome: 'delivered'; status: number; reason?: undefined; pause?: undefined }
  | FailedCall;

/** Parses a receiver's address; undefined if it is not an absolute http(s) URL. */
export function readTarget(url: string): Target | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  const { protocol, origin, pathname, search } = parsed;
  return protocol === 'http:' || protocol === 'https:'
    ? { origin, path: pathname + search, shown: shownUrl(url), authorization: basicAuthorization(parsed) }
    : undefined;
}

/** A redirect is a rejection: following it would call a different receiver. */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'delivered';
  return status === TOO_MANY_REQUESTS || status >= 500 ? 'failed' : 'rejected';
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/**
 * Runs a call that must end in time.
 * @throws Error `no answer within … s`, or the error of the call
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  call: (signal: EventEmitter) => Promise<T>,
): Promise<T> {
  // undici takes an emitter in place of an AbortSignal, which costs far more per call
  const signal = new EventEmitter();
  let timedOut = false;
  const cancel = clock.after(ms, () => {
    timedOut = true;
    signal.emit('abort');
  });
  try {
    return await call(signal);
  } catch (error) {
    throw timedOut || codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT'
      ? new Error(`no answer within ${ms / 1_000} s`)
      : error;
  } finally {
    cancel();
  }
}

/** Makes single calls to receivers. Redirects are not followed. */
export class WebhookClient {
  readonly #agent: LazyAgent;
  readonly #clock: Clock;
  readonly #signing: Clock;

  constructor({
    clock,
    signing,
    allowPrivate,
    connections,
  }: {
    clock: Clock;
    /** The clock for signatures. */
    signing: Clock;
    allowPrivate: boolean;
    /** Connections to one origin. */
    connections: number;
  }) {
    this.#clock = clock;
    this.#signing = signing;
    this.#agent = new LazyAgent({ allowPrivate, connections, timeoutMs: CALL_TIMEOUT_MS });
  }

  /** Makes one attempt. Never rejects. */
  async post(target: Target, facts: WebhookFacts): Promise<CallResult> {
    try {
      const status = await withDeadline(this.#clock, CALL_TIMEOUT_MS, async (signal) => {
        const { statusCode, body } = await this.#agent.request({
          ...target,
          method: 'POST',
          headers: {
            // the bearer token of the session wins over the URL's user and password
            ...(target.authorization && { authorization: target.authorization }),
            ...webhookHeaders(facts, this.#clock.now(), this.#signing.now()),
          },
          body: facts.body,
          highWaterMark: ANSWER_BYTES,
          signal,
        });
        // only the status matters; a body above the limit only costs the connection
        await body.dump({ limit: ANSWER_BYTES });
        return statusCode;
      });
      return resultOfStatus(status);
    } catch (error) {
      return resultOfError(error);
    }
  }

  /** Aborts calls in flight and closes all connections. */
  async destroy(): Promise<void> {
    await this.#agent.destroy();
  }
}

function resultOfStatus(status: number): CallResult {
  const outcome = outcomeOf(status);
  if (outcome === 'delivered') return { outcome, status };
  const code = isRedirect(status) ? 'redirected' : 'answered';
  return { outcome, status, reason: reason(code, { status: String(status) }) };
}

function resultOfError(error: unknown): FailedCall {
  if (error instanceof PrivateAddressError) return { outcome: 'rejected', status: 0, reason: error.reason };
  if (error instanceof Error && codeOf(error) === 'UND_ERR_INVALID_ARG') {
    // address or token cannot be put into a request: a retry cannot help
    return { outcome: 'rejected', status: 0, reason: reason('not_callable', { error: error.message }) };
  }
  if (codeOf(error) === 'UND_ERR_DESTROYED') {
    return { outcome: 'failed', status: 0, reason: reason('gateway_stops') };
  }
  const failed = { kind: connectionFaultOf(error), error: describeFailure(error) };
  return { outcome: 'failed', status: 0, reason: reason('call_failed', failed) };
}

/** Describes a failed call for people. Node's errors for several addresses at once have a code but no message. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (codeOf(error) === 'UND_ERR_DESTROYED') return textOf(reason('gateway_stops'));
  return error.message || codeOf(error) || error.name;
}

/** The code of an error of Node or of the HTTP library; empty if it has none. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
