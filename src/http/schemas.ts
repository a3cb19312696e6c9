import Joi from 'joi';
import { envelopeFields } from '../kinds/envelope.js';

const URL_LENGTH = 2_048;
const PRINTABLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** The query of routes that need no session: `clientId` is accepted everywhere. */
export interface ClientQuery {
  clientId?: string;
}

/** A body or query that names a session and nothing else. */
export interface ClientBody {
  clientId: string;
}

export const clientId = envelopeFields.clientId;
export const clientQuery = Joi.object<ClientQuery>({ clientId: clientId.optional() });
export const requiredClient = Joi.object<ClientBody>({ clientId });

/** An absolute http(s) address, or nothing: `""` takes one away. */
export const receiverUrl = httpUrl(URL_LENGTH).allow('').example('https://example.com/webhook');

/** An absolute http(s) address. */
export function httpUrl(maxLength: number): Joi.StringSchema {
  return Joi.string()
    .max(maxLength)
    .custom((value: string, helpers) => (isHttpUrl(value) ? value : helpers.error('string.httpUrl')))
    .messages({ 'string.httpUrl': '{#label} must be an absolute http(s) URL' });
}

/** A secret that travels in a header, so it can only hold what headers can: printable ASCII, no space at the ends. */
export function headerSecret(bounds: { min: number; max: number }): Joi.StringSchema {
  return Joi.string().allow('').min(bounds.min).max(bounds.max).pattern(PRINTABLE).messages({
    // the usual message repeats the value
    'string.pattern.base': '{#label} must be printable ASCII without spaces at its ends',
  });
}

function isHttpUrl(text: string): boolean {
  // the URL parser alone would take "http:example.com" and addresses with spaces around them
  return /^https?:\/\/[^\s/]\S*$/i.test(text) && URL.canParse(text);
}
