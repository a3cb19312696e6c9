import type { BlockedPerson, OwnerLid, UserInfo } from '../../../contract/index.js';
import { type Address, formatJid, type Person, parsePhone, parseRecipient } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import type { Profile } from '../../link/directory.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Contact } from '../../store/store.js';
import { liveLink, ownJid, requirePaired, type SessionSource } from '../access.js';
import type { Contacts } from './contacts.js';

/**
 * Profiles and addresses of people, asked from the network, and the block list. All methods throw session_unknown,
 * session_unpaired, session_not_connected, lookup_failed.
 */
export class People {
  readonly #options;

  constructor(options: {
    sessions: SessionSource;
    contacts: Contacts;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** @throws not_found when the network knows no such person, invalid_request if the jid is not of a person */
  async userInfo(clientId: string, jid: string, { withContact = false } = {}): Promise<UserInfo> {
    const address = readPerson(jid);
    const link = await liveLink(this.#options.sessions, clientId);
    const profile = await this.#profile(clientId, address, link);
    if (!profile) throw new GatewayError('not_found', `the network knows nobody by ${jid}`);
    await this.#learn(clientId, profile);
    const { lid, pn, username, status, pictureId, devices, verifiedName } = profile;
    const person = { ...(lid && { lid }), ...(pn && { pn }) };
    const contact = withContact && (await this.#described(clientId, person));
    return { ...contact, jid: jidOf(profile), username, status, pictureId, devices, verifiedName };
  }

  /** @param number may be empty */
  async ownerLid(clientId: string, number: string): Promise<OwnerLid> {
    const session = requirePaired(this.#options.sessions, clientId);
    const { lid, pn } = session.record;
    const own = { myLid: lid, myJid: pn ? formatJid({ kind: 'pn', user: pn }) : ownJid(session), number };
    if (!number) return { ...own, ...NOBODY };
    const user = parsePhone(number);
    if (!user)
      throw new GatewayError('invalid_request', 'number must be a phone number with its country code');
    const link = await liveLink(this.#options.sessions, clientId);
    const address: Address = { kind: 'pn', user };
    const found = await this.#options.contacts.lookUp(clientId, address, link);
    if (!found) return { ...own, ...NOBODY };
    const known: Address = { kind: 'pn', user: found.pn || user };
    return {
      ...own,
      isOnWhatsApp: true,
      numberJid: formatJid(known),
      numberLid: found.lid,
      username: await this.#usernameOf(clientId, link, await this.#knownAs(clientId, known)),
    };
  }

  /** The block list, as the network has it now. */
  async blocked(clientId: string): Promise<BlockedPerson[]> {
    const link = await liveLink(this.#options.sessions, clientId);
    const people = await link.account.blocked();
    return Promise.all(people.map((person) => this.#described(clientId, person)));
  }

  /** @throws recipient_unknown, invalid_request, account_rejected */
  async setBlocked(clientId: string, jid: string, isBlocked: boolean): Promise<void> {
    readPerson(jid);
    const { sessions, contacts } = this.#options;
    const link = await liveLink(sessions, clientId);
    const { kind, user } = await contacts.resolve(clientId, jid, link, 'jid');
    const { record } = sessions.find(clientId);
    if (user === (kind === 'lid' ? record.lid : record.pn))
      throw new GatewayError('invalid_request', 'jid must not be the linked number itself');
    const named = kind === 'lid' ? { lid: user } : { pn: user };
    const contact = await contacts.find(clientId, named);
    await link.account.setBlocked({ ...filled(contact), ...named }, isBlocked);
  }

  async #described(clientId: string, person: Person): Promise<BlockedPerson> {
    const contact = await this.#options.contacts.find(clientId, person);
    const { lid = '', pn = '' } = { ...filled(contact), ...person };
    return {
      jid: jidOf({ lid, pn }),
      phone: pn ? `+${pn}` : '',
      displayName: contact?.name || contact?.pushName || '',
    };
  }

  /** Reads a profile. If nobody has the number, tries the network's form of it: some countries write mobile numbers in two ways. */
  async #profile(clientId: string, address: Address, link: Link): Promise<Profile | undefined> {
    const profile = await link.people.profile(await this.#knownAs(clientId, address));
    if (profile || address.kind === 'lid') return profile;
    const found = await this.#options.contacts.lookUp(clientId, address, link);
    if (!found || found.pn === address.user) return undefined;
    return link.people.profile(await this.#knownAs(clientId, { kind: 'pn', user: found.pn }));
  }

  /** The person's LID if it is known: the network answers look-ups of LIDs more reliably. */
  async #knownAs(clientId: string, address: Address): Promise<Address> {
    if (address.kind === 'lid') return address;
    const contact = await this.#options.contacts.find(clientId, { pn: address.user });
    return contact?.lid ? { kind: 'lid', user: contact.lid } : address;
  }

  /** The username of a person; empty if it cannot be read, because the answer is useful without it. */
  async #usernameOf(clientId: string, link: Link, address: Address): Promise<string> {
    try {
      const profile = await link.people.profile(address);
      if (profile) await this.#learn(clientId, profile);
      return profile?.username ?? '';
    } catch (error) {
      this.#options.log.warn({ err: error, clientId }, 'username not read');
      return '';
    }
  }

  async #learn(clientId: string, { lid, pn, username }: Profile): Promise<void> {
    const known = { ...(lid && { lid }), ...(pn && { pn }), ...(username && { username }) };
    await this.#options.contacts.learn(clientId, { ...known, source: 'lookup' });
  }
}

const NOBODY = { isOnWhatsApp: false, numberJid: '', numberLid: '', username: '' };

/** @throws GatewayError invalid_request */
function readPerson(jid: string): Address {
  const address = parseRecipient(jid);
  if (address && address.kind !== 'group') return address;
  const text = 'jid must be a person: a LID (digits), +phone, or a full jid (…@lid, …@s.whatsapp.net)';
  throw new GatewayError('invalid_request', text);
}

/** The known addresses of a contact. */
function filled(contact: Contact | undefined): Person {
  return { ...(contact?.lid && { lid: contact.lid }), ...(contact?.pn && { pn: contact.pn }) };
}

function jidOf({ lid, pn }: Pick<Profile, 'lid' | 'pn'>): string {
  return formatJid(lid ? { kind: 'lid', user: lid } : { kind: 'pn', user: pn });
}
