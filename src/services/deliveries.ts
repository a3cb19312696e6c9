import type { Dispatcher, Receiver } from '../delivery/dispatch.js';
import type { Clock } from '../domain/clock.js';
import { GatewayError } from '../domain/errors.js';
import { sampleEvent } from '../events/sample.js';
import type { FailedDelivery, FailedDeliveryStore, SessionRecord } from '../store/store.js';
import type { Listeners } from './listeners.js';
import type { Deliveries } from './services.js';

/** What deliveries ask about a session. */
export interface ReceiverLookup {
  /** @throws session_unknown */
  find(clientId: string): Pick<SessionRecord, 'webhookUrl' | 'webhookToken' | 'orgId' | 'lid'>;
}

export interface DeliveriesOptions {
  sessions: ReceiverLookup;
  listening: Pick<Listeners, 'inFrontByHand'>;
  dispatcher: Pick<Dispatcher, 'announce' | 'resend'>;
  failed: FailedDeliveryStore;
  clock: Clock;
}

type Sent = Awaited<ReturnType<Deliveries['resend']>>;

/** Test events, and what could not be delivered. */
export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { sessions, listening, dispatcher, failed, clock } = options;
  /** Deliveries that are being sent again: who asks twice gets one answer, the receiver one event. */
  const resending = new Map<string, Promise<Sent>>();

  /** Who gets the session's events now. @throws webhook_missing */
  function receiverOf(clientId: string): Receiver {
    const { webhookUrl, webhookToken } = sessions.find(clientId);
    const registered = webhookUrl ? { url: webhookUrl, token: webhookToken } : undefined;
    const receiver = listening.inFrontByHand(clientId, registered);
    if (receiver) return receiver;
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
    return dispatcher.resend(delivery, receiverOf(delivery.clientId));
  }

  return {
    async sendTestEvent(clientId, type, fields) {
      const { orgId, lid } = sessions.find(clientId);
      const receiver = receiverOf(clientId);
      const event = sampleEvent(type, { clientId, orgId, myLid: lid, at: clock.now(), fields });
      return { ...(await dispatcher.announce(event, receiver)), signed: receiver.token !== '' };
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
