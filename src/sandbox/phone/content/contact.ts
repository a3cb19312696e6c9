import type { proto } from '@whiskeysockets/baileys';
import type { ContactContent, ContactView } from '../../../contract/sandbox/index.js';
import type { PhoneContent } from './content.js';

/** Somebody's card. */
export const contact: PhoneContent = {
  write: {
    key: 'contact',
    compose({ contact: card }, { contextInfo }) {
      if (!card) return undefined;
      return {
        message: { contactMessage: { ...composeCard(card), ...(contextInfo && { contextInfo }) } },
        shape: { type: 'media', enc: { mediatype: 'vcard' } },
      };
    },
  },
  read({ contactMessage }) {
    if (!contactMessage) return undefined;
    const card = readCard(contactMessage);
    return { type: 'contact', text: card.displayName, contact: card };
  },
};

/** Several cards in one message. */
export const contacts: PhoneContent = {
  write: {
    key: 'contacts',
    compose({ contacts: cards }, { contextInfo }) {
      if (!cards) return undefined;
      const contactsArrayMessage = {
        displayName: `${cards.length} contacts`,
        contacts: cards.map(composeCard),
        ...(contextInfo && { contextInfo }),
      };
      return {
        message: { contactsArrayMessage },
        shape: { type: 'media', enc: { mediatype: 'contact_array' } },
      };
    },
  },
  read({ contactsArrayMessage }) {
    if (!contactsArrayMessage) return undefined;
    const cards = (contactsArrayMessage.contacts ?? []).map(readCard);
    const [first] = cards;
    return {
      type: 'contact',
      text: contactsArrayMessage.displayName ?? '',
      contacts: cards,
      ...(first && { contact: first }),
    };
  },
};

function composeCard({ displayName, phone }: ContactContent): proto.Message.IContactMessage {
  const name = displayName.replace(/[\\,;]/g, '\\$&').replace(/\n/g, '\\n');
  const vcard = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${name};;;`,
    `FN:${name}`,
    `TEL;type=CELL;type=VOICE;waid=${phone.slice(1)}:${phone}`,
    'END:VCARD',
  ].join('\n');
  return { displayName, vcard };
}

function readCard({ displayName, vcard }: proto.Message.IContactMessage): ContactView {
  const card = vcard ?? '';
  return { displayName: displayName ?? '', phone: phoneOf(card), vcard: card };
}

/** The `waid` of the first number in the card, else the number itself. */
function phoneOf(vcard: string): string {
  const line = /^(?:item\d+\.)?TEL(.*):(.*)$/im.exec(vcard);
  if (!line) return '';
  const digits = /waid=(\d+)/i.exec(line[1] ?? '')?.[1] ?? (line[2] ?? '').replace(/\D/g, '');
  return digits && `+${digits}`;
}
