import { EXTRA_EVENT_TYPES, type GatewayEvent } from '../../contract/events/catalogue.js';

/** Selects the events of a receiver: those that pass every given part. */
export interface EventFilter {
  /** Types of events, including opt-in types. Without this part the receiver gets messages and the opt-in types of its session. */
  types?: string[];
  /** Actions of other people only, or of the linked number only. */
  direction?: 'received' | 'sent';
  /** true: only events of groups; false: no events of groups. */
  groups?: boolean;
  /** Rooms: each a `chatRoomId`, a `remoteJid`, or the user-part of one. */
  rooms?: string[];
  /** Authors of a message, call or change: user-parts, or numbers with `+`; of a post: the jid of its channel. */
  senders?: string[];
}

const OPT_IN: ReadonlySet<string> = new Set(EXTRA_EVENT_TYPES);

/**
 * Whether a receiver with that filter gets an event. An event without the field of a part does not pass: for example a
 * session status and a filter by room.
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
    case 'identity.change':
    case 'status.post':
      return [event.from, event.fromPhone];
    case 'group.update':
      return [event.by.user, event.by.phone];
    case 'message.status':
      return [event.by];
    case 'session.status':
    case 'account.status':
      return [];
    case 'channel.post':
      return [event.channelJid];
    default: {
      const { fromMe, myLid, clientLid, remotePhone, group } = event;
      if (group) return [group.participant, group.participantPhone ?? ''];
      return fromMe ? [myLid] : [clientLid, remotePhone];
    }
  }
}
