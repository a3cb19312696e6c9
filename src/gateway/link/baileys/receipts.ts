import {
  aggregateMessageKeysNotFromMe,
  areJidsSameUser,
  type BinaryNode,
  type Contact,
  jidNormalizedUser,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { LinkEvent, MessageReference, MessageStatus } from '../link.js';
import { stanzaTime } from './incoming.js';

/** A status of an own message. */
export type StatusEvent = Extract<LinkEvent, { type: 'message-status' }>;

/**
 * The status that a receipt's type proves. Linked devices that are not in use send "inactive", although they have the
 * message. Retry, peer and history receipts prove no status.
 */
const STATUS_OF: ReadonlyMap<string | undefined, MessageStatus> = new Map([
  [undefined, 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['played', 'played'],
]);

/**
 * The statuses in a `<receipt>`. They are read from the stanza, because the library's events are delayed, merged into
 * other events, and omit the grouped form of group receipts.
 *
 * @param now milliseconds since the epoch
 */
export function statusesIn(
  { authState: { creds } }: { authState: Pick<WASocket['authState'], 'creds'> },
  { attrs, content }: BinaryNode,
  now: number,
): StatusEvent[] {
  const status = STATUS_OF.get(attrs.type);
  const by = attrs.participant ?? attrs.from;
  if (!status) return [];
  const children = Array.isArray(content) ? content : [];
  const grouped = children.filter(({ tag }) => tag === 'participants');
  if (grouped.length > 0) return grouped.flatMap((node) => groupedStatuses(node, status, now));
  if (!by || isOwn(creds.me, by)) return [];
  const listed = children.flatMap((child) => (Array.isArray(child.content) ? child.content : []));
  const ids = [attrs.id, ...listed.map((item) => item.attrs.id)];
  return ids.flatMap((id) => (id ? [statusEvent(id, status, by, stanzaTime(attrs.t, now))] : []));
}

function groupedStatuses({ attrs, content }: BinaryNode, status: MessageStatus, now: number): StatusEvent[] {
  const users = Array.isArray(content) ? content : [];
  return users.flatMap((user) =>
    attrs.key && user.attrs.jid
      ? [statusEvent(attrs.key, status, user.attrs.jid, stanzaTime(user.attrs.t, now))]
      : [],
  );
}

function statusEvent(messageId: string, status: MessageStatus, by: string, at: number): StatusEvent {
  return { type: 'message-status', messageId, status, at, by: jidNormalizedUser(by) };
}

function isOwn(me: Contact | undefined, jid: string): boolean {
  return areJidsSameUser(jid, me?.id) || areJidsSameUser(jid, me?.lid);
}

/** Types in the acknowledgement of a read receipt; the network may leave the type out. */
const READ: ReadonlySet<string | undefined> = new Set([undefined, 'read', 'read-self']);

/** Sends read receipts, and waits until the network has acknowledged each. */
export class ReadReceipts {
  readonly #sock: Pick<WASocket, 'readMessages'>;
  readonly #clock: Clock;
  /** Waiting receipts by id, which is the id of the first message. */
  readonly #waiting = new Map<string, Set<(ack: BinaryNode | undefined) => void>>();

  constructor(sock: Pick<WASocket, 'readMessages'>, clock: Clock) {
    this.#sock = sock;
    this.#clock = clock;
  }

  /**
   * Sends one receipt for each author; own messages need none. If the account hides read receipts, only its own devices get
   * them.
   * @throws GatewayError `receipt_rejected`
   */
  async markRead(chat: string, messages: readonly MessageReference[]): Promise<void> {
    const keys = messages.map(({ messageId, fromMe, participant }) => ({
      remoteJid: chat,
      id: messageId,
      fromMe,
      ...(participant && { participant }),
    }));
    const ids = aggregateMessageKeysNotFromMe(keys).flatMap(({ messageIds }) => messageIds.slice(0, 1));
    if (ids.length === 0) return;
    const acks = ids.map((id) => this.#ackOf(id));
    try {
      await Promise.race([this.#sock.readMessages(keys), Promise.all(acks.map(({ taken }) => taken))]).catch(
        unsent,
      );
      await Promise.all(acks.map(({ taken }) => taken));
    } finally {
      for (const { forget } of acks) forget();
    }
  }

  /** Handles an `<ack class="receipt">`, which may also be that of a delivery receipt for the same message. */
  onAck(ack: BinaryNode): void {
    if (!READ.has(ack.attrs.type)) return;
    for (const settle of this.#waiting.get(ack.attrs.id ?? '') ?? []) settle(ack);
  }

  /** Rejects all waiting receipts, because the connection has ended. */
  stop(): void {
    for (const settles of this.#waiting.values()) for (const settle of settles) settle(undefined);
  }

  #ackOf(id: string): { taken: Promise<void>; forget(): void } {
    let forget: () => void = () => undefined;
    const taken = new Promise<void>((resolve, reject) => {
      const settle = (ack: BinaryNode | undefined) => {
        if (ack && !ack.attrs.error) resolve();
        else reject(ack ? rejected(ack.attrs.error) : unanswered());
      };
      const cancel = this.#clock.after(LIMITS.receiptAckMs, () => settle(undefined));
      const settles = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, settles.add(settle));
      forget = () => {
        cancel();
        settles.delete(settle);
        if (settles.size === 0) this.#waiting.delete(id);
      };
    });
    // prevents an unhandled rejection if another receipt fails first
    taken.catch(() => undefined);
    return { taken, forget };
  }
}

function rejected(code: string | undefined): GatewayError {
  return new GatewayError('receipt_rejected', `The network rejected the read receipt (${code}).`);
}

function unanswered(): GatewayError {
  return new GatewayError(
    'receipt_rejected',
    'The network did not acknowledge the read receipt in time. Try again.',
  );
}

function unsent(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause;
  throw new GatewayError('receipt_rejected', 'The read receipt could not be sent. Try again.', { cause });
}
