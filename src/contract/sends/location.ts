import Joi from 'joi';
import { LIMITS } from '../../domain/limits.js';
import { characters, envelopeFields } from '../fields.js';
import type { SendPayload, SendRequest } from './send-request.js';

export interface LocationPayload extends SendPayload {
  latitude: number;
  longitude: number;
  name?: string;
  address?: string;
}

const MAX_LATITUDE = 90;
const MAX_LONGITUDE = 180;
const placeText = characters(LIMITS.placeLength).allow('');

export const locationSend: SendRequest<LocationPayload> = {
  path: '/send-location',
  description: 'Send a place',
  payload: Joi.object<LocationPayload>({
    ...envelopeFields,
    latitude: Joi.number()
      .min(-MAX_LATITUDE)
      .max(MAX_LATITUDE)
      .required()
      .description('Degrees')
      .example(52.520008),
    longitude: Joi.number()
      .min(-MAX_LONGITUDE)
      .max(MAX_LONGITUDE)
      .required()
      .description('Degrees')
      .example(13.404954),
    name: placeText.description('Name of the place').example('Berlin office'),
    address: placeText.description('Address of the place').example('Alexanderplatz 1, Berlin'),
  }),
};
