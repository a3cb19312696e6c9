import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { composeVcard, readVcard } from '../domain/vcard.js';
import type { ContactCard } from '../events/extras.js';
import { mentioning } from './context-info.js';
import { characters, envelopeFields, phoneField, shownText } from './fields.js';
import type { Kind, KindSend, SendPayload } from './kind.js';
import type { proto } from './protocol-types.js';

interface ContactPayload extends SendPayload {
  displayName: string;
  phone?: string;
  vcard?: string;
}

const send: KindSend<ContactPayload> = {
  path: '/send-contact',
  description: 'Send a contact card',
  payload: Joi.object<ContactPayload>({
    ...envelopeFields,
    displayName: shownText(LIMITS.displayNameLength).required().example('Ada Example'),
    phone: phoneField.example('15550000003'),
    vcard: characters(LIMITS.vcardLength)
      .pattern(/^\s*BEGIN:VCARD\r?\n[\s\S]*\nEND:VCARD\s*$/i)
      .messages({ 'string.pattern.base': '{#label} must be a whole vCard, from BEGIN:VCARD to END:VCARD' })
      .example(composeVcard('Ada Example', '15550000003')),
  }).or('phone', 'vcard'),
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
