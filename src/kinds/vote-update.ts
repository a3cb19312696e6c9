import { targetOf } from './content.js';
import type { Kind } from './kind.js';

/**
 * A vote in a poll. It is encrypted with the poll's secret, which the content does not hold, so only the id of the poll is
 * read here. The receiver decrypts the vote and fills in the rest.
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
