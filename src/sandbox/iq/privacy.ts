import { childrenOf, stanza } from '../wire/stanza.js';
import { asker, asks, EMPTY, type IqNamespace } from './iq.js';

/** Without `readreceipts` a client would not send read receipts to others. */
const SETTINGS = ['readreceipts', 'last', 'online', 'profile', 'status', 'groupadd', 'calladd'];

/** What of a person is open to whom; everything to everybody, unless the person wants it otherwise. */
export const privacy: IqNamespace = {
  xmlns: 'privacy',
  answer(request) {
    if (asks(request, 'set', 'tokens')) return { content: [stanza('tokens', {}, [])] };
    const { account } = asker(request);
    if (asks(request, 'set', 'privacy')) {
      for (const { attrs } of childrenOf(request.body)) {
        if (attrs.name && attrs.value) account.setPrivacy(attrs.name, attrs.value);
      }
      account.keep();
    }
    if (!asks(request, 'get', 'privacy')) return EMPTY;
    const categories = SETTINGS.map((name) => stanza('category', { name, value: account.privacy(name) }));
    return { content: [stanza('privacy', {}, categories)] };
  },
};
