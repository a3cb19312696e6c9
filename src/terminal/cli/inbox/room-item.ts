import type { ChatRoom } from '../../../contract/index.js';
import { parseJid } from '../../../domain/address.js';
import { plainLine } from '../../../domain/text.js';
import type { RoomItem } from './model.js';

/** Converts a room of the API to an item of the inbox. */
export function roomItem(row: ChatRoom): RoomItem {
  const { chatRoomId, isGroup, remoteJid, lastMessageFromMe, lastMessageAt, unreadCount } = row;
  return {
    chatRoomId,
    name: plainLine(row.name) || shownAddress(remoteJid),
    isGroup,
    to: remoteJid,
    phone: '',
    lastMessage: plainLine(row.lastMessage),
    lastMessageFromMe,
    lastMessageAt: dateOf(lastMessageAt),
    unreadCount,
  };
}

/** Adds the phone number, if known. */
export function withPhone(room: RoomItem, phones: Phones): RoomItem {
  const phone = room.isGroup ? '' : phones.of(room.to);
  if (phone === room.phone) return room;
  return { ...room, phone, name: room.name === shownAddress(room.to) ? phone : room.name };
}

/** Parses a time; undefined for an empty text. */
export function dateOf(text: string): Date | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A phone number with `+`, else the digits. */
function shownAddress(jid: string): string {
  const address = parseJid(jid);
  if (!address) return plainLine(jid);
  return address.kind === 'pn' ? `+${address.user}` : address.user;
}

/** Maximum number of remembered people. */
const REMEMBERED = 10_000;
const PHONE = /^\+\d+$/;

/** Phone numbers by LID, learnt from events and messages. */
export class Phones {
  readonly #byLid = new Map<string, string>();

  /** @returns true if the number is new */
  learn(jid: string, phone: string): boolean {
    const lid = lidOf(jid);
    if (lid === undefined || !PHONE.test(phone) || this.#byLid.get(lid) === phone) return false;
    this.#byLid.set(lid, phone);
    const [oldest] = this.#byLid.keys();
    if (this.#byLid.size > REMEMBERED && oldest !== undefined) this.#byLid.delete(oldest);
    return true;
  }

  /** Phone number of a jid, with `+`; empty if unknown. */
  of(jid: string): string {
    return this.#byLid.get(lidOf(jid) ?? '') ?? '';
  }
}

function lidOf(jid: string): string | undefined {
  const address = parseJid(jid);
  return address?.kind === 'lid' ? address.user : undefined;
}
