import Joi from 'joi';
import { LIMITS } from '../../domain/limits.js';
import { envelopeFields, shownText } from '../fields.js';
import type { SendPayload, SendRequest } from './send-request.js';

export interface PollPayload extends SendPayload {
  pollName: string;
  pollOptions: string[];
  selectableCount: number;
}

const { pollOptionsMin, pollOptionsMax } = LIMITS;

const numberOfOptions = Joi.ref('pollOptions', {
  adjust: (options: unknown) => (Array.isArray(options) ? options.length : pollOptionsMax),
});

export const pollSend: SendRequest<PollPayload> = {
  path: '/send-poll-message',
  description: 'Send a poll',
  payload: Joi.object<PollPayload>({
    ...envelopeFields,
    pollName: shownText(LIMITS.pollNameLength).required().description('The question').example('Lunch?'),
    pollOptions: Joi.array()
      .items(shownText(LIMITS.pollOptionLength))
      .min(pollOptionsMin)
      .max(pollOptionsMax)
      .unique()
      .required()
      .description('The options')
      .example(['Pizza', 'Soup', 'Salad']),
    selectableCount: Joi.number()
      .integer()
      .min(1)
      .max(numberOfOptions)
      .default(1)
      .messages({ 'number.max': '{#label} must not be more than the number of pollOptions' })
      .description('How many options one person may choose, up to the number of options')
      .example(1),
  }),
};
