import type { FleetAnswer } from '../../../../contract/index.js';
import type { ConnectionFault } from '../../../../domain/connection-fault.js';
import { type Finding, type GeneralCheck, passed, problem, skipped, type Troubles } from '../check.js';
import type { DoctorContext } from '../context.js';
import { endpointOf, faultFact, reach, shown } from '../reach.js';

const WHATSAPP = 'https://web.whatsapp.com';
const OPEN_THE_WAY = 'allow connections from this machine: check firewall, proxy and DNS';

const UNREACHABLE: Troubles<ConnectionFault> = {
  refused: [
    'network-refused',
    'start the sandbox (switchboard sandbox start), correct the address, or open the firewall',
  ],
  timeout: ['network-timeout', OPEN_THE_WAY],
  unknown_host: ['network-unknown-host', 'fix name resolution (DNS) on this machine'],
  tls: ['network-tls', 'a proxy or virus scanner intercepts TLS: exclude this host from it'],
  unreachable: ['network-unreachable', OPEN_THE_WAY],
};

export const network: GeneralCheck = {
  id: 'network',
  needs: [],
  async run(context) {
    if (!context.options.network && (await context.isDaemonUp()) && !(await hasConfig(context))) {
      return skipped(
        'only the daemon knows its network, and it does not accept the token; --network tests from this machine',
      );
    }
    const name = await networkOf(context);
    if (!context.isLocal && !context.options.network) return fromFleet(name, context);
    if (name === 'sandbox') return passed('sandbox: runs inside the daemon', { network: name });
    const address = name === 'whatsapp' ? WHATSAPP : name.replace(/^sandbox\+/, '');
    if (URL.canParse(address)) return reachAt(name, address);
    const advice = 'set whatsapp, sandbox or a ws:// URL';
    return problem('network-address', `${address} is not a URL`, advice, { network: name });
  },
};

/** This machine cannot test the connection of a remote daemon. */
async function fromFleet(name: string, context: DoctorContext): Promise<Finding> {
  const state = await context.fleet().then(stateIn, () => 'unknown' as const);
  const facts = { network: name, state };
  if (state === 'ok') return passed(`${name}: the daemon receives traffic`, facts);
  if (state === 'unknown')
    return skipped('no session of that daemon is online to tell; --network tests from this machine');
  const advice = `allow connections from the daemon's machine: check firewall, proxy and DNS`;
  return problem('network-unreachable', `${name}: no session of the daemon is connected`, advice, facts);
}

/** `ok` if any node receives traffic. */
function stateIn({ nodes }: FleetAnswer): 'ok' | 'down' | 'unknown' {
  const states = nodes.map(({ network }) => network?.state);
  return states.includes('ok') ? 'ok' : states.includes('down') ? 'down' : 'unknown';
}

async function reachAt(name: string, address: string): Promise<Finding> {
  const endpoint = endpointOf(address);
  const place = shown(endpoint);
  const found = await reach(endpoint);
  if (found.reached) {
    return passed(`${name}: connected to ${place} in ${found.ms} ms`, { network: name, ms: found.ms });
  }
  const [trouble, advice] = UNREACHABLE[found.fault];
  const facts = { network: name, fault: faultFact(found.fault) };
  return problem(trouble, `${name}: ${place} cannot be reached: ${found.reason}`, advice, facts);
}

async function hasConfig(context: DoctorContext): Promise<boolean> {
  return context.config().then(
    () => true,
    () => false,
  );
}

/** The given network, else the daemon's, else that of the settings. */
async function networkOf(context: DoctorContext): Promise<string> {
  const { network: named } = context.options;
  if (named) return named;
  const daemon = (await context.isDaemonUp()) && (await context.config().catch(() => undefined));
  if (daemon) return daemon.environment;
  const settings = await context.settings().catch(() => undefined);
  return settings?.network ?? 'whatsapp';
}
