import type { Account } from '../account.js';
import { child, childrenOf, type Stanza, stanza } from '../wire/stanza.js';
import { EMPTY, type IqNamespace } from './iq.js';

/** What businesses tell of themselves; people have nothing of that kind. */
export const business: IqNamespace = {
  xmlns: 'w:biz',
  answer({ network, iq }) {
    const profiles = childrenOf(child(iq, 'business_profile')).flatMap(({ attrs }) => {
      const account = network.registry.byJid(attrs.jid);
      return account?.record.businessName ? [profileElement(account, attrs.jid)] : [];
    });
    return profiles.length > 0 ? { content: [stanza('business_profile', {}, profiles)] } : EMPTY;
  },
};

function profileElement({ record }: Account, jid: string | undefined): Stanza {
  return stanza('profile', { jid }, [
    stanza('description', {}, Buffer.from(record.status)),
    stanza('categories', {}, [stanza('category', { id: '1' }, Buffer.from('Business'))]),
  ]);
}
