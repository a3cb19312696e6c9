import { parseObject } from '../../json-api.js';
import type { NodeView } from '../../nodes.js';
import { exchange } from '../../transport.js';
import { type Finding, fine, type GeneralCheck, wrong } from '../check.js';
import type { Room } from '../room.js';
import { isSilent } from './nodes.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const NAME_IT = 'name the address under which the others reach it: --node-url or SWITCHBOARD_NODE_URL';

/** Do nodes reach each other, so that requests get to the one that holds the session? */
export const nodeUrls: GeneralCheck = {
  id: 'node-urls',
  needs: ['nodes'],
  async look(room) {
    const { nodes } = await room.nodes();
    const there = nodes.filter((node) => !isSilent(node));
    if (there.length < 2) return fine('there is nobody else to be reached');
    const local = there.filter(({ url }) => isLoopback(url));
    const [astray] = local;
    if (astray && local.length < there.length) return leadsBack(astray);
    const unheard = new Set((await room.fleet()).nodes.flatMap((row) => (row.reachable ? [] : row.nodeId)));
    const lost = there.find(({ nodeId, self }) => !self && unheard.has(nodeId));
    if (lost) return unreachable(lost, there, room);
    return fine(`${there.length} nodes, and the one that was asked reaches all others`, {
      count: there.length,
    });
  },
};

/** Others are on other machines, as their addresses show. */
function leadsBack({ podName, url }: NodeView): Finding {
  const detail = `${podName} tells the others that it is at ${url}, which leads each of them to itself`;
  return wrong('node-url-loopback', detail, NAME_IT, { node: podName, url });
}

async function unreachable(
  { podName, url }: NodeView,
  nodes: readonly NodeView[],
  room: Room,
): Promise<Finding> {
  const asker = nodes.find(({ self }) => self)?.podName ?? 'the node that was asked';
  const facts = { node: podName, url };
  const answers = await whoAnswers(url, room.options.limits.probeMs);
  if (answers !== undefined && answers !== podName) {
    const detail = `${podName} tells the others that it is at ${url}, where ${answers || 'something else'} answers`;
    return wrong('node-url-stranger', detail, `${NAME_IT}, not that of a load balancer`, facts);
  }
  const isHeardHere = answers !== undefined;
  const detail = `${asker} does not reach ${podName} at ${url}; ${isHeardHere ? 'this machine does' : 'neither does this machine'}`;
  const advice = isHeardHere ? `start both with the same --token; or ${NAME_IT}` : NAME_IT;
  return wrong(
    'node-unreachable',
    detail,
    `${advice}; or let nodes connect to each other: firewall, DNS`,
    facts,
  );
}

/** The name of the daemon at an address, as seen from here; empty when it is none, undefined when nothing answers. */
async function whoAnswers(url: string, timeoutMs: number): Promise<string | undefined> {
  try {
    const { text } = await exchange(new URL(`${url}/health/live`), { timeoutMs });
    return String(parseObject<{ podName?: unknown }>(text)?.podName ?? '');
  } catch {
    return undefined;
  }
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);
}
