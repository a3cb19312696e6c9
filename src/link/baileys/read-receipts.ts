import { aggregateMessageKeysNotFromMe, type BinaryNode, type WASocket } from '@whiskeysockets/baileys';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { MessageReference } from '../link.js';

/** Types of the receipts that are meant; the network need not repeat them. */
const READ: ReadonlySet<string | undefined> = new Set([undefined, 'read', 'read-self']);

/** Sends read receipts and waits until the network has taken each. */
export class ReadReceipts {
  readonly #sock: Pick<WASocket, 'readMessages'>;
  readonly #clock: Clock;
  /** By the receipt's id, which is that of its first message. */
  readonly #waiting = new Map<string, Set<(ack: BinaryNode | undefined) => void>>();

  constructor(sock: Pick<WASocket, 'readMessages'>, clock: Clock) {
    this.#sock = sock;
    this.#clock = clock;
  }

  /**
   * One receipt for each author; own messages need none. Who does not show that they read gets it for the account's own
   * devices only.
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

  /** An `<ack class="receipt">`. One of a delivery receipt may still come for the same message. */
  onAck(ack: BinaryNode): void {
    if (!READ.has(ack.attrs.type)) return;
    for (const settle of this.#waiting.get(ack.attrs.id ?? '') ?? []) settle(ack);
  }

  /** The connection is gone: what has not been acknowledged never will be. */
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
    // another one may fail first
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
