import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
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

/** The name and phone number in a vCard. */
interface CardFacts {
  /** Name; empty if the card has none. */
  name: string;
  /** With `+` if the card has the country code, otherwise the digits as written; empty if the card has no number. */
  phone: string;
}

/** A parsed line of a vCard. */
interface Property {
  /** Name in upper case, without its group: `FN` or `TEL`. */
  name: string;
  /** `;type=CELL;waid=15550000003` */
  params: string;
  value: string;
}

const PROPERTY = /^(?:[\w-]+\.)?(FN|TEL)((?:;(?:"[^"]*"|[^":;])*)*):(.*)$/i;

/**
 * A vCard 3.0 of a person with one phone number. `waid` makes phones offer to write to that number.
 * @param phone digits with the country code
 */
export function composeVcard(displayName: string, phone: string): string {
  const name = escaped(displayName);
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${name};;;`,
    `FN:${name}`,
    `TEL;type=CELL;type=VOICE;waid=${phone}:+${phone}`,
    'END:VCARD',
  ].join('\n');
}

/** Reads a vCard of any version. */
export function readVcard(vcard: string): CardFacts {
  const properties = propertiesOf(vcard);
  const name = properties.find((property) => property.name === 'FN')?.value ?? '';
  const phones = properties.filter((property) => property.name === 'TEL');
  const known = phones.map(({ params }) => /;waid="?(\d+)/i.exec(params)?.[1]).find(Boolean);
  return { name: unescaped(name), phone: known ? `+${known}` : phoneOf(phones[0]?.value ?? '') };
}

function propertiesOf(vcard: string): Property[] {
  // a line that begins with a space continues the previous one
  const lines = vcard
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, params, value] = PROPERTY.exec(line) ?? [];
    return name && value ? [{ name: name.toUpperCase(), params: params ?? '', value: value.trim() }] : [];
  });
}

function phoneOf(value: string): string {
  const written = value.replace(/^tel:/i, '').split(/;|,/, 1)[0] ?? '';
  const digits = written.replace(/\D/g, '');
  return digits && written.trim().startsWith('+') ? `+${digits}` : digits;
}

/** Escapes a value (RFC 2426, section 5). */
function escaped(text: string): string {
  return text.replace(/[\\,;]/g, '\\$&').replace(/\r\n?|\n/g, '\\n');
}

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, char: string) => (/n/i.test(char) ? '\n' : char));
}
