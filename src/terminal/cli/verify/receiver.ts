import type { EpochMs } from '../../../domain/clock.js';
import { newDeliveryId } from '../../../domain/ids.js';
import { webhookHeaders } from '../../../domain/webhook-headers.js';
import { type Answer, CALL_TIMEOUT_MS, post } from '../forward.js';

/** Deviations of a call from a normal delivery. */
export interface CallWish {
  /** Replaces the receiver's token; empty for none. */
  token?: string;
  /** Id of an earlier call, to repeat it. */
  deliveryId?: string;
  attempt?: number;
  /** Time of the call. */
  at?: EpochMs;
  /** A previous token that also signs the call, as during a replacement. */
  previousToken?: string;
  /** Replaces the correct signature. */
  signature?: string;
  /** Milliseconds after which the call is aborted. */
  cutAfterMs?: number;
}

/** A receiver of webhooks, as the gateway calls it. */
export class CalledReceiver {
  readonly #url: URL;
  readonly #token: string;
  /** The slowest answer so far, in milliseconds. */
  slowestMs = 0;

  constructor(url: string, token: string) {
    this.#url = new URL(url);
    this.#token = token;
  }

  /** Sends an event. Never rejects. */
  send<Event extends { type: string }>(event: Event, wish: CallWish = {}): Promise<Answer> {
    return this.sendText(event.type, JSON.stringify(event), wish);
  }

  /** Sends any body, which need not be an event. Never rejects. */
  async sendText(type: string, body: string, wish: CallWish = {}): Promise<Answer> {
    const {
      token = this.#token,
      deliveryId = newDeliveryId(),
      attempt = 1,
      at = Date.now(),
      previousToken,
      signature,
    } = wish;
    const previous =
      previousToken === undefined ? undefined : { token: previousToken, until: Number.POSITIVE_INFINITY };
    const facts = { token, previous, type, deliveryId, attempt, body: Buffer.from(body) };
    const headers = webhookHeaders(facts, at);
    if (signature !== undefined) headers['webhook-signature'] = signature;
    const timeoutMs = wish.cutAfterMs ?? CALL_TIMEOUT_MS;
    const answer = await post(this.#url, { headers, body, timeoutMs });
    if (answer.status > 0) this.slowestMs = Math.max(this.slowestMs, answer.ms);
    return answer;
  }
}
