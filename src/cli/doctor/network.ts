import { type CheckResult, fail, ok } from './check.js';
import { type Endpoint, endpointOf, reach } from './reach.js';

const WHATSAPP = 'https://web.whatsapp.com';

export interface NetworkPlace {
  /** The setting: `whatsapp`, `sandbox`, `sandbox+ws://…` or `ws(s)://…`. */
  network: string;
  /** Where the sandbox listens when it runs inside the daemon. */
  sandboxUrl: string;
}

/** Can the network be reached from this machine? */
export async function checkNetwork(place: NetworkPlace): Promise<CheckResult> {
  const address = addressOf(place);
  if (!URL.canParse(address)) {
    return fail('network', `${address} is no address`, 'correct --network: whatsapp, sandbox or a ws:// URL');
  }
  const endpoint = endpointOf(address);
  const found = await reach(endpoint);
  if (found.reached)
    return ok('network', `${place.network}: connected to ${show(endpoint)} in ${found.ms} ms`);
  return fail(
    'network',
    `${place.network}: ${show(endpoint)} cannot be reached: ${found.reason}`,
    adviceFor(place),
  );
}

function addressOf({ network, sandboxUrl }: NetworkPlace): string {
  if (network === 'whatsapp') return WHATSAPP;
  if (network === 'sandbox') return sandboxUrl;
  return network.replace(/^sandbox\+/, '');
}

function adviceFor({ network }: NetworkPlace): string {
  if (network === 'whatsapp')
    return 'let this machine connect to web.whatsapp.com:443 (firewall, DNS, proxy)';
  if (network === 'sandbox')
    return 'start the daemon with --network sandbox, or name its port with --sandbox-port';
  return 'start the sandbox: switchboard sandbox start';
}

function show({ host, port }: Endpoint): string {
  return `${host}:${port}`;
}
