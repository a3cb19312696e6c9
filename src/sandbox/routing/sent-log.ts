/** Beyond this the oldest of an account are forgotten. */
const MAX_MESSAGES = 5_000;

interface Sent {
  /** Key of the account, or jid of the group, that it was sent to. */
  partner: string;
  /** Devices that were given a copy. */
  given: Set<string>;
}

/** What an account's devices sent lately, so that a message that is sent twice under one id arrives once. */
export class SentLog {
  readonly #messages = new Map<string, Sent>();

  /** @returns false when that device has its copy already. */
  give(id: string, partner: string, device: string): boolean {
    const sent = this.#messages.get(id) ?? this.#open(id, partner);
    if (sent.given.has(device)) return false;
    sent.given.add(device);
    return true;
  }

  /** The device could not read its copy and may be given another. */
  allowAgain(id: string, device: string): void {
    this.#messages.get(id)?.given.delete(device);
  }

  /** To whom a message was sent, by the account's key or the group's jid. */
  partnerOf(id: string): string | undefined {
    return this.#messages.get(id)?.partner;
  }

  #open(id: string, partner: string): Sent {
    const sent = { partner, given: new Set<string>() };
    this.#messages.set(id, sent);
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > MAX_MESSAGES && oldest !== undefined) this.#messages.delete(oldest);
    return sent;
  }
}
