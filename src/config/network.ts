import type { Config } from './schema.js';

/** Which network a daemon uses, and how it is reached. */
export type NetworkChoice =
  /** The real one. */
  | { kind: 'whatsapp' }
  /** The simulated one, inside the daemon. */
  | { kind: 'embedded-sandbox' }
  /** The simulated one, running elsewhere. */
  | { kind: 'sandbox'; wsUrl: string; controlUrl: string }
  /** Any other address that speaks the network's protocol. */
  | { kind: 'address'; wsUrl: string };

/** Reads the `network` setting. */
export function networkChoice({ network }: Pick<Config, 'network'>): NetworkChoice {
  if (network === 'whatsapp') return { kind: 'whatsapp' };
  if (network === 'sandbox') return { kind: 'embedded-sandbox' };
  if (!network.startsWith('sandbox+')) return { kind: 'address', wsUrl: network };
  const wsUrl = network.slice('sandbox+'.length);
  const control = new URL(wsUrl);
  return {
    kind: 'sandbox',
    wsUrl,
    controlUrl: `${control.protocol === 'wss:' ? 'https' : 'http'}://${control.host}`,
  };
}
