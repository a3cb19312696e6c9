import ipaddr from 'ipaddr.js';

/** Groups of an IPv6 address that form its network, because one customer has all addresses in it. */
const NETWORK_GROUPS = 4;

/** The key under which limits count a caller's address: the IPv4 address, or the /64 network of IPv6. */
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

  /** Counts a new connection. @returns a function to call once when the connection has ended; undefined if the address has too many */
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
