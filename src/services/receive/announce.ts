import type { DeliveryResult } from '../../delivery/dispatch.js';
import type { GatewayEvent } from '../../events/catalogue.js';
import type { EventEnvelope } from '../../events/envelope.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import type { StoreSteps } from '../store-steps.js';

/** Where events go. */
export interface Announcer {
  announce(
    event: GatewayEvent,
    receiver: { url: string; token: string } | undefined,
    options?: { keptByCaller?: boolean },
  ): Promise<DeliveryResult>;
}

export interface AnnouncementOptions {
  announcer: Announcer;
  steps: StoreSteps;
  observer: { received(type: string): void; withoutReceiver(): void };
  log: Logger;
}

/**
 * Tells a session's receiver of a message. What could neither be delivered nor kept, because the store was away, is
 * announced again.
 * @param isKept somebody keeps the message until it has arrived
 * @param abandoned aborted when the session is not this node's any more
 * @returns `interrupted` when the gateway stopped first, or the session moved
 */
export async function announceMessage(
  session: SessionRecord,
  event: EventEnvelope,
  isKept: boolean,
  abandoned: AbortSignal,
  options: AnnouncementOptions,
): Promise<'done' | 'interrupted'> {
  const { announcer, steps, observer } = options;
  if (abandoned.aborted) return 'interrupted';
  observer.received(event.type);
  for (;;) {
    const result = await announcer.announce(event, receiverOf(session), { keptByCaller: isKept });
    // what failed after the session had left was not kept either: its next owner tries again
    const isLeft = abandoned.aborted && !result.delivered;
    if (!result.interrupted && !isLeft) {
      if (!result.deliveryId && !session.orgId) noteNoReceiver(event, options);
      return 'done';
    }
    if (steps.stopped || abandoned.aborted) return 'interrupted';
    await steps.back();
  }
}

/** Where a session's events go; undefined when delivery is off. */
export function receiverOf(session: SessionRecord): { url: string; token: string } | undefined {
  return session.webhookUrl ? { url: session.webhookUrl, token: session.webhookToken } : undefined;
}

function noteNoReceiver(
  { clientId, messageId, type }: EventEnvelope,
  { log, observer }: AnnouncementOptions,
): void {
  const why = 'message not delivered: the session has neither a webhook nor an orgId';
  log.info({ clientId, messageId, type }, why);
  observer.withoutReceiver();
}
