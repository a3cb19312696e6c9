import { formatRoomId, parseRoomId } from '../../domain/room.js';
import type { HistoryMessage, PendingChange, RoomMove } from '../../store/store.js';
import { lidJid, pnJid } from '../authorship.js';
import { readChange } from '../inbox/changes.js';
import { type KnownPair, reactionsIn, reactionTimesIn, underLid, withReactions } from '../inbox/extras.js';

/** How a person's room is named. */
export interface PersonRoom {
  chatRoomId: string;
  clientLid: string;
  remoteJid: string;
}

/** What a room that goes by a person's number becomes when their LID is known. */
export interface PersonMove extends RoomMove {
  named: PersonRoom;
}

/** @param from id of the room that goes by the number */
export function personMove(from: string, person: KnownPair): PersonMove {
  const key = parseRoomId(from);
  if (!key) throw new TypeError(`${from} is no id of a room`);
  const to = formatRoomId({ ...key, other: person.lid });
  const named = { chatRoomId: to, clientLid: person.lid, remoteJid: lidJid(person.lid) };
  return {
    from,
    to,
    named,
    room: (room) => ({ ...room, ...named }),
    message: (message) => movedMessage(message, to, person),
    pending: (pending) => movedChange(pending, to, person),
  };
}

/** Wherever it names the person by the number, it names them by the LID. */
function movedMessage(message: HistoryMessage, chatRoomId: string, person: KnownPair): HistoryMessage {
  const { author, extras } = message;
  return {
    ...message,
    chatRoomId,
    author: author === pnJid(person.pn) ? lidJid(person.lid) : author,
    extras: movedExtras(extras, person),
  };
}

/** User-parts, of either address, by which the extras of a message name people. */
export function usersIn(extras: Record<string, unknown>): string[] {
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

/** Wherever the extras of a message name the person by the number, they name them by the LID. */
export function movedExtras(
  extras: Record<string, unknown>,
  { lid, pn }: KnownPair,
): Record<string, unknown> {
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

function movedChange(pending: PendingChange, chatRoomId: string, { lid, pn }: KnownPair): PendingChange {
  const change = readChange(pending.change);
  if (!change) return { ...pending, chatRoomId };
  const by = change.by.pn === pn ? { ...change.by, lid } : change.by;
  const reactor = change.type === 'reaction' && change.reactor === pn ? { reactor: lid } : {};
  return { ...pending, chatRoomId, change: { ...change, by, ...reactor } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
