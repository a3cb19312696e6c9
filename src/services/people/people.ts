import { type Address, formatJid, parsePhone, parseRecipient } from '../../domain/address.js';
import { GatewayError } from '../../domain/errors.js';
import type { Link } from '../../link/link.js';
import type { Profile } from '../../link/port/people.js';
import type { Logger } from '../../log.js';
import type { Contacts } from '../contacts.js';
import { liveLink } from '../live-links.js';
import { ownJid, requirePaired, type SessionSource } from '../send/paired.js';
import type { OwnerLid, People as PeopleCalls, UserInfo } from '../services.js';

export interface PeopleOptions {
  sessions: SessionSource;
  contacts: Contacts;
  log: Logger;
}

/** Who people are, asked of the network when somebody wants to know. */
export class People implements PeopleCalls {
  readonly #options: PeopleOptions;

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  async userInfo(clientId: string, jid: string): Promise<UserInfo> {
    const address = readPerson(jid);
    const link = await liveLink(this.#options.sessions, clientId);
    const profile = await this.#profile(clientId, address, link);
    if (!profile) throw new GatewayError('not_found', `the network knows nobody by ${jid}`);
    await this.#learn(clientId, profile);
    const { username, status, pictureId, devices, verifiedName } = profile;
    return { jid: jidOf(profile), username, status, pictureId, devices, verifiedName };
  }

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

  /** A number that nobody has may be another form of one that somebody has. */
  async #profile(clientId: string, address: Address, link: Link): Promise<Profile | undefined> {
    const profile = await link.people.profile(await this.#knownAs(clientId, address));
    if (profile || address.kind === 'lid') return profile;
    const found = await this.#options.contacts.lookUp(clientId, address, link);
    if (!found || found.pn === address.user) return undefined;
    return link.people.profile(await this.#knownAs(clientId, { kind: 'pn', user: found.pn }));
  }

  /** By the LID where it is known: the network answers it more willingly. */
  async #knownAs(clientId: string, address: Address): Promise<Address> {
    if (address.kind === 'lid') return address;
    const contact = await this.#options.contacts.find(clientId, { pn: address.user });
    return contact?.lid ? { kind: 'lid', user: contact.lid } : address;
  }

  /** A name is worth a try, but no reason to fail: the number's addresses are the answer. */
  async #usernameOf(clientId: string, link: Link, address: Address): Promise<string> {
    try {
      const profile = await link.people.profile(address);
      if (profile) await this.#learn(clientId, profile);
      return profile?.username ?? '';
    } catch (error) {
      this.#options.log.warn({ err: error, clientId }, 'no username learnt');
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

function jidOf({ lid, pn }: Profile): string {
  return formatJid(lid ? { kind: 'lid', user: lid } : { kind: 'pn', user: pn });
}
