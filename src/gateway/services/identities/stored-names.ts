import { isObject } from '../../../domain/json.js';
import { formatRoomId, parseRoomId } from '../../../domain/room.js';
import type { HistoryMessage, PendingChange, RoomMove } from '../../store/store.js';
import type { StoreRetry } from '../store-retry.js';
import type { Contacts } from './contacts.js';
import { lidJid, pnJid } from './parties.js';

/** The extras of a stored message: JSON as the store returns it. */
type Extras = Record<string, unknown>;

/** User-parts of both addresses of a person. */
export interface KnownPair {
  lid: string;
  pn: string;
}

/** Emojis by the user-part of the person who reacted. */
export function reactionsIn({ reactions }: Extras): Map<string, string> {
  return new Map(
    entriesOf(reactions).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}

/** When each person last reacted or took a reaction back: milliseconds since the epoch, by user-part. */
export function reactionTimesIn({ reactionTimes }: Extras): Map<string, number> {
  return new Map(
    entriesOf(reactionTimes).flatMap(([key, value]) => (typeof value === 'number' ? [[key, value]] : [])),
  );
}

export function withReactions(
  extras: Extras,
  reactions: ReadonlyMap<string, string>,
  times: ReadonlyMap<string, number>,
): Extras {
  return {
    ...extras,
    reactions: Object.fromEntries(reactions),
    reactionTimes: Object.fromEntries(times),
  };
}

/** Moves an entry from the number to the LID, unless the LID already has an entry. */
export function underLid<Value>(values: Map<string, Value>, { lid, pn }: KnownPair): Map<string, Value> {
  const value = values.get(pn);
  values.delete(pn);
  if (value !== undefined && !values.has(lid)) values.set(lid, value);
  return values;
}

/** Where the LID of a number is looked up. */
interface KnownNames {
  contacts: Pick<Contacts, 'find'>;
  retry: StoreRetry;
}

/** How the room of a number is renamed, once its LID is known. */
export async function renameOf(
  clientId: string,
  chatRoomId: string,
  pn: string,
  { contacts, retry }: KnownNames,
): Promise<RoomRename | undefined> {
  const contact = await retry.run(() => contacts.find(clientId, { pn }));
  return contact?.lid ? roomRename(chatRoomId, { lid: contact.lid, pn }) : undefined;
}

/** The new id of a room that was renamed; undefined when it was not. */
export async function renamedTo(chatRoomId: string, names: KnownNames): Promise<string | undefined> {
  const { clientId, other } = parseRoomId(chatRoomId) ?? {};
  return clientId && other ? (await renameOf(clientId, chatRoomId, other, names))?.to : undefined;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** The fields of a room or event that name the person. */
export interface PersonRoom {
  chatRoomId: string;
  clientLid: string;
  remoteJid: string;
}

/** Rewrites a room with a number in its id, and everything in it, to the person's LID. */
export interface RoomRename extends RoomMove {
  named: PersonRoom;
}

/** @param from id of the room with the number */
export function roomRename(from: string, person: KnownPair): RoomRename {
  const key = parseRoomId(from);
  if (!key) throw new TypeError(`${from} is no room id`);
  const to = formatRoomId({ ...key, other: person.lid });
  const named = { chatRoomId: to, clientLid: person.lid, remoteJid: lidJid(person.lid) };
  return {
    from,
    to,
    named,
    room: (room) => ({ ...room, ...named }),
    message: (message) => renamedMessage(message, to, person),
    pending: (pending) => renamedChange(pending, to, person),
  };
}

function renamedMessage(message: HistoryMessage, chatRoomId: string, person: KnownPair): HistoryMessage {
  const { author, extras } = message;
  return {
    ...message,
    chatRoomId,
    author: author === pnJid(person.pn) ? lidJid(person.lid) : author,
    extras: renamedExtras(extras, person),
  };
}

/** User-parts of LIDs and numbers in the extras of a message. */
export function usersIn(extras: Extras): string[] {
  const { quoted, pollVote, mentions, group } = extras;
  const users = [
    ...reactionsIn(extras).keys(),
    ...(Array.isArray(mentions) ? mentions : []),
    ...(isObject(quoted) ? [quoted.participant] : []),
    ...(isObject(pollVote) ? [pollVote.voter] : []),
    ...(isObject(group) ? [group.participant] : []),
  ];
  return users.filter((user) => typeof user === 'string' && user !== '');
}

/** Replaces the person's number by the LID in the extras of a message. */
export function renamedExtras(extras: Extras, { lid, pn }: KnownPair): Extras {
  const named = (user: unknown) => (user === pn ? lid : user);
  const { quoted, pollVote, mentions, group } = extras;
  const moved = {
    ...extras,
    ...(isObject(group) &&
      'participant' in group && { group: { ...group, participant: named(group.participant) } }),
    ...(isObject(quoted) &&
      'participant' in quoted && {
        quoted: { ...quoted, participant: named(quoted.participant) },
      }),
    ...(isObject(pollVote) &&
      'voter' in pollVote && { pollVote: { ...pollVote, voter: named(pollVote.voter) } }),
    ...(Array.isArray(mentions) && { mentions: mentions.map(named) }),
  };
  const reactions = reactionsIn(extras);
  const times = reactionTimesIn(extras);
  if (!times.has(pn) && !reactions.has(pn)) return moved;
  return withReactions(moved, underLid(reactions, { lid, pn }), underLid(times, { lid, pn }));
}

function renamedChange(pending: PendingChange, chatRoomId: string, { lid, pn }: KnownPair): PendingChange {
  const { by, reactor } = pending.change;
  const change = {
    ...pending.change,
    ...(isObject(by) && by.pn === pn && { by: { ...by, lid } }),
    ...(reactor === pn && { reactor: lid }),
  };
  return { ...pending, chatRoomId, change };
}
