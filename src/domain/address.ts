/**
 * The network's addresses as values. The network knows a person by two: the LID (a hidden id, `…@lid`) and the
 * PN (the phone number, `…@s.whatsapp.net`); a group has one (`…@g.us`). Device suffixes (`user:3@server`) belong
 * to the wire and never leave this file's parser.
 */

export const LID_SERVER = 'lid';
export const PN_SERVER = 's.whatsapp.net';
export const GROUP_SERVER = 'g.us';

/** Where statuses are posted: the address of no chat, which callers cannot write to. */
export const STATUS_JID = 'status@broadcast';

/** The jid of a channel (newsletter), which is no chat. */
const CHANNEL = /^[0-9]{1,32}@newsletter$/;

/** True for the jid of a channel. */
export function isChannel(jid: string): boolean {
  return CHANNEL.test(jid);
}

/** One address of a person or a group. `user` is the part before the `@`, without a device. */
export interface Address {
  kind: 'lid' | 'pn' | 'group';
  user: string;
}

/** The known addresses of a person: user-parts without server or device. */
export interface Person {
  lid?: string;
  pn?: string;
}

const SERVER_OF = { lid: LID_SERVER, pn: PN_SERVER, group: GROUP_SERVER } as const;
const KIND_OF: ReadonlyMap<string, Address['kind']> = new Map([
  [LID_SERVER, 'lid'],
  [PN_SERVER, 'pn'],
  [GROUP_SERVER, 'group'],
  // the server name that old clients and some receipts still use for phone numbers
  ['c.us', 'pn'],
  // accounts whose device is hosted by the network itself
  ['hosted', 'pn'],
  ['hosted.lid', 'lid'],
]);
const JID = /^([0-9]+(?:-[0-9]+)?)(?:_[0-9]+)?(?::[0-9]+)?@([a-z.]+)$/;

/** The jid of an address, without a device: `15550000001@s.whatsapp.net`. */
export function formatJid(address: Address): string {
  return `${address.user}@${SERVER_OF[address.kind]}`;
}

/**
 * Parses a jid of a person or a group; drops a device or agent suffix.
 * @returns undefined for anything else: broadcast lists, status, newsletters, malformed text.
 */
export function parseJid(jid: string | null | undefined): Address | undefined {
  const match = JID.exec(jid ?? '');
  if (!match) return undefined;
  const [, user, server] = match;
  const kind = KIND_OF.get(server ?? '');
  return user && kind ? { kind, user } : undefined;
}

/**
 * Parses a recipient of the API: bare digits are a LID, `+digits` in any usual notation a phone number, anything with an
 * `@` a full jid.
 * @returns undefined for anything else
 */
export function parseRecipient(to: string): Address | undefined {
  const text = to.replace(INVISIBLE, '').trim();
  if (text.includes('@')) return parseJid(text);
  if (/^[0-9]{5,20}$/.test(text)) return { kind: 'lid', user: text };
  const user = /^[+\uff0b]/.test(text) ? parsePhone(text) : undefined;
  return user ? { kind: 'pn', user } : undefined;
}

/**
 * Parses a phone number with its country code in any usual notation, with or without `+`: ignores spaces, dashes, dots,
 * slashes, brackets, the `(0)` for calls inside of the country, and invisible characters from copying.
 * @returns its digits; undefined if it is no phone number
 */
export function parsePhone(text: string): string | undefined {
  const plain = text.normalize('NFKC').replace(INVISIBLE, '').trim();
  const digits = plain
    .replace(/^\+/, '')
    .replace(/\(\s*0\s*\)/, '')
    .replace(/[\s().\-/\u2010-\u2015\u2212]/g, '');
  return /^[1-9][0-9]{4,14}$/.test(digits) ? digits : undefined;
}

/** Text direction marks, joiners and soft hyphens, which copied numbers often contain. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** The jids of a person, by LID first. */
export function jidsOf({ lid, pn }: Person): string[] {
  return [
    ...(lid ? [formatJid({ kind: 'lid', user: lid })] : []),
    ...(pn ? [formatJid({ kind: 'pn', user: pn })] : []),
  ];
}

/** The person with the given jids; ignores groups and invalid jids. */
export function personOf(...jids: (string | null | undefined)[]): Person {
  const person: Person = {};
  for (const jid of jids) {
    const address = parseJid(jid);
    if (address?.kind === 'lid') person.lid ??= address.user;
    if (address?.kind === 'pn') person.pn ??= address.user;
  }
  return person;
}
