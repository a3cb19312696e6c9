/** Beyond this the oldest messages of an account are dropped. */
const MAX_MESSAGES = 5_000;

/** What an account's devices sent lately: a message that is sent twice under one id is delivered once. */
export class SentLog {
  /** By message id: the partner (key of the account, or jid of the group) and the devices that have a copy. */
  readonly #messages = new Map<string, { partner: string; given: Set<string> }>();

  /** @returns false when the device already has its copy */
  give(id: string, partner: string, device: string): boolean {
    const sent = this.#messages.get(id) ?? this.#open(id, partner);
    if (sent.given.has(device)) return false;
    sent.given.add(device);
    return true;
  }

  /** The device could not decrypt its copy and may get another one. */
  allowAgain(id: string, device: string): void {
    this.#messages.get(id)?.given.delete(device);
  }

  /** The partner of a message: the account's key or the group's jid. */
  partnerOf(id: string): string | undefined {
    return this.#messages.get(id)?.partner;
  }

  #open(id: string, partner: string) {
    const sent = { partner, given: new Set<string>() };
    this.#messages.set(id, sent);
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > MAX_MESSAGES && oldest !== undefined) this.#messages.delete(oldest);
    return sent;
  }
}
