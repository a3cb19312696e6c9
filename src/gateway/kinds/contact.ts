import type { ContactCard } from '../../contract/events/extras.js';
import { type ContactPayload, contactSend } from '../../contract/sends/contact.js';
import { composeVcard, readVcard } from '../../domain/vcard.js';
import { mentioning } from './context-info.js';
import type { Kind, KindSend } from './kind.js';
import type { proto } from './protocol-types.js';

const send: KindSend<ContactPayload> = {
  ...contactSend,
  compose({ displayName, phone = '', vcard }, { mentionedJids }) {
    const card = vcard ?? composeVcard(displayName, phone.replace('+', ''));
    const contacts = [{ displayName, vcard: card, ...mentioning(mentionedJids) }];
    return { contacts: { displayName, contacts } };
  },
};

/** A contact card, or several. */
export const contact: Kind = {
  name: 'contact',
  send,
  storedType: 'contact',
  read({ contactMessage, contactsArrayMessage }) {
    if (contactMessage) {
      const card = readCard(contactMessage);
      return { type: 'contact', body: card.displayName, extra: { contact: card } };
    }
    const contacts = (contactsArrayMessage?.contacts ?? []).map(readCard);
    const [first] = contacts;
    if (!first) return undefined;
    const body = contacts.map(({ displayName }) => displayName).join(', ');
    return {
      type: 'contact',
      body,
      extra: { contact: { ...first, ...(contacts.length > 1 && { contacts }) } },
    };
  },
};

function readCard({ displayName, vcard }: proto.Message.IContactMessage): ContactCard {
  const { name, phone } = readVcard(vcard ?? '');
  return { displayName: displayName || name, phone, vcard: vcard ?? '' };
}
