import type { ExtraEventType, MessageEventType } from '../../../contract/events/catalogue.js';
import { type SampleFields, sampleEvent } from '../../../contract/events/sample.js';
import type { ResendAnswer, TestEventAnswer } from '../../../contract/index.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { WEBHOOK_ID } from '../../../domain/ids.js';
import { toFields } from '../../../domain/reasons.js';
import type { Dispatcher, Receiver } from '../../delivery/dispatch.js';
import type { DeliveryResult } from '../../delivery/job.js';
import type { FailedDelivery, FailedDeliveryStore, FailedFilter, SessionRecord } from '../../store/store.js';
import { previousTokenOf } from '../sessions/previous-token.js';
import { otherReceiverOf, unknownReceiver } from '../sessions/receiver-list.js';
import type { Listeners } from './listeners.js';

/** Sends test events, and resends failed deliveries. */
export function createDeliveries(options: {
  sessions: {
    /** @throws session_unknown */
    find(
      clientId: string,
    ): Pick<
      SessionRecord,
      'webhookUrl' | 'webhookToken' | 'previousToken' | 'previousTokenUntil' | 'receivers' | 'orgId' | 'lid'
    >;
  };
  listening: Pick<Listeners, 'inFrontByHand'>;
  dispatcher: Pick<Dispatcher, 'announce' | 'resend'>;
  failed: FailedDeliveryStore;
  clock: Clock;
}) {
  const { sessions, listening, dispatcher, failed, clock } = options;
  /** Resends in flight: two requests for one delivery share an attempt and an answer. */
  const resending = new Map<string, Promise<ResendAnswer>>();

  /**
   * A receiver for what is sent by hand, also while it is paused: with four attempts, or its own number of them. For the
   * webhook its listener, if there is one.
   * @throws webhook_missing, receiver_unknown
   */
  function receiverOf(clientId: string, id: string = WEBHOOK_ID): Receiver {
    const session = sessions.find(clientId);
    if (id !== WEBHOOK_ID) {
      const other = otherReceiverOf(session, id);
      if (!other) throw unknownReceiver(clientId, id);
      const { paused: _, ...named } = other;
      return { ...named, retry: 'contract' };
    }
    const { webhookUrl: url, webhookToken: token } = session;
    const registered = url ? { url, token, previous: previousTokenOf(session) } : undefined;
    const receiver = listening.inFrontByHand(clientId, registered);
    if (receiver) return receiver;
    throw unknownReceiver(clientId, id);
  }

  async function failedOne(id: string): Promise<FailedDelivery> {
    const delivery = await failed.get(id);
    if (delivery) return delivery;
    throw new GatewayError('delivery_unknown', `there is no failed delivery ${id}`);
  }

  async function sendAgain(id: string): Promise<ResendAnswer> {
    const delivery = await failedOne(id);
    return toAnswer(await dispatcher.resend(delivery, receiverOf(delivery.clientId, delivery.receiver)));
  }

  return {
    /**
     * Sends a realistic event of a type to the session's webhook, or to another receiver.
     * @throws session_unknown, webhook_missing, receiver_unknown, invalid_request for fields that such an event does not have
     */
    async sendTestEvent(
      clientId: string,
      type: MessageEventType | ExtraEventType,
      fields?: SampleFields,
      id?: string,
    ): Promise<TestEventAnswer> {
      const { orgId, lid } = sessions.find(clientId);
      const receiver = receiverOf(clientId, id);
      const event = sampleEvent(type, { clientId, orgId, myLid: lid, at: clock.now(), fields });
      const sent = await dispatcher.announce(event, receiver, { isSample: true });
      return { ...toAnswer(sent), signed: receiver.token !== '' };
    },
    /** Newest first. */
    failed: (filter: FailedFilter): Promise<FailedDelivery[]> => failed.list(filter),
    failedOne,
    /**
     * Sends a failed delivery again with four new attempts. A delivery that succeeds leaves the list.
     * @throws delivery_unknown, webhook_missing, receiver_unknown
     */
    resend(id: string): Promise<ResendAnswer> {
      const running = resending.get(id);
      if (running) return running;
      const sent = sendAgain(id).finally(() => resending.delete(id));
      resending.set(id, sent);
      return sent;
    },
  };
}

function toAnswer({ deliveryId, delivered, reason }: DeliveryResult): ResendAnswer {
  return { deliveryId, delivered, ...toFields(reason) };
}
