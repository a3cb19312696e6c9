import Joi from 'joi';
import { parseJson } from '../../../domain/json.js';
import type { Restriction } from '../../link/link.js';

/** The restrictions of a number as the network last reported them. */
export interface KnownRestrictions {
  lock?: Restriction;
  limit?: Restriction;
}

const stored = {
  active: Joi.boolean().required(),
  isWarning: Joi.valid(true),
  cause: Joi.string().allow('').required(),
  until: Joi.number(),
  quota: Joi.number(),
  used: Joi.number(),
};
const schema = Joi.object<KnownRestrictions>({
  lock: Joi.object({ ...stored, kind: Joi.valid('reachout-lock').required() }),
  limit: Joi.object({ ...stored, kind: Joi.valid('new-chat-limit').required() }),
});

/** Reads the restrictions and warnings of a session's record that still hold; none if this release cannot read the text. */
export function readRestrictions(text: string, now: number): KnownRestrictions {
  const { value, error } = schema.validate(parseJson(text));
  return error || !value ? {} : holding(value, now);
}

/** The text for a session's record; empty when nothing restricts the number, and nothing warns of it. */
export function writeRestrictions(known: KnownRestrictions, now: number): string {
  const { lock, limit } = holding(known, now);
  return lock || limit ? JSON.stringify({ lock, limit }) : '';
}

/** False once the end of a restriction has passed, even if the network did not report the end. */
export function lasts({ until = Number.POSITIVE_INFINITY }: Restriction, now: number): boolean {
  return until > now;
}

function holding({ lock, limit }: KnownRestrictions, now: number): KnownRestrictions {
  return {
    ...(lock?.active && lasts(lock, now) && { lock }),
    ...((limit?.active || limit?.isWarning) && lasts(limit, now) && { limit }),
  };
}
