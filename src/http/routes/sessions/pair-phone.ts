import Joi from 'joi';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface PairPhoneBody {
  clientId: string;
  phone: string;
}

const phone = Joi.string()
  .pattern(/^\+?[1-9][0-9]{4,14}$/)
  .messages({ 'string.pattern.base': '{#label} must be digits with the country code, such as 15550000001' })
  .example('15550000001');

export const pairPhone = route({
  method: 'POST',
  path: '/pair-phone',
  owner: 'session',
  description: 'A code to type on the phone, instead of scanning the QR',
  body: Joi.object<PairPhoneBody>({ clientId, phone: phone.required() }),
  async handler({ payload }, { services }) {
    const digits = payload.phone.replace('+', '');
    const code = await services.sessions.pairPhone(payload.clientId, digits);
    return { clientId: payload.clientId, phone: digits, code };
  },
});
