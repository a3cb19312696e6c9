import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { sendableKinds } from '../../../kinds/index.js';
import type { KindSend } from '../../../kinds/kind.js';
import { type Route, route } from '../../route.js';

export interface SendHeaders {
  'idempotency-key'?: string;
}

/** The headers that every send route takes. */
export const sendHeaders = Joi.object<SendHeaders>({
  'idempotency-key': Joi.string()
    .max(LIMITS.idempotencyKeyLength)
    .pattern(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/)
    .label('Idempotency-Key')
    .messages({ 'string.pattern.base': '{#label} must be printable ASCII' })
    .description('The same key within 24 h sends once and returns the first answer'),
}).unknown();

/** One send route for each kind of message that can be sent. */
export const sends: Route[] = sendableKinds().map(sendRoute);

function sendRoute(kind: KindSend): Route {
  return route({
    method: 'POST',
    path: kind.path,
    owner: 'session',
    description: kind.description,
    headers: sendHeaders,
    body: kind.payload,
    handler: ({ payload, headers }, { services }) =>
      services.sending.send(kind, payload, headers['idempotency-key']),
  });
}
