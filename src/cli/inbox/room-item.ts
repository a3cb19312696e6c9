import { parseJid } from '../../domain/address.js';
import { plainLine } from '../plain-text.js';
import type { RoomItem } from './model.js';
import type { Phones } from './phones.js';
import type { RoomRow } from './wire.js';

/** A row of `/chatrooms` as the inbox shows it. */
export function roomItem(row: RoomRow): RoomItem {
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

/** The same, once its person's number is known. */
export function withPhone(room: RoomItem, phones: Phones): RoomItem {
  const phone = room.isGroup ? '' : phones.of(room.to);
  if (phone === room.phone) return room;
  return { ...room, phone, name: room.name === shownAddress(room.to) ? phone : room.name };
}

/** Undefined for an empty text. */
export function dateOf(text: string): Date | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** An address without a name: a phone number with its plus sign, else the digits. */
function shownAddress(jid: string): string {
  const address = parseJid(jid);
  if (!address) return plainLine(jid);
  return address.kind === 'pn' ? `+${address.user}` : address.user;
}
