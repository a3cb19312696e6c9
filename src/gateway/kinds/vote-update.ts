import { targetOf } from './content.js';
import type { Kind } from './kind.js';

/**
 * A vote in a poll. The vote is encrypted with the poll's secret, which the content does not hold, so only the id of the
 * poll is read here. `services/messages/read` decrypts the vote and adds the rest.
 */
export const voteUpdate: Kind = {
  name: 'vote-update',
  storedType: 'vote_update',
  read(content) {
    const target = content.pollUpdateMessage && targetOf(content);
    if (!target) return undefined;
    const pollVote = {
      pollMessageId: target.messageId,
      voter: '',
      resolved: false,
      selectedOptions: [],
      selectedHashes: [],
    };
    return { type: 'vote_update', body: '', extra: { pollVote } };
  },
};
