import { EventEmitter } from 'node:events';
import { Agent, type Dispatcher } from 'undici';
import type { Clock } from '../domain/clock.js';
import { LIMITS } from '../domain/limits.js';
import { guardedConnector } from './guard.js';
import { isRedirect } from './retry.js';
import { describeFailure, readTarget } from './webhook.js';
import { USER_AGENT } from './webhook-headers.js';

/** Bytes of an answer; a longer one is none. */
const ANSWER_BYTES = 1024 * 1024;
/** Options of an answer: more than any poll has. */
const MAX_OPTIONS = 100;
/** Calls to one origin at the same time; others wait, within their time. */
const CONNECTIONS = 32;
const OK = 200;

/** Where a session's polls are looked up. */
export interface LookupReceiver {
  url: string;
  /** Empty when the session has none. */
  token: string;
}

/** The poll that is asked for. */
export interface PollQuestion {
  clientId: string;
  chatRoomId: string;
  pollMessageId: string;
}

/** What came of a look-up. */
export type PollAnswer =
  | { options: string[] }
  /** `reason` is for people. `stopped`: the gateway stopped first, which says nothing of the receiver. */
  | { options?: undefined; reason: string; stopped: boolean };

export interface PollLookupsOptions {
  /** Permits receivers inside the own network. */
  allowPrivate: boolean;
  clock: Clock;
  /** Milliseconds for one call, from the look-up of the name to the end of the answer. */
  timeoutMs?: number;
}

/** Asks receivers for the options of polls that the gateway does not keep. One call each, redirects not followed. */
export class PollLookups {
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #destroyed = false;

  constructor({ allowPrivate, clock, timeoutMs = LIMITS.pollLookupMs }: PollLookupsOptions) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({
      connections: CONNECTIONS,
      pipelining: 1,
      // the deadline of the call covers both
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guardedConnector({ allowPrivate, timeoutMs }),
    });
  }

  /** Makes the call. Never rejects. */
  async ask(receiver: LookupReceiver, question: PollQuestion): Promise<PollAnswer> {
    const deadline = new EventEmitter();
    let timedOut = false;
    const cancel = this.#clock.after(this.#timeoutMs, () => {
      timedOut = true;
      deadline.emit('abort');
    });
    try {
      return { options: await this.#call(receiver, question, deadline) };
    } catch (error) {
      const reason = timedOut ? `no answer within ${this.#timeoutMs / 1_000} s` : describeFailure(error);
      return { reason, stopped: this.#destroyed };
    } finally {
      cancel();
    }
  }

  /** Breaks off what is under way and closes all connections. */
  async destroy(): Promise<void> {
    this.#destroyed = true;
    await this.#agent.destroy();
  }

  /** @throws when the receiver does not answer as it must */
  async #call(receiver: LookupReceiver, question: PollQuestion, signal: EventEmitter): Promise<string[]> {
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
        ...(receiver.token && { authorization: `Bearer ${receiver.token}` }),
      },
      body: JSON.stringify({ clientId, chatRoomId, pollMessageId }),
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

/** @throws when a text is not what the receiver must answer */
function readOptions(text: string): string[] {
  const answer = parse(text);
  const options = typeof answer === 'object' && answer && 'options' in answer ? answer.options : undefined;
  const fits = Array.isArray(options) && options.every((option) => typeof option === 'string');
  if (!fits) throw new Error('the answer must be JSON like {"options": ["…", "…"]}');
  if (options.length > MAX_OPTIONS) throw new Error(`the answer has more than ${MAX_OPTIONS} options`);
  return options;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
