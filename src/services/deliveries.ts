import type { Dispatcher } from '../delivery/dispatch.js';
import type { Clock } from '../domain/clock.js';
import { GatewayError } from '../domain/errors.js';
import { sampleEvent } from '../events/sample.js';
import type { FailedDelivery, FailedDeliveryStore, SessionRecord } from '../store/store.js';
import type { Deliveries } from './services.js';

/** What deliveries ask about a session. */
export interface ReceiverLookup {
  /** @throws session_unknown */
  find(clientId: string): Pick<SessionRecord, 'webhookUrl' | 'webhookToken' | 'orgId' | 'lid'>;
}

export interface DeliveriesOptions {
  sessions: ReceiverLookup;
  dispatcher: Pick<Dispatcher, 'announce' | 'resend'>;
  failed: FailedDeliveryStore;
  clock: Clock;
}

type Sent = Awaited<ReturnType<Deliveries['resend']>>;

/** Test events, and what could not be delivered. */
export function createDeliveries({ sessions, dispatcher, failed, clock }: DeliveriesOptions): Deliveries {
  /** Deliveries that are being sent again: who asks twice gets one answer, the receiver one event. */
  const resending = new Map<string, Promise<Sent>>();

  function withWebhook(clientId: string) {
    const { webhookUrl, webhookToken, orgId, lid } = sessions.find(clientId);
    if (webhookUrl) return { receiver: { url: webhookUrl, token: webhookToken }, orgId, lid };
    const message = `session ${clientId} has no webhookUrl; set it with /set-webhook`;
    throw new GatewayError('webhook_missing', message);
  }

  async function failedOne(id: string): Promise<FailedDelivery> {
    const delivery = await failed.get(id);
    if (delivery) return delivery;
    throw new GatewayError('delivery_unknown', `there is no failed delivery ${id}`);
  }

  async function sendAgain(id: string): Promise<Sent> {
    const delivery = await failedOne(id);
    return dispatcher.resend(delivery, withWebhook(delivery.clientId).receiver);
  }

  return {
    async sendTestEvent(clientId, type) {
      const { receiver, orgId, lid } = withWebhook(clientId);
      const event = sampleEvent(type, { clientId, orgId, myLid: lid, at: clock.now() });
      return dispatcher.announce(event, receiver);
    },
    failed: (filter) => failed.list(filter),
    failedOne,
    resend(id) {
      const running = resending.get(id);
      if (running) return running;
      const sent = sendAgain(id).finally(() => resending.delete(id));
      resending.set(id, sent);
      return sent;
    },
  };
}
