import type { FleetAnswer } from '../../fleet/wire.js';
import { type Finding, fine, type GeneralCheck, skipped, wrong } from '../check.js';
import type { Fault } from '../fault.js';
import { endpointOf, reach, shown } from '../reach.js';
import type { Room } from '../room.js';
import type { Troubles } from '../troubles.js';

const WHATSAPP = 'https://web.whatsapp.com';
const OPEN_THE_WAY = 'let this machine connect there: firewall, proxy, DNS';

const UNREACHABLE: Troubles<Fault> = {
  refused: [
    'network-refused',
    'start the sandbox (switchboard sandbox start), correct the address, or open the firewall',
  ],
  timeout: ['network-timeout', OPEN_THE_WAY],
  'unknown-host': ['network-unknown-host', 'let this machine look names up: DNS'],
  tls: [
    'network-tls',
    'something in between opens the encryption: a proxy or virus scanner must leave it alone',
  ],
  unreachable: ['network-unreachable', OPEN_THE_WAY],
};

/** Can the messaging network be reached from this machine: name, connection, encryption? */
export const network: GeneralCheck = {
  id: 'network',
  needs: [],
  async look(room) {
    const name = await networkOf(room);
    if (!room.isLocal && !room.options.network) return asHeard(name, room);
    if (name === 'sandbox') return fine('sandbox: it runs inside the daemon', { network: name });
    const address = name === 'whatsapp' ? WHATSAPP : name.replace(/^sandbox\+/, '');
    if (URL.canParse(address)) return reachAt(name, address);
    const advice = 'correct it: whatsapp, sandbox or a ws:// URL';
    return wrong('network-address', `${address} is no address`, advice, { network: name });
  },
};

/** From here nothing can be told of another machine's way to the network. */
async function asHeard(name: string, room: Room): Promise<Finding> {
  const state = await room.fleet().then(stateIn, () => 'unknown' as const);
  const facts = { network: name, state };
  if (state === 'ok') return fine(`${name}: the daemon hears from it`, facts);
  if (state === 'unknown') return skipped('no session of that daemon could tell; --network looks from here');
  const advice = `let the daemon's machine connect to the network: firewall, proxy, DNS`;
  return wrong('network-unreachable', `${name}: no session of the daemon is connected`, advice, facts);
}

/** One node that hears from the network is enough. */
function stateIn({ nodes }: FleetAnswer): 'ok' | 'down' | 'unknown' {
  const states = nodes.map(({ network }) => network?.state);
  return states.includes('ok') ? 'ok' : states.includes('down') ? 'down' : 'unknown';
}

async function reachAt(name: string, address: string): Promise<Finding> {
  const endpoint = endpointOf(address);
  const place = shown(endpoint);
  const found = await reach(endpoint);
  if (found.reached) {
    return fine(`${name}: connected to ${place} in ${found.ms} ms`, { network: name, ms: found.ms });
  }
  const [trouble, advice] = UNREACHABLE[found.fault];
  const facts = { network: name, fault: found.fault };
  return wrong(trouble, `${name}: ${place} cannot be reached: ${found.reason}`, advice, facts);
}

/** The network in question: the one that was named, else the daemon's, else that of a daemon started here. */
async function networkOf(room: Room): Promise<string> {
  const { network: named } = room.options;
  if (named) return named;
  const daemon = (await room.isDaemonUp()) && (await room.config().catch(() => undefined));
  if (daemon) return daemon.environment;
  const settings = await room.settings().catch(() => undefined);
  return settings?.network ?? 'whatsapp';
}
