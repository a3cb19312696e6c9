/** For programs that receive webhooks: `verifyWebhook` checks a call and returns its event; `type` is the discriminator. */

import type { GatewayEvent } from '../contract/events/catalogue.js';
import type { WebhookEvent } from './generated/operations.generated.js';
import { type VerifyOptions, verifyWebhook as verify } from './verify.js';

export type * from './generated/operations.generated.js';
export {
  type VerificationFault,
  type VerifyOptions,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify.js';

/**
 * Checks the bearer token, the Standard Webhooks signature and the age of a call from the gateway.
 * @returns the event
 * @throws WebhookVerificationError if one of them is missing or wrong
 */
export function verifyWebhook(options: VerifyOptions): WebhookEvent {
  const event = verify(options);
  if (isWebhookEvent(event)) return event;
  throw new TypeError('the event has no type');
}

/** Narrows a verified event by its `type`, which the signature proves. */
function isWebhookEvent(event: GatewayEvent): event is WebhookEvent {
  return event.type !== '';
}
