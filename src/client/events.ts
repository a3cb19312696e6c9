/**
 * For programs that receive webhooks: `verifyWebhook` checks a call and returns its event, whose `type` says which it is.
 */
import { type VerifyOptions, verifyWebhook as verify } from '../delivery/verify.js';
import type { GatewayEvent } from '../events/catalogue.js';
import type { WebhookEvent } from './operations.js';

export {
  type VerificationFault,
  type VerifyOptions,
  type WebhookHeaders,
  WebhookVerificationError,
} from '../delivery/verify.js';
export type * from './operations.js';

/**
 * Checks the bearer token, the Standard Webhooks signature and the age of a call from the gateway.
 * @returns the event
 * @throws WebhookVerificationError when any of it is missing or wrong
 */
export function verifyWebhook(options: VerifyOptions): WebhookEvent {
  const event = verify(options);
  if (isWebhookEvent(event)) return event;
  throw new TypeError('the event has no type');
}

/** A signed event is what its `type` says. */
function isWebhookEvent(event: GatewayEvent): event is WebhookEvent {
  return event.type !== '';
}
