import type { Account, Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { IqError } from '../wire/refusals.js';
import { type Stanza, stanza } from '../wire/stanza.js';

const VISIBILITY = ['all', 'contacts', 'contact_blacklist', 'none'];

/**
 * The privacy settings by their names on the wire, with their values (zapo `protocol/privacy.ts`). A client sends read
 * receipts to others only when `readreceipts` is in the answer.
 */
const SETTINGS: Record<string, readonly string[]> = {
  readreceipts: ['all', 'none'],
  last: VISIBILITY,
  online: ['all', 'match_last_seen'],
  profile: VISIBILITY,
  status: VISIBILITY,
  groupadd: ['all', 'contacts', 'contact_blacklist'],
  calladd: ['all', 'known', 'contacts'],
  messages: ['all', 'contacts'],
  // whatsmeow `types/user.go`
  defense: ['off', 'on_standard'],
  stickers: ['contacts', 'contact_allowlist', 'none'],
};
const DEFAULT = 'all';
/** The settings that do not begin with `all`. */
const DEFAULTS: Record<string, string> = { defense: 'off', stickers: 'contacts' };
const DENY_LIST = 'contact_blacklist';
/** The version of a list that the client does not know. */
const NO_VERSION = 'none';

/** True when the value of a person's setting lets the other one through; the person passes always. */
export function allows(owner: Account, setting: string, other: Account): boolean {
  const value = settingOf(owner, setting);
  if (owner === other || value === 'all') return true;
  if (value === 'none' || owner.record.contacts?.[other.lid] === undefined) return false;
  return value !== DENY_LIST || !deniedBy(owner, setting).people.includes(other.lid);
}

function settingOf({ record }: Account, setting: string): string {
  return record.privacy?.[setting] ?? DEFAULTS[setting] ?? DEFAULT;
}

function deniedBy({ record }: Account, setting: string): { version: string; people: string[] } {
  return record.denied?.[setting] ?? { version: NO_VERSION, people: [] };
}

/** All settings of a person. */
export function privacyOf(account: Account): Record<string, string> {
  return Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, settingOf(account, name)]));
}

/** All settings as the answer of a query. */
export function privacyElement(account: Account): Stanza {
  return stanza(
    'privacy',
    {},
    Object.entries(privacyOf(account)).map(([name, value]) => stanza('category', { name, value })),
  );
}

/** The deny list of a setting; the network leaves it out while the setting has another value (zapo `events/privacy.ts`). */
export function denyListElement(network: Network, account: Account, name: string): Stanza {
  if (settingOf(account, name) !== DENY_LIST) return stanza('privacy', {}, []);
  const { version, people } = deniedBy(account, name);
  const users = people.flatMap((lid) => {
    const person = network.directory.byLid(lid);
    return person ? [stanza('user', { jid: person.jid('lid'), pn_jid: person.jid('pn') })] : [];
  });
  const list = stanza('list', { name, value: DENY_LIST, dhash: version }, users);
  return stanza('privacy', {}, [list]);
}

/** A change of one setting. */
export interface PrivacyChange {
  name: string;
  value: string;
  /** The version of the deny list that the client knows. */
  version?: string | undefined;
  /** Changes of the deny list; the person is undefined when the network does not know the address. */
  people: { person: Account | undefined; action: string | undefined }[];
}

/**
 * Changes a setting and its deny list, and tells the other devices of the account.
 * @param author the device that changes it; undefined for the phone
 * @returns the element of the answer
 * @throws IqError 400 for an unknown setting, value or person; 409 when the deny list has another version
 */
export function changePrivacy(
  network: Network,
  account: Account,
  { name, value, version, people }: PrivacyChange,
  author?: Companion,
): Stanza {
  const known = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
  if (!known?.includes(value)) throw new IqError(400, 'bad-request');
  account.record.privacy = { ...account.record.privacy, [name]: value };
  const before = deniedBy(account, name);
  const isList = value === DENY_LIST;
  if (isList && version !== undefined && version !== before.version) throw new IqError(409, 'conflict');
  if (isList && people.length > 0) {
    const denied = new Set(before.people);
    for (const { person, action } of people) {
      if (!person || (action !== 'add' && action !== 'remove')) throw new IqError(400, 'bad-request');
      if (action === 'add') denied.add(person.lid);
      else denied.delete(person.lid);
    }
    const list = { version: nextVersion(network, before.version), people: [...denied] };
    account.record.denied = { ...account.record.denied, [name]: list };
  }
  account.keep();
  const dhash = isList ? deniedBy(account, name).version : undefined;
  const changed = stanza('privacy', {}, [stanza('category', { name, value, dhash })]);
  tellDevices(network, account, changed, author);
  return changed;
}

/** The time in milliseconds; a later one when two changes come in one millisecond. */
export function nextVersion(network: Network, before: string | undefined): string {
  const last = Number(before);
  return String(Math.max(network.clock.now(), Number.isFinite(last) ? last + 1 : 0));
}

/** Tells the devices of an account about a change of its settings, but the one that made it (whatsmeow `notification.go`). */
export function tellDevices(
  network: Network,
  account: Account,
  change: Stanza,
  author: Companion | undefined,
): void {
  for (const companion of account.companions.values())
    if (companion !== author)
      network.notify(companion, { from: account.jid('pn'), type: 'account_sync' }, [change]);
}

/** Sets the expiry of the messages in new chats, in seconds, and tells the other devices of the account. */
export function setDisappearing(
  network: Network,
  account: Account,
  duration: number,
  author?: Companion,
): void {
  const at = network.now();
  account.record.disappearing = { duration, at };
  account.keep();
  const change = stanza('disappearing_mode', { duration: String(duration), t: String(at) });
  tellDevices(network, account, change, author);
}
