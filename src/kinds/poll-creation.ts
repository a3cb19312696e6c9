import { randomBytes } from 'node:crypto';
import type { proto } from '@whiskeysockets/baileys';
import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { mentioning } from './context-info.js';
import { envelopeFields, shownText } from './envelope.js';
import type { Content, Kind, KindSend, SendPayload } from './kind.js';

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
   * The message itself, not the library's short form of it: that puts the mentions beside the poll, where nobody looks
   * for them. The secret is what the votes are encrypted with.
   */
  compose({ pollName, pollOptions, selectableCount }, { mentionedJids }) {
    const poll: proto.Message.IPollCreationMessage = {
      name: pollName,
      options: pollOptions.map((optionName) => ({ optionName })),
      selectableOptionsCount: selectableCount,
      ...mentioning(mentionedJids),
    };
    const messageContextInfo = { messageSecret: randomBytes(SECRET_BYTES) };
    // phones keep a poll with one choice in a field of its own
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
    // none means any number
    const selectableCount = poll.selectableOptionsCount || options.length;
    return { type: 'poll_creation', body: name, extra: { poll: { name, options, selectableCount } } };
  },
};

/** The versions differ in who can read them, not in what they say. */
function pollIn(content: Content): proto.Message.IPollCreationMessage | null | undefined {
  return (
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5
  );
}
