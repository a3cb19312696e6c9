import { type Address, formatJid, type Person, parseJid, personOf } from '../../../domain/address.js';
import type { NamedPerson } from '../../link/link.js';
import type { Contact, SessionRecord } from '../../store/store.js';
import type { Contacts } from '../identities/contacts.js';
import { roomIdOf } from '../identities/parties.js';

/** The fields of a conversation in an event that is no message. @param at milliseconds since the epoch */
export function conversationOf(session: SessionRecord, remote: Address, at: number) {
  const { clientId, orgId, lid: myLid } = session;
  return {
    clientId,
    orgId,
    timestamp: new Date(at).toISOString(),
    chatRoomId: roomIdOf(session, remote),
    myLid,
    clientLid: remote.kind === 'pn' ? '' : remote.user,
    remoteJid: formatJid(remote),
    isGroup: remote.kind === 'group',
  };
}

/** A person as events name people. */
interface PersonView {
  /** User-part: the LID where known, else the number; empty where neither is known. */
  user: string;
  /** With `+`; empty where not known. */
  phone: string;
  name: string;
}

/** Names the people of events that are no messages. */
export class PeopleNames {
  readonly #contacts: Pick<Contacts, 'find'>;

  constructor(contacts: Pick<Contacts, 'find'>) {
    this.#contacts = contacts;
  }

  async of(session: SessionRecord, { jid, alt }: NamedPerson): Promise<PersonView> {
    const person = personOf(jid, alt);
    if (isOwn(session, person)) return { user: session.lid, phone: plus(session.pn), name: session.name };
    return viewOf(person, await this.#contacts.find(session.clientId, person));
  }

  async ofAll(session: SessionRecord, people: readonly NamedPerson[]): Promise<PersonView[]> {
    const views: PersonView[] = [];
    // sequential: a group may have a thousand members
    for (const person of people) views.push(await this.of(session, person));
    return views;
  }
}

/** The names and addresses of a person; the contact completes the addresses that the network gave. */
export function viewOf({ lid, pn }: Person, contact: Contact | undefined): PersonView {
  return {
    user: lid || contact?.lid || pn || contact?.pn || '',
    phone: plus(pn || contact?.pn || ''),
    name: contact?.name || contact?.pushName || '',
  };
}

/** True for the linked number itself. */
export function isOwn(session: Pick<SessionRecord, 'lid' | 'pn'>, { lid, pn }: Person): boolean {
  return (lid !== undefined && lid === session.lid) || (pn !== undefined && pn === session.pn);
}

/** The chat with a person by LID where it is known; a group as it is. */
export async function chatAddress(
  contacts: Pick<Contacts, 'find'>,
  clientId: string,
  jid: string,
): Promise<Address | undefined> {
  const address = parseJid(jid);
  if (address?.kind !== 'pn') return address;
  const lid = (await contacts.find(clientId, { pn: address.user }))?.lid;
  return lid ? { kind: 'lid', user: lid } : address;
}

function plus(digits: string): string {
  return digits && `+${digits}`;
}
