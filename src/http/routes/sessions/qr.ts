import Joi from 'joi';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface QrQuery {
  clientId: string;
  format: 'png' | 'text';
}

export const qr = route({
  method: 'GET',
  path: '/qr',
  owner: 'session',
  description: 'The current pairing QR: a PNG data URL, or the text inside it',
  query: Joi.object<QrQuery>({ clientId, format: Joi.valid('png', 'text').default('png') }),
  async handler({ query }, { services, qrImages }) {
    const current = services.sessions.qr(query.clientId);
    if (!current.qr || query.format === 'text') return current;
    return { ...current, qr: await qrImages.dataUrl(current.qr) };
  },
});
