import { isLidUser, jidDecode, jidNormalizedUser, type WASocket } from '@whiskeysockets/baileys';
import type { LinkKeys } from '../link.js';

/** The key family of people who are reached by their number only, by the user-part of their LID. */
const BY_NUMBER = 'pn-chat';
const NOTED = Uint8Array.of(1);

/**
 * The addresses of private chats. An account whose chats have not been moved to LIDs may not send to a LID (400;
 * whatsapp-rust #943): messages of such a chat go to the person's number, also after a restart.
 */
export class NumberFallback {
  readonly #sock: WASocket;
  readonly #keys: LinkKeys;
  /** Whether a person is reached by number, by the user-part of the LID. */
  readonly #known = new Map<string, boolean>();

  constructor(sock: WASocket, keys: LinkKeys) {
    this.#sock = sock;
    this.#keys = keys;
  }

  /** The address to send to. */
  async addressFor(to: string): Promise<string> {
    if (!isLidUser(to)) return to;
    const user = jidDecode(to)?.user ?? '';
    const isByNumber =
      this.#known.get(user) ?? (await this.#keys.get(BY_NUMBER, [user])).get(user) !== undefined;
    this.#known.set(user, isByNumber);
    return isByNumber ? ((await this.#numberOf(to)) ?? to) : to;
  }

  /** The number of a person whose LID was refused; undefined when there is no other address. */
  async numberFor(to: string): Promise<string | undefined> {
    return isLidUser(to) ? this.#numberOf(to) : undefined;
  }

  /** Notes that a person was reached by number, after the LID was refused. */
  async remember(to: string): Promise<void> {
    const user = jidDecode(to)?.user ?? '';
    if (this.#known.get(user)) return;
    await this.#keys.commit({ keys: [{ type: BY_NUMBER, id: user, value: NOTED }] });
    this.#known.set(user, true);
  }

  async #numberOf(lid: string): Promise<string | undefined> {
    const jid = await this.#sock.signalRepository.lidMapping.getPNForLID(lid);
    return jid ? jidNormalizedUser(jid) : undefined;
  }
}
