import type { EpochMs } from './clock.js';

/** The parts of a chat room's id, `<clientId>-<myLid>-<clientLid or groupId>`. */
interface RoomKey {
  clientId: string;
  myLid: string;
  /** The other party's LID user-part, or the group's id without its server. */
  other: string;
}

/** Formats a room's id. `other` may contain a hyphen (old group ids); the first two parts never do. */
export function formatRoomId(key: RoomKey): string {
  return `${key.clientId}-${key.myLid}-${key.other}`;
}

/** Parses a room's id; undefined if it has another form. */
export function parseRoomId(id: string): RoomKey | undefined {
  const match = /^([A-Za-z0-9]+)-([0-9]*)-(.+)$/.exec(id);
  const [, clientId, myLid, other] = match ?? [];
  return clientId !== undefined && myLid !== undefined && other ? { clientId, myLid, other } : undefined;
}

/**
 * The statuses of an own message in their order. A receipt follows `failed`: it proves that the message was delivered after
 * all.
 */
export const MESSAGE_STATUSES = ['sent', 'failed', 'delivered', 'read', 'played'] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** The end of a chat that is muted for good: 9999-12-31T23:59:59.999Z, the last instant that RFC 3339 can name. */
export const FOREVER = 253_402_300_799_999;

/** Settings of a chat that all devices of an account share; only the known ones. */
export interface ChatSettings {
  archived?: boolean;
  /** 0: not muted, `FOREVER`: without an end. */
  mutedUntil?: EpochMs;
  pinned?: boolean;
}

/** The type of rows that a room neither shows nor counts: a vote is no message of the chat. */
export const VOTE_TYPE = 'vote_update';
