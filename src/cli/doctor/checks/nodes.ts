import { CliError } from '../../cli-error.js';
import { type NodeView, SILENT_AFTER_S, sessionCount, sharesItsStore } from '../../nodes.js';
import { type Finding, fine, type GeneralCheck, skipped, wrong } from '../check.js';

/** Which nodes share the store, and do they fit together? */
export const nodes: GeneralCheck = {
  id: 'nodes',
  needs: ['token', 'store'],
  async look(room) {
    try {
      const { nodes } = await room.nodes();
      if (!nodes.some(sharesItsStore)) return skipped('there is one node only, with a store of its own');
      return silence(nodes) ?? twins(nodes) ?? versions(nodes) ?? draining(nodes) ?? all(nodes);
    } catch (error) {
      if (!(error instanceof CliError) || error.failure !== 'unauthorized') throw error;
      return skipped('only the master token sees them');
    }
  },
};

/** A node that says every second that it is there has not for longer. */
export function isSilent({ silentSeconds }: NodeView): boolean {
  return silentSeconds >= SILENT_AFTER_S;
}

function all(nodes: readonly NodeView[]): Finding {
  const shown = nodes.map(({ podName, sessions }) => `${podName} with ${sessionCount(sessions)}`);
  return fine(`${nodes.length === 1 ? '1 node' : `${nodes.length} nodes`}: ${shown.join(', ')}`, {
    count: nodes.length,
  });
}

function silence(nodes: readonly NodeView[]): Finding | undefined {
  const silent = nodes.filter(isSilent);
  if (silent.length === 0) return undefined;
  const shown = silent.map(({ podName, silentSeconds }) => `${podName} for ${silentSeconds} s`);
  const advice =
    'start it again if it is gone or hangs; if it runs, see in its log why it cannot reach the store. ' +
    'Others take its sessions when their leases run out';
  return wrong('node-silent', `the store has heard nothing of ${shown.join(', ')}`, advice, {
    nodes: names(silent),
  });
}

function twins(nodes: readonly NodeView[]): Finding | undefined {
  const twins = nodes.filter(({ podName }, place) =>
    nodes.some((other, at) => at !== place && other.podName === podName),
  );
  const [twin] = twins;
  if (!twin) return undefined;
  const advice = 'give each a name of its own: --node-name or SWITCHBOARD_NODE_NAME';
  const detail = `several nodes are called ${twin.podName}, so that nobody can tell which is meant`;
  return wrong('node-name-twice', detail, advice, { nodes: names(twins) });
}

function versions(nodes: readonly NodeView[]): Finding | undefined {
  if (nodes.every(({ version }) => version === nodes[0]?.version)) return undefined;
  const shown = nodes.map(({ podName, version }) => `${podName} of ${version}`).join(', ');
  const advice = 'finish the update: start the older ones anew, one after the other';
  return wrong('node-versions-differ', `nodes are of different versions: ${shown}`, advice, { nodes: shown });
}

function draining(nodes: readonly NodeView[]): Finding | undefined {
  const drained = nodes.filter((node) => node.draining);
  const [first] = drained;
  if (!first) return undefined;
  const shown = drained.map(({ podName, sessions }) => `${podName} with ${sessionCount(sessions)} left`);
  const rest =
    drained.length < nodes.length
      ? ''
      : '; nobody takes sessions now, and nobody takes over those of a node that fails';
  const advice = `stop it when it holds none, or let it take sessions again: switchboard nodes drain ${first.podName} --undo`;
  return wrong('node-draining', `draining: ${shown.join(', ')}${rest}`, advice, { nodes: names(drained) });
}

function names(nodes: readonly NodeView[]): string {
  return nodes.map(({ podName, nodeId }) => `${podName} (${nodeId})`).join(', ');
}
