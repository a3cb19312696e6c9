import { areJidsSameUser, type BinaryNode, jidNormalizedUser, type WASocket } from '@whiskeysockets/baileys';
import type { LinkEvent, MessageStatus } from '../link.js';
import { stanzaTime } from './stanza-time.js';

/**
 * What a receipt's type says of the message. Devices that are linked but not in use say "inactive" and have the message
 * all the same. Retry, peer and history receipts say nothing about it.
 */
const STATUS_OF: ReadonlyMap<string | undefined, MessageStatus> = new Map([
  [undefined, 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['played', 'played'],
]);

/** What tells own receipts from others'. */
interface Me {
  authState: Pick<WASocket['authState'], 'creds'>;
}

/**
 * The statuses that a `<receipt>` tells. Read from the stanza, not from the library's events: those are held back,
 * merged into other events, and leave the grouped form of group receipts out.
 *
 * @param now when it came, in milliseconds since the epoch
 */
export function statusesIn(sock: Me, { attrs, content }: BinaryNode, now: number): LinkEvent[] {
  const status = STATUS_OF.get(attrs.type);
  const by = attrs.participant ?? attrs.from;
  if (!status) return [];
  const children = Array.isArray(content) ? content : [];
  const grouped = children.filter(({ tag }) => tag === 'participants');
  if (grouped.length > 0) return grouped.flatMap((node) => groupedStatuses(node, status, now));
  if (!by || isOwn(sock, by)) return [];
  const listed = children.flatMap((child) => (Array.isArray(child.content) ? child.content : []));
  const ids = [attrs.id, ...listed.map((item) => item.attrs.id)];
  return ids.flatMap((id) => (id ? [statusEvent(id, status, by, stanzaTime(attrs.t, now))] : []));
}

function groupedStatuses({ attrs, content }: BinaryNode, status: MessageStatus, now: number): LinkEvent[] {
  const users = Array.isArray(content) ? content : [];
  return users.flatMap((user) =>
    attrs.key && user.attrs.jid
      ? [statusEvent(attrs.key, status, user.attrs.jid, stanzaTime(user.attrs.t, now))]
      : [],
  );
}

function statusEvent(messageId: string, status: MessageStatus, by: string, at: number): LinkEvent {
  return { type: 'message-status', messageId, status, at, by: jidNormalizedUser(by) };
}

function isOwn(sock: Me, jid: string): boolean {
  const me = sock.authState.creds.me;
  return areJidsSameUser(jid, me?.id) || areJidsSameUser(jid, me?.lid);
}
