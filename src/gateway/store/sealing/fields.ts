import { isObject } from '../../../domain/json.js';
import type { KeyCommit } from '../../../domain/signal-state.js';
import { PICTURES } from '../port/contacts.js';
import { FAILED_DELIVERIES, KEPT_EVENTS, WAITING_DELIVERIES } from '../port/deliveries.js';
import { type Collection, type Field, noneOf, type RecordOf } from '../port/fields.js';
import { FILES } from '../port/files.js';
import { MESSAGES, PENDING_CHANGES, ROOMS, TRACES } from '../port/history.js';
import { readMedia, readObject, readText } from '../port/json.js';
import { JOURNAL, KEYS } from '../port/keys.js';
import { IDEMPOTENCY, SENDS } from '../port/sends.js';
import { SESSIONS } from '../port/sessions.js';
import type { HistoryMessage, SessionRecord } from '../store.js';
import type { Place } from './envelope.js';
import type { Sealer } from './sealer.js';

/** For each sealed field of a record, the place that its value is bound to. */
export type SealedFields<R> = { readonly [F in keyof R]?: (record: R) => Place };

/** Some fields of a record. */
type Some<C> = { readonly [F in keyof RecordOf<C>]?: unknown };

/** The places of the fields that are declared as sealed. */
function sealedOf<C extends Collection>({ name, fields }: C): SealedFields<Some<C>> {
  const places: SealedFields<Some<C>> = {};
  for (const [field, { sealed, sealedAs = [name.replaceAll('_', '-'), field] }] of Object.entries(fields)) {
    if (!sealed) continue;
    const placeOf = (record: Readonly<Record<string, unknown>>) => {
      const place = [...sealedAs];
      for (const bound of sealed) {
        const value = record[bound];
        if (value !== undefined) place.push(textOf(fields[bound], value));
        else if (fields[bound]?.none !== 'absent') throw new TypeError(`${name}: ${field} needs ${bound}`);
      }
      return place;
    };
    Object.assign(places, { [field]: placeOf });
  }
  return places;
}

function textOf(field: Field | undefined, value: unknown): string {
  return field?.words && typeof value === 'boolean' ? field.words[value ? 1 : 0] : String(value);
}

const CREDENTIALS: SealedFields<KeyCommit> = { credentials: () => ['credentials'] };

/** Every sealed field. Ids, addresses, names of people, times, flags and counts stay readable: the store searches them. */
export const SEALED = {
  sessions: sealedOf(SESSIONS),
  credentials: CREDENTIALS,
  keys: sealedOf(KEYS),
  journal: sealedOf(JOURNAL),
  sends: sealedOf(SENDS),
  idempotency: sealedOf(IDEMPOTENCY),
  traces: sealedOf(TRACES),
  rooms: sealedOf(ROOMS),
  messages: sealedOf(MESSAGES),
  pendingChanges: sealedOf(PENDING_CHANGES),
  files: sealedOf(FILES),
  pictures: sealedOf(PICTURES),
  failedDeliveries: sealedOf(FAILED_DELIVERIES),
  waitingDeliveries: sealedOf(WAITING_DELIVERIES),
  keptEvents: sealedOf(KEPT_EVENTS),
};

const formerContent = { ...SENDS.fields.content, sealed: ['messageId'] } as const;

/** As earlier releases sealed them; a send is kept for two weeks. */
export const SEALED_BEFORE = {
  sends: sealedOf({ ...SENDS, fields: { ...SENDS.fields, content: formerContent } }),
};

/** Records with texts that give rights: their texts are sealed also when they are empty. */
const RIGHTS: ReadonlySet<object> = new Set([SEALED.sessions]);

/** The texts of a session that give rights, and that every release has stored. */
const RIGHT_TEXTS = new Set(
  Object.entries<Field>(SESSIONS.fields).flatMap(([name, { sealed, none }]) =>
    sealed && !none ? [name] : [],
  ),
);

/** Seals the given fields: text and bytes as such, an object as `{ sealed: text }`. */
export function sealFields<F extends object, R extends F>(
  sealer: Sealer,
  sealed: SealedFields<F>,
  record: R,
): R {
  const givesRights = RIGHTS.has(sealed);
  return changed(sealed, record, (place, value) => {
    if (typeof value === 'string')
      return givesRights ? sealer.sealRight(place, value) : sealer.sealText(place, value);
    if (value instanceof Uint8Array) return sealer.seal(place, value);
    return { sealed: sealer.sealText(place, JSON.stringify(value)) };
  });
}

/** Opens what `sealFields` sealed. @throws GatewayError `store_damaged` if a value was changed or moved */
export function openFields<F extends object, R extends F>(
  sealer: Sealer,
  sealed: SealedFields<F>,
  record: R,
): R {
  const givesRights = RIGHTS.has(sealed);
  return changed(sealed, record, (place, value) => {
    if (typeof value === 'string')
      return givesRights ? sealer.openRight(place, value) : sealer.openText(place, value);
    if (value instanceof Uint8Array) return sealer.open(place, value);
    return readObject(sealer.openText(place, isObject(value) ? String(value.sealed) : ''));
  });
}

function changed<F extends object, R extends F>(
  sealed: SealedFields<F>,
  record: R,
  change: (place: Place, value: unknown) => unknown,
): R {
  const copy = { ...record };
  for (const field in sealed) {
    const value: unknown = record[field];
    const placeOf = sealed[field];
    if (placeOf && value !== undefined && value !== null) {
      Object.assign(copy, { [field]: change(placeOf(record), value) });
    }
  }
  return copy;
}

/**
 * Seals the texts of a session as this release does. Earlier releases left empty texts and the hash of the API secret as they
 * were, so that whoever could write the database could blank or copy them.
 * @returns the texts that were not sealed so far
 */
export function sealRights(sealer: Sealer, record: SessionRecord): Partial<SessionRecord> {
  const isUnsealed = ([name, value]: readonly [string, unknown]) =>
    RIGHT_TEXTS.has(name) && (value === '' || (name === 'apiSecretHash' && readText(value).includes(':')));
  const texts = Object.fromEntries(Object.entries(record).filter(isUnsealed));
  return sealFields(sealer, SEALED.sessions, texts);
}

/** The record without its sealed values, of which some cannot be opened. */
export function withoutSealed<R extends object>({ fields }: Collection, record: R): R {
  const sealed = Object.entries(fields).filter(([name, field]) => field.sealed && name in record);
  return { ...record, ...Object.fromEntries(sealed.map(([name, field]) => [name, noneOf(field)])) };
}

/** The parts of a message that are always read together are sealed together, in the place of `extras`. */
export function sealMessage(sealer: Sealer, message: HistoryMessage): HistoryMessage {
  const { pushname, media, extras } = message;
  const packed = { ...message, pushname: '', media: undefined, extras: { pushname, media, extras } };
  return sealFields(sealer, SEALED.messages, packed);
}

export function openMessage(sealer: Sealer, stored: HistoryMessage): HistoryMessage {
  const { extras: packed, ...message } = openFields(sealer, SEALED.messages, stored);
  const { pushname, media, extras } = packed;
  return {
    ...message,
    pushname: readText(pushname),
    media: readMedia(media),
    extras: isObject(extras) ? extras : {},
  };
}
