import { parseJid } from '../../domain/address.js';

/** People whose numbers are remembered. */
const REMEMBERED = 10_000;
const PHONE = /^\+\d+$/;

/** The phone numbers of people whom rooms know by their LIDs, as events and messages tell them. */
export class Phones {
  readonly #byLid = new Map<string, string>();

  /** Takes in what was told, whatever it is. @returns whether it is news */
  learn(jid: string, phone: string): boolean {
    const lid = lidOf(jid);
    if (lid === undefined || !PHONE.test(phone) || this.#byLid.get(lid) === phone) return false;
    this.#byLid.set(lid, phone);
    const [oldest] = this.#byLid.keys();
    if (this.#byLid.size > REMEMBERED && oldest !== undefined) this.#byLid.delete(oldest);
    return true;
  }

  /** With its plus sign; empty where it is not known. */
  of(jid: string): string {
    return this.#byLid.get(lidOf(jid) ?? '') ?? '';
  }
}

function lidOf(jid: string): string | undefined {
  const address = parseJid(jid);
  return address?.kind === 'lid' ? address.user : undefined;
}
