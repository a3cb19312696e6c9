import type { Kind } from './kind.js';
import { targetOf } from './target.js';

/**
 * A vote in a poll. It is encrypted with the poll's secret, which the content does not hold: what is read here is only
 * the poll that it is about. Who receives it opens it, finds the names of the options and fills in the rest.
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
