import Joi from 'joi';
import { LIMITS } from '../../domain/limits.js';
import { composeVcard } from '../../domain/vcard.js';
import { characters, envelopeFields, phoneField, shownText } from '../fields.js';
import type { SendPayload, SendRequest } from './send-request.js';

export interface ContactPayload extends SendPayload {
  displayName: string;
  phone?: string;
  vcard?: string;
}

export const contactSend: SendRequest<ContactPayload> = {
  path: '/send-contact',
  description: 'Send a contact card',
  payload: Joi.object<ContactPayload>({
    ...envelopeFields,
    displayName: shownText(LIMITS.displayNameLength)
      .required()
      .description('The name on the card')
      .example('Ada Example'),
    phone: phoneField
      .description(
        'Digits with the country code, `+` optional; the gateway makes a vCard 3.0 from name and number',
      )
      .example('15550000003'),
    vcard: characters(LIMITS.vcardLength)
      .pattern(/^\s*BEGIN:VCARD\r?\n[\s\S]*\nEND:VCARD\s*$/i)
      .messages({ 'string.pattern.base': '{#label} must be a whole vCard, from BEGIN:VCARD to END:VCARD' })
      .description('A whole vCard 3.0, sent unchanged; overrides `phone`')
      .example(composeVcard('Ada Example', '15550000003')),
  }).or('phone', 'vcard'),
};
