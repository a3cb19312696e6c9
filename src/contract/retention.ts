import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { count } from './schema.js';

export const keepEvents = count
  .max(LIMITS.keepEventsDays)
  .strict()
  .description('Days for which events are kept for `/replay`; 0 for none')
  .example(7);

const MAX_DAYS = 36_500;
export const retentionDays = Joi.number<number | null>()
  .integer()
  .min(0)
  .max(MAX_DAYS)
  .allow(null)
  .strict()
  .description(
    'Days after which messages and their files are deleted; 0 keeps them for ever, `null` uses the setting `--retention-days`',
  );
