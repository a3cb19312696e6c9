import type { Request } from '@hapi/hapi';
import Joi from 'joi';
import { deliveries } from '../../../contract/deliveries.js';
import { isSampleEvent } from '../../../contract/events/sample.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import { parseObject, readJson } from '../../../domain/json.js';
import { placeIn, placeText } from '../../../domain/pages.js';
import { readReason, toFields } from '../../../domain/reasons.js';
import { shownUrl } from '../../../domain/text.js';
import type { Services } from '../../services/services.js';
import type { FailedDelivery } from '../../store/store.js';
import { confinedTo, sessionFilter } from '../caller.js';
import { type Route, route } from '../route.js';

export const deliveryRoutes: readonly Route[] = [
  route(deliveries.sendTestEvent, ({ payload }, { services }) => {
    const { clientId, type, fields, receiver } = payload;
    return services.deliveries.sendTestEvent(clientId, type, fields, receiver);
  }),
  route(deliveries.listenWebhook, async ({ payload }, { services }) => ({
    ok: true,
    ...(await services.listening.listen(payload)),
  })),
  route(deliveries.unlistenWebhook, ({ payload }, { services }) => {
    const ended = services.listening.end(payload.clientId, payload.webhookToken);
    const { clientId, webhookUrl } = services.sessions.get(payload.clientId);
    return { ok: true, clientId, ended, webhookUrl };
  }),
  route(deliveries.listFailedDeliveries, async (request, { services }) => {
    const { clientId, receiver, limit, before } = request.query;
    if (receiver !== undefined && clientId === undefined) {
      throw new GatewayError(
        'invalid_request',
        'receiver needs a clientId: each session has its own receivers',
      );
    }
    const named = receiver !== undefined && { receiver };
    const filter = {
      ...sessionFilter(request),
      ...named,
      limit,
      ...(before && { before: pageEndIn(before) }),
    };
    const found = await services.deliveries.failed(filter);
    const last = found.length === limit ? found.at(-1) : undefined;
    return { failedDeliveries: found.map(view), next: last && placeText(last.failedAt, last.id) };
  }),
  route(deliveries.getFailedDelivery, async (request, { services }) => {
    const delivery = await findDelivery(request, services.deliveries);
    return { ...view(delivery), event: eventOf(delivery) };
  }),
  route(
    deliveries.resendFailedDelivery,
    async (request, { services }) => {
      const { id } = await findDelivery(request, services.deliveries);
      return services.deliveries.resend(id);
    },
    async ({ params }, { services }) => {
      try {
        return (await services.deliveries.failedOne(String(params.id))).clientId;
      } catch (error) {
        if (isGatewayError(error, 'delivery_unknown')) return undefined;
        throw error;
      }
    },
  ),
];

function pageEndIn(text: string): Pick<FailedDelivery, 'failedAt' | 'id'> {
  const { at: failedAt, id } = placeIn(text);
  return { failedAt, id };
}

/** A failed delivery as the API shows it, without the event. */
function view(delivery: FailedDelivery) {
  const { id, clientId, receiver, url, type, messageId, reason, attempts, failedAt } = delivery;
  const at = new Date(failedAt).toISOString();
  const named = receiver !== undefined && { receiver };
  const sample = isSampleEvent(parseObject(delivery.body) ?? {}) && { sample: true };
  const facts = { id, clientId, ...named, url: shownUrl(url), type, messageId, attempts };
  return { ...facts, ...toFields(readReason(reason)), failedAt: at, ...sample };
}

/**
 * The delivery that a request names, if the caller may see it.
 * @throws GatewayError delivery_unknown, invalid_request when the query names another session
 */
async function findDelivery(
  request: Pick<Request, 'auth'> & { params: { id: string }; query: { clientId?: string } },
  stored: Services['deliveries'],
): Promise<FailedDelivery> {
  const { params, query } = request;
  const delivery = await stored.failedOne(params.id);
  const own = confinedTo(request);
  if (own !== undefined && !own.includes(delivery.clientId)) {
    // the same answer as for an unknown delivery, so that its existence is not revealed
    throw new GatewayError('delivery_unknown', `there is no failed delivery ${params.id}`);
  }
  if (query.clientId !== undefined && query.clientId !== delivery.clientId) {
    throw new GatewayError('invalid_request', `delivery ${params.id} is not of session ${query.clientId}`);
  }
  return delivery;
}

function eventOf({ body }: FailedDelivery): Record<string, unknown> {
  return Joi.attempt(readJson(body), Joi.object<Record<string, unknown>>().unknown().required());
}
