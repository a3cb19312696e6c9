import { EXTRA_EVENT_TYPES, type GatewayEvent } from '../events/catalogue.js';

/** Which events a receiver gets: those that pass every part that is given. */
export interface EventFilter {
  /** Opt-in types, too; without this part the receiver gets messages, and the opt-in types of its session. */
  types?: string[];
  /** What other people did, or what the linked number did. */
  direction?: 'received' | 'sent';
  /** Only events of groups, or none of them. */
  groups?: boolean;
  /** Ids of rooms, or who is in them: a `chatRoomId`, a `remoteJid`, or the user-part of one. */
  rooms?: string[];
  /** Who wrote, called or made the change: user-parts, or numbers with `+`. */
  senders?: string[];
}

const OPT_IN: ReadonlySet<string> = new Set(EXTRA_EVENT_TYPES);

/**
 * Whether a receiver with that filter gets an event. An event that does not have what a part asks for, such as the status of
 * a session in a filter by room, does not pass.
 * @param optedIn opt-in types that the session has enabled
 */
export function passes(filter: EventFilter, event: GatewayEvent, optedIn: readonly string[]): boolean {
  const { types, direction, groups, rooms, senders } = filter;
  const isWanted = types
    ? types.includes(event.type)
    : !OPT_IN.has(event.type) || optedIn.includes(event.type);
  if (!isWanted) return false;
  if (direction !== undefined && directionOf(event) !== direction) return false;
  if (groups !== undefined && (!('isGroup' in event) || event.isGroup !== groups)) return false;
  if (rooms && !roomNames(event).some((name) => rooms.includes(name))) return false;
  return !senders || senderNames(event).some((name) => name !== '' && senders.includes(name));
}

function directionOf(event: GatewayEvent): EventFilter['direction'] | undefined {
  if ('fromMe' in event) return event.fromMe ? 'sent' : 'received';
  if (event.type === 'message_status') return 'sent';
  return event.type === 'call' || event.type === 'presence' ? 'received' : undefined;
}

function roomNames(event: GatewayEvent): string[] {
  if (!('chatRoomId' in event)) return [];
  const { chatRoomId, remoteJid, clientLid } = event;
  const phone = 'remotePhone' in event && !event.isGroup ? event.remotePhone : '';
  return [chatRoomId, remoteJid, clientLid, phone].filter((name) => name !== '');
}

function senderNames(event: GatewayEvent): string[] {
  switch (event.event) {
    case 'call':
    case 'presence':
      return [event.from, event.fromPhone];
    case 'group.update':
      return [event.by.user, event.by.phone];
    case 'message.status':
      return [event.by];
    case 'session.status':
    case 'account.status':
      return [];
    default: {
      const { fromMe, myLid, clientLid, remotePhone, group } = event;
      if (group) return [group.participant, group.participantPhone ?? ''];
      return fromMe ? [myLid] : [clientLid, remotePhone];
    }
  }
}
