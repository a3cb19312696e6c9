import { EventEmitter } from 'node:events';
import { Agent, errors } from 'undici';
import type { Clock } from '../domain/clock.js';
import { guardedConnector, PrivateAddressError } from './guard.js';
import { isDelivered, isRedirect, type Outcome, outcomeOf } from './retry.js';
import { type WebhookFacts, webhookHeaders } from './webhook-headers.js';

/** Milliseconds for one call, from the look-up of the name to the end of the answer. */
export const CALL_TIMEOUT_MS = 15_000;
/** Bytes of an answer that are read; a longer one is cut off, which changes nothing in what its status says. */
const ANSWER_BYTES = 1024 * 1024;

/** Where a call goes: a URL taken apart once. */
export interface Target {
  origin: string;
  /** Path and query. */
  path: string;
}

/** One POST of an event. */
export interface WebhookCall extends WebhookFacts {
  target: Target;
}

/** What came of one POST. */
export interface CallResult {
  outcome: Outcome;
  /** The receiver's HTTP status; 0 when there was no answer. */
  status: number;
  /** For people; empty when delivered. */
  reason: string;
}

export interface WebhookClientOptions {
  /** Permits receivers inside the own network. */
  allowPrivate: boolean;
  clock: Clock;
  /** Calls to one origin at the same time, at most. */
  connections: number;
}

/** Takes a receiver's address apart; undefined when it is no absolute http(s) URL. */
export function readTarget(url: string): Target | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, pathname, search } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? { origin, path: pathname + search } : undefined;
}

/** Makes single calls to receivers over kept-alive connections. Redirects are not followed. */
export class WebhookClient {
  readonly #agent: Agent;
  readonly #clock: Clock;

  constructor({ allowPrivate, clock, connections }: WebhookClientOptions) {
    this.#clock = clock;
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      // the deadline of the call covers both
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guardedConnector({ allowPrivate, timeoutMs: CALL_TIMEOUT_MS }),
    });
  }

  /** Makes one attempt. Never rejects. */
  async post(call: WebhookCall): Promise<CallResult> {
    // does for undici what an AbortSignal does, at a fraction of its price
    const deadline = new EventEmitter();
    let timedOut = false;
    const cancel = this.#clock.after(CALL_TIMEOUT_MS, () => {
      timedOut = true;
      deadline.emit('abort');
    });
    try {
      const { statusCode, body } = await this.#agent.request({
        ...call.target,
        method: 'POST',
        headers: webhookHeaders(call, this.#clock.now()),
        body: call.body,
        signal: deadline,
      });
      // the status is the answer; a body that never ends only costs the connection
      await body.dump({ limit: ANSWER_BYTES });
      return { outcome: outcomeOf(statusCode), status: statusCode, reason: reasonOfStatus(statusCode) };
    } catch (error) {
      return resultOfError(error, timedOut);
    } finally {
      cancel();
    }
  }

  /** Breaks off what is under way and closes all connections. */
  async destroy(): Promise<void> {
    await this.#agent.destroy();
  }
}

function reasonOfStatus(status: number): string {
  if (isDelivered(status)) return '';
  if (isRedirect(status)) return `answered ${status}; redirects are not followed, set the final address`;
  return `answered ${status}`;
}

function resultOfError(error: unknown, timedOut: boolean): CallResult {
  if (error instanceof PrivateAddressError) return { outcome: 'rejected', status: 0, reason: error.message };
  if (error instanceof errors.InvalidArgumentError) {
    // address or token cannot be put into a request: the same next time
    return { outcome: 'rejected', status: 0, reason: `cannot be called: ${error.message}` };
  }
  if (timedOut || error instanceof errors.ConnectTimeoutError) {
    return { outcome: 'failed', status: 0, reason: `no answer within ${CALL_TIMEOUT_MS / 1_000} s` };
  }
  return { outcome: 'failed', status: 0, reason: describeFailure(error) };
}

/** Why there was no answer, for people. Node's errors for several addresses at once have a code but no message. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof errors.ClientDestroyedError) return 'broken off by the stop';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message || code || error.name;
}
