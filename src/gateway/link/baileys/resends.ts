import { type BinaryNode, isJidGroup, type WASocket } from '@whiskeysockets/baileys';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { Clock } from '../../../domain/clock.js';
import { RateBudget, type RateLimit } from '../../../domain/retry.js';

/**
 * Budget of resends to one group on request of its members. Hundreds of devices that ask at once have locked accounts
 * (whatsapp-rust #871, the source of these numbers).
 */
export const GROUP_RESENDS: RateLimit = { burst: 20, everyMs: 6_000 };
/** Groups whose budgets are kept. */
const MAX_GROUPS = 500;
const MEMORY = 'sender-key-memory';

/** Drops requests to resend a group's message above the group's budget. */
export class GroupResends {
  readonly #sock: WASocket;
  readonly #clock: Clock;
  readonly #budgets = boundedCache<RateBudget>(MAX_GROUPS);

  constructor(sock: WASocket, clock: Clock) {
    this.#sock = sock;
    this.#clock = clock;
  }

  /** Handles a `<receipt>`. @returns true if the receipt is dropped: the library must not answer it */
  drops(receipt: BinaryNode): boolean {
    const { type, from = '', participant } = receipt.attrs;
    if (type !== 'retry' || !isJidGroup(from) || !participant) return false;
    const budget = this.#budgets.get(from) ?? new RateBudget(GROUP_RESENDS, this.#clock);
    this.#budgets.set(from, budget);
    if (budget.take()) return false;
    this.#acknowledge(receipt, from, participant).catch(() => undefined);
    return true;
  }

  /** Acknowledges a dropped request. The device gets the sender key again with the group's next message. */
  async #acknowledge(receipt: BinaryNode, group: string, device: string): Promise<void> {
    const { keys } = this.#sock.authState;
    const { [group]: given } = await keys.get(MEMORY, [group]);
    if (given?.[device]) {
      const { [device]: _, ...others } = given;
      await keys.set({ [MEMORY]: { [group]: others } });
    }
    await this.#sock.sendMessageAck(receipt);
  }
}
