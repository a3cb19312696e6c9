import { isGatewayError } from '../../../domain/errors.js';
import { route } from '../../route.js';
import { deliveryParams, findDelivery } from './failed-delivery.js';

export const resend = route({
  method: 'POST',
  path: '/failed-deliveries/{id}/resend',
  owner: 'session',
  description: 'Send a failed delivery again, with four new attempts; it leaves the list when it arrives',
  params: deliveryParams,
  async sessionOf({ params }, { services }) {
    try {
      return (await services.deliveries.failedOne(String(params.id))).clientId;
    } catch (error) {
      if (isGatewayError(error, 'delivery_unknown')) return undefined;
      throw error;
    }
  },
  async handler(request, { services }) {
    const { id } = await findDelivery(request, services.deliveries);
    return services.deliveries.resend(id);
  },
});
