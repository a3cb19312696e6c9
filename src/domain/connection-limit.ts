import ipaddr from 'ipaddr.js';

/** Groups of an IPv6 address that name its network: one customer has all addresses below. */
const NETWORK_GROUPS = 4;

/** The address of a caller as limits count it: IPv4, or the /64 network of IPv6. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, NETWORK_GROUPS).join(':') : String(parsed);
}

/** Bounds the connections that are open from one address. */
export class ConnectionLimit {
  readonly #perAddress: number;
  readonly #open = new Map<string, number>();

  /** @param perAddress 0 for no limit */
  constructor(perAddress: number) {
    this.#perAddress = perAddress;
  }

  /**
   * Counts a new connection.
   * @returns to be called once when it has ended; undefined when the address has too many
   */
  enter(address: string): (() => void) | undefined {
    const key = networkOf(address);
    const open = this.#open.get(key) ?? 0;
    if (this.#perAddress > 0 && open >= this.#perAddress) return undefined;
    this.#open.set(key, open + 1);
    return () => {
      const left = (this.#open.get(key) ?? 0) - 1;
      if (left > 0) this.#open.set(key, left);
      else this.#open.delete(key);
    };
  }
}
