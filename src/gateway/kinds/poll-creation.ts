import { randomBytes } from 'node:crypto';
import { type PollPayload, pollSend } from '../../contract/sends/poll.js';
import { mentioning } from './context-info.js';
import type { Content, Kind, KindSend } from './kind.js';
import type { proto } from './protocol-types.js';

const SECRET_BYTES = 32;

const send: KindSend<PollPayload> = {
  ...pollSend,
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
