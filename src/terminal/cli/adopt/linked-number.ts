import type { AdoptRequest, MovedSettings } from '../../../contract/index.js';
import { isObject, type JsonObject } from '../../../domain/json.js';

/** A Signal key as another program stores it. */
export interface StoredKey {
  /** The protocol library's name of the key family. */
  type: string;
  id: string;
  value: unknown;
}

/** A number in the store of another program, which is never written. */
export interface LinkedNumber {
  /** Name of the new session. */
  clientId: string;
  /** Where the number was found, for people. */
  place: string;
  credentials: JsonObject;
  /** Its keys, read one by one. */
  keys(): AsyncIterable<StoredKey>;
  /** Number of keys by family. */
  counts: Readonly<Record<string, number>>;
  /** A sign that the other program runs, as a clause; empty if there is none. */
  inUse: string;
  webhookUrl?: string;
  webhookToken?: string;
  orgId?: string;
  /** For a number of another Switchboard: its other settings, and its last received messages. */
  moved?: { settings: MovedSettings; received: NonNullable<AdoptRequest['received']> };
  /** Names of unreadable keys, which are left out. */
  unreadable: readonly string[];
}

/** The key families by the library's names, with the consequence if a family is missing; empty if there is none. */
const FAMILIES: Readonly<Record<string, string>> = {
  session: 'no Signal sessions: the first message of each chat may be sent twice',
  'pre-key': 'no pre-keys: first messages that are under way cannot be read at once',
  'app-state-sync-key': 'no app-state keys: archived and muted chats follow later',
  'app-state-sync-version': '',
  'sender-key': '',
  'sender-key-memory': '',
  'lid-mapping': '',
  'device-list': '',
  'identity-key': '',
  tctoken: '',
};

/** Longest names first, because `sender-key-memory-…` is not a `sender-key`. */
const LONGEST_FIRST = Object.keys(FAMILIES).sort((a, b) => b.length - a.length);

/** The device of the number, as `15550000001:3@s.whatsapp.net`; empty if the pairing was not finished. */
export function deviceOf({ me, account }: JsonObject): string {
  const id = isObject(me) ? me.id : undefined;
  return isObject(account) && typeof id === 'string' && /^\d+:\d+@/.test(id) ? id : '';
}

/** Own phone number, digits only; empty if the pairing was not finished. */
export function numberOf(credentials: JsonObject): string {
  return deviceOf(credentials).replace(/:.*/, '');
}

/** The number's own jid, as the API shows it; empty if the pairing was not finished. */
export function ownJid(credentials: JsonObject): string {
  const number = numberOf(credentials);
  return number && `${number}@s.whatsapp.net`;
}

/** Parses the name of a key, `<family>-<id>`; undefined if it names no key. */
export function keyNamed(name: string): { type: string; id: string } | undefined {
  const type = LONGEST_FIRST.find((family) => name.startsWith(`${family}-`));
  return type === undefined ? undefined : { type, id: name.slice(type.length + 1) };
}

/** Describes the missing key families of a number. */
export function missingIn({ counts }: Pick<LinkedNumber, 'counts'>): string[] {
  return Object.entries(FAMILIES).flatMap(([family, missing]) =>
    missing && !counts[family] ? [missing] : [],
  );
}

/** A name for the session of a number: letters and digits only, as in `clientId`. */
export function clientIdOf(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '').slice(0, 64);
}
