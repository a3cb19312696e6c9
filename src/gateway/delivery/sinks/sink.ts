import { type WebhookFacts, webhookHeaders } from '../../../domain/webhook-headers.js';
import type { Publication } from './process/messages.js';

/** Milliseconds for one event, from the name look-up to the acknowledgement. */
export const PUBLISH_TIMEOUT_MS = 15_000;

/** An event for a broker. */
export interface SinkEvent extends WebhookFacts {
  clientId: string;
  /** The chat; events of one chat keep their order, because Kafka uses it as the key. */
  chat: string;
}

/** An open connection to a broker. */
export interface SinkConnection {
  /**
   * Resolves when the broker has stored the event.
   * @throws Error that says why the broker has not stored it
   */
  publish(publication: Publication): Promise<void>;
  /** Closes the connection cleanly. */
  close(): Promise<void>;
}

/** Turns an event into the form for the broker process. */
export function publicationOf(event: SinkEvent, now: number, signedAt: number): Publication {
  const { deliveryId, clientId, type, chat, attempt, body } = event;
  const headers = sinkHeaders(event, now, signedAt);
  return { deliveryId, clientId, type, chat, attempt, body: Buffer.from(body).toString(), headers };
}

/** The headers of a webhook call without the bearer token, which consumers of the broker must not learn. */
function sinkHeaders(event: SinkEvent, now: number, signedAt: number): Record<string, string> {
  const { authorization: _, 'user-agent': __, ...headers } = webhookHeaders(event, now, signedAt);
  return headers;
}
