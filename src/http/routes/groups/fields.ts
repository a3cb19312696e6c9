import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { clientId } from '../../schemas.js';

/** A body that names a session and one of its groups. */
export interface GroupBody {
  clientId: string;
  groupJid: string;
}

export const groupFields = {
  clientId,
  groupJid: Joi.string()
    .max(LIMITS.addressLength)
    .pattern(/^[0-9]+(-[0-9]+)?@g\.us$/)
    .messages({ 'string.pattern.base': '{#label} must be the jid of a group: <id>@g.us' })
    .required()
    .example('120363040000000001@g.us'),
} as const;

/** People by LID, `+phone` or jid, each once. */
export const participants = Joi.array()
  .items(Joi.string().max(LIMITS.addressLength))
  .min(1)
  .max(LIMITS.groupParticipants)
  .unique()
  .required()
  .example(['+15550000002', '90000000000003']);
