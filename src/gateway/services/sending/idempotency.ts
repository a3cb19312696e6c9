import { createHash } from 'node:crypto';
import type { SendAnswer, SendMediaAnswer } from '../../../contract/index.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { messageIdForKey } from '../../../domain/ids.js';
import type { JsonObject } from '../../../domain/json.js';
import type { Logger } from '../../log.js';
import { readObject } from '../../store/port/json.js';
import type { IdempotencyStore } from '../../store/store.js';

/** The answer of any send. */
export type SentAnswer = SendAnswer &
  SendMediaAnswer & { /** To how many people a status was sent. */ people?: number };

interface KeyedRequest {
  clientId: string;
  key: string;
  route: string;
  payload: object;
}

/**
 * Sends under the message id of the key.
 * @param again the key was used before, and its request may have been carried out
 */
type SendAs = (messageId: string, again: boolean) => Promise<SentAnswer>;

/**
 * One answer for each key within 24 h, across restarts. A repetition that comes while the first request is still
 * running waits for it; one that comes after a crash continues the same message, under the same message id.
 */
export class OncePerKey {
  readonly #store: IdempotencyStore;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #running = new Map<string, { fingerprint: string; answer: Promise<SentAnswer> }>();

  constructor(store: IdempotencyStore, clock: Clock, log: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** @throws GatewayError idempotency_conflict when the key was used for another request. */
  async run(request: KeyedRequest, send: SendAs): Promise<SentAnswer> {
    const fingerprint = fingerprintOf(request);
    const id = `${request.clientId} ${request.key}`;
    const running = this.#running.get(id);
    if (running) {
      requireSame(running.fingerprint, fingerprint);
      return running.answer;
    }
    const answer = this.#claimAndSend(request, fingerprint, send).finally(() => this.#running.delete(id));
    this.#running.set(id, { fingerprint, answer });
    return answer;
  }

  async #claimAndSend(
    { clientId, key }: KeyedRequest,
    fingerprint: string,
    send: SendAs,
  ): Promise<SentAnswer> {
    const createdAt = this.#clock.now();
    const messageId = messageIdForKey(clientId, key, createdAt);
    const own = { key, fingerprint, messageId, answer: '', createdAt };
    const claimed = await this.#store.claim(clientId, own);
    requireSame(claimed.fingerprint, fingerprint);
    if (claimed.answer) return readSent(claimed.answer);
    const answer = await send(claimed.messageId, claimed.messageId !== messageId);
    await this.#store.answer(clientId, key, JSON.stringify(answer)).catch((error: unknown) => {
      // the message is sent anyway: a repetition finds its record
      this.#log.warn({ err: error, clientId }, 'answer not kept for its Idempotency-Key');
    });
    return answer;
  }
}

function requireSame(first: string, second: string): void {
  if (first === second) return;
  const message = 'this Idempotency-Key was used for another request; take a new key';
  throw new GatewayError('idempotency_conflict', message);
}

/** A fingerprint of a request, independent of the order of its fields. */
function fingerprintOf({ route, payload }: KeyedRequest): string {
  return createHash('sha256')
    .update(`${route}\0${JSON.stringify(sorted(payload))}`)
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!value || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** Reads a kept answer. @throws GatewayError `store_unavailable` if it is damaged */
function readSent(text: string): SentAnswer {
  const answer = readObject(text);
  if (isSent(answer)) return answer;
  throw new GatewayError('store_unavailable', 'A kept answer names no message: restore a backup.');
}

function isSent(answer: JsonObject): answer is JsonObject & SentAnswer {
  return typeof answer.status === 'string' && typeof answer.messageId === 'string';
}
