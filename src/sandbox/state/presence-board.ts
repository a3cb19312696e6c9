import type { PresenceView } from '../../contract/sandbox/index.js';
import type { Account, ClientConnection, Companion } from './account.js';
import type { Chat } from './directory.js';

/** The presence that a connection has announced; a new connection has announced none. */
interface Said {
  online: boolean;
  subscriptions: Set<Chat>;
}

/** The people who are online, and the devices that have subscribed to them. */
export class PresenceBoard {
  readonly #said = new WeakMap<ClientConnection, Said>();
  /** People whose phone is in use. */
  readonly #onlinePhones = new Set<Account>();
  /** Seconds since the epoch. */
  readonly #lastSeen = new Map<Account, number>();

  of(connection: ClientConnection): Said {
    const known = this.#said.get(connection);
    if (known) return known;
    const said = { online: false, subscriptions: new Set<Chat>() };
    this.#said.set(connection, said);
    return said;
  }

  setPhone(account: Account, online: boolean, nowS: number): void {
    if (online) this.#onlinePhones.add(account);
    else this.#onlinePhones.delete(account);
    this.noteSeen(account, nowS);
  }

  noteSeen(account: Account, nowS: number): void {
    this.#lastSeen.set(account, nowS);
  }

  lastSeen(account: Account): number {
    return this.#lastSeen.get(account) ?? 0;
  }

  isOnline(account: Account): boolean {
    if (this.#onlinePhones.has(account)) return true;
    return [...account.companions.values()].some((companion) => this.#saidBy(companion)?.online);
  }

  /** True when the network tells a device about a chat: it is online, and has subscribed (whatsmeow `presence.go`). */
  tells(companion: Companion, chat: Chat): boolean {
    const said = this.#saidBy(companion);
    return said?.online === true && said.subscriptions.has(chat);
  }

  view(account: Account): PresenceView {
    return {
      online: this.isOnline(account),
      lastSeen: this.lastSeen(account),
      devices: [...account.companions.values()].map((companion) => {
        const said = this.#saidBy(companion);
        const subscriptions = [...(said?.subscriptions ?? [])].map(({ chatId }) => chatId);
        return { id: companion.id, online: said?.online ?? false, subscriptions };
      }),
    };
  }

  #saidBy({ connection }: Companion): Said | undefined {
    return connection && this.#said.get(connection);
  }
}
