import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import type { FailedDelivery } from '../../../store/store.js';
import { sessionFilter } from '../../caller.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';
import { failedDeliveryView } from './failed-delivery.js';

const DEFAULT_LIMIT = 100;

interface FailedDeliveriesQuery {
  clientId?: string;
  limit: number;
  before?: string;
}

/** Where a page ends: its last delivery, by the order of the list, as `<failedAt in milliseconds>-<id>`. */
const PLACE = /^([0-9]{1,15})-([A-Za-z0-9]{1,64})$/;

export const failedDeliveries = route({
  method: 'GET',
  path: '/failed-deliveries',
  owner: 'any',
  description: 'Events that no attempt could deliver, newest first',
  query: Joi.object<FailedDeliveriesQuery>({
    clientId: clientId.optional(),
    limit: Joi.number().integer().min(1).max(LIMITS.failedDeliveriesKept).default(DEFAULT_LIMIT),
    before: Joi.string()
      .pattern(PLACE)
      .messages({ 'string.pattern.base': '{#label} must be the "next" of an earlier page' }),
  }),
  async handler(request, { services }) {
    const { limit, before } = request.query;
    const filter = { ...sessionFilter(request), limit, ...(before && { before: placeOf(before) }) };
    const deliveries = await services.deliveries.failed(filter);
    const last = deliveries.length === limit ? deliveries.at(-1) : undefined;
    return {
      failedDeliveries: deliveries.map(failedDeliveryView),
      ...(last && { next: `${last.failedAt}-${last.id}` }),
    };
  },
});

function placeOf(text: string): Pick<FailedDelivery, 'failedAt' | 'id'> {
  const [, failedAt = '', id = ''] = PLACE.exec(text) ?? [];
  return { failedAt: Number(failedAt), id };
}
