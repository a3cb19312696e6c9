import type { Request } from '@hapi/hapi';
import Joi from 'joi';
import { GatewayError } from '../../../domain/errors.js';
import { shownUrl } from '../../../domain/shown-url.js';
import type { Deliveries } from '../../../services/services.js';
import type { FailedDelivery } from '../../../store/store.js';
import { confinedTo } from '../../caller.js';
import { route } from '../../route.js';
import type { ClientQuery } from '../../schemas.js';

/** Longer than any id: a ULID has 26 characters. */
const ID_LENGTH = 64;

interface DeliveryParams {
  id: string;
}

export const deliveryParams = Joi.object<DeliveryParams>({ id: Joi.string().max(ID_LENGTH).required() });

export const failedDelivery = route({
  method: 'GET',
  path: '/failed-deliveries/{id}',
  owner: 'any',
  description: 'One failed delivery with the event that it carries',
  params: deliveryParams,
  async handler(request, { services }) {
    const delivery = await findDelivery(request, services.deliveries);
    return { ...failedDeliveryView(delivery), event: eventOf(delivery) };
  },
});

/** A failed delivery as the API shows it, without the event. */
export function failedDeliveryView(delivery: FailedDelivery) {
  const { id, clientId, url, type, messageId, reason, attempts, failedAt } = delivery;
  const at = new Date(failedAt).toISOString();
  return { id, clientId, url: shownUrl(url), type, messageId, reason, attempts, failedAt: at };
}

/**
 * The delivery that a request names, if it belongs to whom the caller may see.
 * @throws GatewayError delivery_unknown, invalid_request when the query names another session
 */
export async function findDelivery(
  request: Request<{ Query: ClientQuery; Params: DeliveryParams; Payload: object; Headers: object }>,
  deliveries: Deliveries,
): Promise<FailedDelivery> {
  const { params, query } = request;
  const delivery = await deliveries.failedOne(params.id);
  const own = confinedTo(request);
  if (own !== undefined && delivery.clientId !== own) {
    // the same answer as for one that is not there
    throw new GatewayError('delivery_unknown', `there is no failed delivery ${params.id}`);
  }
  if (query.clientId !== undefined && query.clientId !== delivery.clientId) {
    throw new GatewayError('invalid_request', `delivery ${params.id} is not of session ${query.clientId}`);
  }
  return delivery;
}

function eventOf({ body }: FailedDelivery): unknown {
  return JSON.parse(body);
}
