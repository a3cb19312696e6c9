import { type Address, formatJid } from '../../domain/address.js';
import { isGatewayError } from '../../domain/errors.js';
import type { Link } from '../../link/link.js';
import type { Contacts } from '../contacts.js';

/**
 * The jids of mentioned people. A mention is a LID or phone digits (with or without `+`); what is not known is looked
 * up, and what the network does not know either is taken for a LID, so that the text still goes out.
 */
export function mentionedJids(
  clientId: string,
  mentions: readonly string[],
  contacts: Contacts,
  link: Link,
): Promise<string[]> {
  return Promise.all(
    mentions.map(async (mention) => formatJid(await findMentioned(clientId, mention, contacts, link))),
  );
}

async function findMentioned(
  clientId: string,
  mention: string,
  contacts: Contacts,
  link: Link,
): Promise<Address> {
  const user = mention.replace(/^\+/, '');
  const forms = mention.startsWith('+') ? [{ pn: user }] : [{ lid: user }, { pn: user }];
  for (const form of forms) {
    const contact = await contacts.find(clientId, form);
    if (contact) return addressOf(contact);
  }
  for (const form of forms) {
    const to = form.pn ? `+${user}` : user;
    const address = await contacts.resolve(clientId, to, link).catch(ignoreUnknown);
    if (address) return address;
  }
  return mention.startsWith('+') ? { kind: 'pn', user } : { kind: 'lid', user };
}

/** Nobody by that name, or nobody who says so: the text is worth sending all the same. */
function ignoreUnknown(error: unknown): undefined {
  if (isGatewayError(error, 'recipient_unknown') || isGatewayError(error, 'lookup_failed')) return undefined;
  throw error;
}

function addressOf(contact: { lid: string; pn: string }): Address {
  return contact.lid ? { kind: 'lid', user: contact.lid } : { kind: 'pn', user: contact.pn };
}
