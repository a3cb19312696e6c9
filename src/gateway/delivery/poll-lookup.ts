import type { EventEmitter } from 'node:events';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../domain/clock.js';
import { parseObject } from '../../domain/json.js';
import { LIMITS } from '../../domain/limits.js';
import { NO_TRACING, type Tracing, traceHeaders } from '../../domain/tracing.js';
import { USER_AGENT } from '../../domain/webhook-headers.js';
import { LazyAgent } from './lazy-agent.js';
import { ANSWER_BYTES, describeFailure, isRedirect, readTarget, withDeadline } from './webhook.js';

/** Options in one answer: more than any poll has. */
const MAX_OPTIONS = 100;
/** Calls in flight to one origin; further calls wait, within their deadline. */
const CONNECTIONS = 32;
const OK = 200;

/** The URL where a session's polls are looked up. */
interface LookupReceiver {
  url: string;
  /** Empty if the session has none. */
  token: string;
}

export interface PollQuestion {
  clientId: string;
  chatRoomId: string;
  pollMessageId: string;
}

export type PollAnswer =
  | { options: string[] }
  /** `reason` is for people. `stopped`: the gateway stopped first, which says nothing about the receiver. */
  | { options?: undefined; reason: string; stopped: boolean };

/** Asks receivers for the options of polls that the gateway does not store. One call each, redirects are not followed. */
export class PollLookups {
  readonly #agent: LazyAgent;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #tracing: Tracing;
  #destroyed = false;

  /** @param options.timeoutMs milliseconds for one call */
  constructor({
    allowPrivate,
    clock,
    timeoutMs = LIMITS.pollLookupMs,
    tracing = NO_TRACING,
  }: { allowPrivate: boolean; clock: Clock; timeoutMs?: number; tracing?: Tracing }) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#tracing = tracing;
    this.#agent = new LazyAgent({ allowPrivate, connections: CONNECTIONS, timeoutMs });
  }

  /** Makes one call. Never rejects. */
  async ask(receiver: LookupReceiver, question: PollQuestion): Promise<PollAnswer> {
    try {
      const options = await this.#tracing.in('poll lookup', { kind: 'client' }, ({ context }) =>
        withDeadline(this.#clock, this.#timeoutMs, (signal) =>
          this.#call(receiver, question, signal, traceHeaders(context)),
        ),
      );
      return { options };
    } catch (error) {
      return { reason: describeFailure(error), stopped: this.#destroyed };
    }
  }

  /** Aborts calls in flight and closes all connections. */
  async destroy(): Promise<void> {
    this.#destroyed = true;
    await this.#agent.destroy();
  }

  /** @throws Error if the receiver's answer is invalid */
  async #call(
    receiver: LookupReceiver,
    question: PollQuestion,
    signal: EventEmitter,
    trace: Record<string, string>,
  ): Promise<string[]> {
    const target = readTarget(receiver.url);
    if (!target) throw new Error('pollLookupUrl is no http(s) address');
    const { clientId, chatRoomId, pollMessageId } = question;
    const { statusCode, body } = await this.#agent.request({
      ...target,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': USER_AGENT,
        ...trace,
        ...(target.authorization && { authorization: target.authorization }),
        ...(receiver.token && { authorization: `Bearer ${receiver.token}` }),
      },
      body: JSON.stringify({ clientId, chatRoomId, pollMessageId }),
      highWaterMark: ANSWER_BYTES,
      signal,
    });
    if (statusCode === OK) return readOptions(await readText(body));
    await body.dump({ limit: ANSWER_BYTES });
    const hint = isRedirect(statusCode) ? '; redirects are not followed' : '';
    throw new Error(`answered ${statusCode}${hint}`);
  }
}

async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // leaving the loop closes the connection
    if (size > ANSWER_BYTES) throw new Error(`the answer is longer than ${ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** @throws Error if the text is not the JSON that a receiver must answer */
function readOptions(text: string): string[] {
  const options = parseObject(text)?.options;
  const fits = Array.isArray(options) && options.every((option) => typeof option === 'string');
  if (!fits) throw new Error('the answer must be JSON like {"options": ["…", "…"]}');
  if (options.length > MAX_OPTIONS) throw new Error(`the answer has more than ${MAX_OPTIONS} options`);
  return options;
}
