import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { sessionFilter } from '../../caller.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';
import { failedDeliveryView } from './failed-delivery.js';

const DEFAULT_LIMIT = 100;

interface FailedDeliveriesQuery {
  clientId?: string;
  limit: number;
}

export const failedDeliveries = route({
  method: 'GET',
  path: '/failed-deliveries',
  owner: 'any',
  description: 'Events that no attempt could deliver, newest first',
  query: Joi.object<FailedDeliveriesQuery>({
    clientId: clientId.optional(),
    limit: Joi.number().integer().min(1).max(LIMITS.failedDeliveriesKept).default(DEFAULT_LIMIT),
  }),
  async handler(request, { services }) {
    const filter = { ...sessionFilter(request), limit: request.query.limit };
    const deliveries = await services.deliveries.failed(filter);
    return { failedDeliveries: deliveries.map(failedDeliveryView) };
  },
});
