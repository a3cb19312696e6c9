import type { Lease, Node } from '../../../../contract/index.js';
import { parseObject } from '../../../../domain/json.js';
import { CliError } from '../../errors.js';
import { exchange } from '../../http.js';
import { SILENT_AFTER_S, sessionCount, sharesItsStore } from '../../nodes.js';
import { spanText } from '../../text.js';
import { type Finding, type GeneralCheck, passed, problem, skipped } from '../check.js';
import type { DoctorContext } from '../context.js';

export const nodes: GeneralCheck = {
  id: 'nodes',
  needs: ['token', 'store'],
  async run(context) {
    try {
      const { nodes } = await context.nodes();
      if (!nodes.some(sharesItsStore)) return skipped('this is the only node');
      return silence(nodes) ?? twins(nodes) ?? versions(nodes) ?? draining(nodes) ?? all(nodes);
    } catch (error) {
      if (!(error instanceof CliError) || error.failure !== 'unauthorized') throw error;
      return skipped('only the master token may list nodes');
    }
  },
};

/** The node has missed its heartbeats. */
function isSilent({ silentSeconds }: Node): boolean {
  return silentSeconds >= SILENT_AFTER_S;
}

function all(nodes: readonly Node[]): Finding {
  const shown = nodes.map(({ podName, sessions }) => `${podName} with ${sessionCount(sessions)}`);
  return passed(`${nodes.length === 1 ? '1 node' : `${nodes.length} nodes`}: ${shown.join(', ')}`, {
    count: nodes.length,
  });
}

function silence(nodes: readonly Node[]): Finding | undefined {
  const silent = nodes.filter(isSilent);
  if (silent.length === 0) return undefined;
  const shown = silent.map(({ podName, silentSeconds }) => `${podName} for ${silentSeconds} s`);
  const advice =
    'restart it if it is gone or hangs; if it runs, see in its log why it cannot reach the store. ' +
    'Other nodes take its sessions when their leases expire';
  return problem('node-silent', `no heartbeat of ${shown.join(', ')}`, advice, {
    nodes: names(silent),
  });
}

function twins(nodes: readonly Node[]): Finding | undefined {
  const twins = nodes.filter(({ podName }, place) =>
    nodes.some((other, at) => at !== place && other.podName === podName),
  );
  const [twin] = twins;
  if (!twin) return undefined;
  const advice = 'give each node its own name: --node-name or SWITCHBOARD_NODE_NAME';
  const detail = `several nodes have the name ${twin.podName}`;
  return problem('node-name-twice', detail, advice, { nodes: names(twins) });
}

function versions(nodes: readonly Node[]): Finding | undefined {
  if (nodes.every(({ version }) => version === nodes[0]?.version)) return undefined;
  const shown = nodes.map(({ podName, version }) => `${podName} (${version})`).join(', ');
  const advice = 'finish the update: restart the older nodes one after the other';
  return problem('node-versions-differ', `nodes have different versions: ${shown}`, advice, {
    nodes: shown,
  });
}

function draining(nodes: readonly Node[]): Finding | undefined {
  const drained = nodes.filter((node) => node.draining);
  const [first] = drained;
  if (!first) return undefined;
  const shown = drained.map(({ podName, sessions }) => `${podName} with ${sessionCount(sessions)} left`);
  const rest =
    drained.length < nodes.length ? '' : '; no node takes new sessions, nor those of a node that fails';
  const advice = `stop it when it holds no sessions, or end the drain: switchboard nodes drain ${first.podName} --undo`;
  return problem('node-draining', `draining: ${shown.join(', ')}${rest}`, advice, { nodes: names(drained) });
}

function names(nodes: readonly Node[]): string {
  return nodes.map(({ podName, nodeId }) => `${podName} (${nodeId})`).join(', ');
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const NAME_IT = 'set the URL at which other nodes reach it: --node-url or SWITCHBOARD_NODE_URL';

export const nodeUrls: GeneralCheck = {
  id: 'node-urls',
  needs: ['nodes'],
  async run(context) {
    const { nodes } = await context.nodes();
    const there = nodes.filter((node) => !isSilent(node));
    if (there.length < 2) return passed('no other node');
    const local = there.filter(({ url }) => isLoopback(url));
    const [astray] = local;
    if (astray && local.length < there.length) return loopbackUrl(astray);
    const unheard = new Set(
      (await context.fleet()).nodes.flatMap((row) => (row.reachable ? [] : row.nodeId)),
    );
    const lost = there.find(({ nodeId, self }) => !self && unheard.has(nodeId));
    if (lost) return unreachable(lost, there, context);
    return passed(`${there.length} nodes; the one that answered reaches all others`, {
      count: there.length,
    });
  },
};

function loopbackUrl({ podName, url }: Node): Finding {
  const detail = `${podName} announces ${url}, a loopback address that other machines cannot reach`;
  return problem('node-url-loopback', detail, NAME_IT, { node: podName, url });
}

async function unreachable(
  { podName, url }: Node,
  nodes: readonly Node[],
  context: DoctorContext,
): Promise<Finding> {
  const asker = nodes.find(({ self }) => self)?.podName ?? 'the node that answered';
  const facts = { node: podName, url };
  const answers = await whoAnswers(url, context.options.limits.probeMs);
  if (answers !== undefined && answers !== podName) {
    const detail = `${podName} announces ${url}, but ${answers || 'another server'} answers there`;
    return problem('node-url-stranger', detail, `${NAME_IT}, not that of a load balancer`, facts);
  }
  const isHeardHere = answers !== undefined;
  const detail = `${asker} cannot reach ${podName} at ${url}; this machine ${isHeardHere ? 'can' : 'cannot either'}`;
  const advice = isHeardHere ? `start both nodes with the same --token; or ${NAME_IT}` : NAME_IT;
  return problem(
    'node-unreachable',
    detail,
    `${advice}; or allow connections between nodes: check firewall and DNS`,
    facts,
  );
}

/** Name of the daemon at a URL; empty if another server answers, undefined if none does. */
async function whoAnswers(url: string, timeoutMs: number): Promise<string | undefined> {
  try {
    const { text } = await exchange(new URL(`${url}/health/live`), { timeoutMs });
    return String(parseObject(text)?.podName ?? '');
  } catch {
    return undefined;
  }
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);
}

/** Nodes renew a lease while two thirds of its time are left. */
const OVERDUE_PART = 1 / 3;

export const leases: GeneralCheck = {
  id: 'leases',
  needs: ['nodes'],
  async run(context) {
    const { nodes, leases = [] } = await context.nodes();
    const facts = { held: leases.length };
    const longest = Math.max(0, ...leases.map(({ leftSeconds }) => leftSeconds));
    const least = Math.max(1, longest * OVERDUE_PART);
    const overdue = leases.filter((lease) => isOverdue(lease, nodes, least));
    if (overdue.length > 0) {
      const last = Math.max(...overdue.map(({ leftSeconds }) => leftSeconds));
      const detail = `${sessionCount(overdue.length)} of ${holders(overdue)}: lease not renewed, expires within ${last} s`;
      const advice =
        'other nodes then take these sessions, unless all are draining; find out why the node does not renew: ' +
        'see its log and its connection to the store, and whether its machine was paused';
      return problem('leases-overdue', detail, advice, { ...facts, overdue: overdue.length });
    }
    if (leases.length === 0) return passed('no node holds a session', facts);
    const oldest = Math.max(...leases.map(({ ageSeconds }) => ageSeconds));
    return passed(`${sessionCount(leases.length)} held, the longest for ${spanText(oldest * 1_000)}`, facts);
  },
};

/** @param least minimum of seconds left on a lease that is renewed in time */
function isOverdue({ nodeId, leftSeconds }: Lease, nodes: readonly Node[], least: number): boolean {
  const node = nodes.find((one) => one.nodeId === nodeId);
  return node === undefined || isSilent(node) || leftSeconds < least;
}

function holders(leases: readonly Lease[]): string {
  return [...new Set(leases.map(({ podName }) => podName || 'a node that is gone'))].join(', ');
}
