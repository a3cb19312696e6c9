import { stanza } from '../wire/stanza.js';
import { asks, EMPTY, type IqNamespace } from './iq.js';

/** Everything is open to everybody; without `readreceipts` a client would not send read receipts to others. */
const CATEGORIES = ['readreceipts', 'last', 'online', 'profile', 'status', 'groupadd', 'calladd'];

export const privacy: IqNamespace = {
  xmlns: 'privacy',
  answer(request) {
    if (asks(request, 'set', 'tokens')) return { content: [stanza('tokens', {}, [])] };
    if (!asks(request, 'get', 'privacy')) return EMPTY;
    const categories = CATEGORIES.map((name) => stanza('category', { name, value: 'all' }));
    return { content: [stanza('privacy', {}, categories)] };
  },
};
