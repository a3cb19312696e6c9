import { randomBytes } from 'node:crypto';
import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { mentioning } from './context-info.js';
import { envelopeFields, shownText } from './fields.js';
import type { Content, Kind, KindSend, SendPayload } from './kind.js';
import type { proto } from './protocol-types.js';

interface PollPayload extends SendPayload {
  pollName: string;
  pollOptions: string[];
  selectableCount: number;
}

const { pollOptionsMin, pollOptionsMax } = LIMITS;
const SECRET_BYTES = 32;

const numberOfOptions = Joi.ref('pollOptions', {
  adjust: (options: unknown) => (Array.isArray(options) ? options.length : pollOptionsMax),
});

const send: KindSend<PollPayload> = {
  path: '/send-poll-message',
  description: 'Send a poll',
  payload: Joi.object<PollPayload>({
    ...envelopeFields,
    pollName: shownText(LIMITS.pollNameLength).required().example('Lunch?'),
    pollOptions: Joi.array()
      .items(shownText(LIMITS.pollOptionLength))
      .min(pollOptionsMin)
      .max(pollOptionsMax)
      .unique()
      .required()
      .example(['Pizza', 'Soup', 'Salad']),
    selectableCount: Joi.number()
      .integer()
      .min(1)
      .max(numberOfOptions)
      .default(1)
      .messages({ 'number.max': '{#label} must not be more than the number of pollOptions' })
      .example(1),
  }),
  /**
   * Composes the protocol's message: the library's short form puts the mentions beside the poll, where phones ignore them.
   * Votes are encrypted with the secret.
   */
  compose({ pollName, pollOptions, selectableCount }, { mentionedJids }) {
    const poll: proto.Message.IPollCreationMessage = {
      name: pollName,
      options: pollOptions.map((optionName) => ({ optionName })),
      selectableOptionsCount: selectableCount,
      ...mentioning(mentionedJids),
    };
    const messageContextInfo = { messageSecret: randomBytes(SECRET_BYTES) };
    // phones use a separate field for a poll with one choice
    const raw: Content =
      selectableCount === 1
        ? { pollCreationMessageV3: poll, messageContextInfo }
        : { pollCreationMessage: poll, messageContextInfo };
    return { raw };
  },
};

/** A question with options to choose from. */
export const pollCreation: Kind = {
  name: 'poll-creation',
  send,
  storedType: 'poll',
  read(content) {
    const poll = pollIn(content);
    if (!poll) return undefined;
    const name = poll.name ?? '';
    const options = (poll.options ?? []).map(({ optionName }) => optionName ?? '');
    // 0 means any number
    const selectableCount = poll.selectableOptionsCount || options.length;
    return { type: 'poll_creation', body: name, extra: { poll: { name, options, selectableCount } } };
  },
};

/** The poll in any of its versions, which have the same fields and differ only in the clients that can read them. */
function pollIn(content: Content): proto.Message.IPollCreationMessage | null | undefined {
  return (
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5
  );
}
