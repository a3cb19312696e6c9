import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { count } from './schema.js';

export const keepEvents = count
  .max(LIMITS.keepEventsDays)
  .strict()
  .description(
    'Days for which events are kept, to be [sent again](api.md#sending-events-again); 0 keeps none, and removes those that are kept',
  )
  .example(7);

const MAX_DAYS = 36_500;
export const retentionDays = Joi.number<number | null>()
  .integer()
  .min(0)
  .max(MAX_DAYS)
  .allow(null)
  .strict()
  .description(
    'Messages and files of the session that are older than so many days are deleted; 0 keeps them for ever, `null` follows the setting `--retention-days`',
  );
