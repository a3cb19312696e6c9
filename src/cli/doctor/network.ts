import { type CheckResult, fail, ok } from './check.js';
import { type Endpoint, endpointOf, reach } from './reach.js';

const WHATSAPP = 'https://web.whatsapp.com';

/**
 * Can the network be reached from this machine?
 * @param network the setting: `whatsapp`, `sandbox`, `sandbox+ws://…` or `ws(s)://…`
 */
export async function checkNetwork(network: string): Promise<CheckResult> {
  if (network === 'sandbox') return ok('network', 'sandbox: it runs inside the daemon');
  const address = network === 'whatsapp' ? WHATSAPP : network.replace(/^sandbox\+/, '');
  if (!URL.canParse(address)) {
    return fail('network', `${address} is no address`, 'correct --network: whatsapp, sandbox or a ws:// URL');
  }
  const endpoint = endpointOf(address);
  const found = await reach(endpoint);
  if (found.reached) return ok('network', `${network}: connected to ${show(endpoint)} in ${found.ms} ms`);
  const detail = `${network}: ${show(endpoint)} cannot be reached: ${found.reason}`;
  return fail('network', detail, adviceFor(network));
}

function adviceFor(network: string): string {
  if (network === 'whatsapp')
    return 'let this machine connect to web.whatsapp.com:443 (firewall, DNS, proxy)';
  return 'start the sandbox: switchboard sandbox start';
}

function show({ host, port }: Endpoint): string {
  return `${host}:${port}`;
}
