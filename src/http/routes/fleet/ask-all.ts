import type { LeaseView, NodeView, Services, SessionView } from '../../../services/services.js';
import type { Parts } from '../../route.js';
import type { Report } from './report.js';
import { type FleetRequest, reportOf } from './report-of-node.js';

/** Sessions that are looked up one by one; for more the whole list is read, which takes longer. */
const ONE_BY_ONE = 20;
/** Sessions that no node holds, of which so many are shown at most. */
const UNHELD = 10_000;

/** A request for the fleet. */
export interface FleetQuestion extends FleetRequest {
  /** The session that is wanted; all are when it is undefined. */
  only: string | undefined;
  /** The session that the caller is confined to. */
  confined: string | undefined;
}

/** What was told of a cluster. */
export interface Told {
  /** By the store. */
  known: { nodes: readonly NodeView[]; leases: readonly LeaseView[] };
  /** What each node has told that has answered, the asking one first, by nodeId. */
  reports: ReadonlyMap<string, Report>;
  /** Sessions that none of them has told of. */
  untold: readonly SessionView[];
}

/** What one node knows by itself. */
export function toldByOne(own: Report): Told {
  return { known: { nodes: [], leases: [] }, reports: new Map([[own.node.nodeId, own]]), untold: [] };
}

/** Asks the store who is there, and then all other nodes at the same time. @throws GatewayError store_unavailable */
export async function askAll(
  own: Report,
  { services, peers }: Parts,
  question: FleetQuestion,
): Promise<Told> {
  const { only, confined } = question;
  const [nodes, leases, unheld] = await Promise.all([
    services.nodes.list(),
    services.nodes.leases(only),
    only === undefined ? services.nodes.unheld(UNHELD) : [only],
  ]);
  const others = nodes.filter(({ self }) => !self);
  const answers = await Promise.all(others.map((node) => reportOf(node, peers, question, confined)));
  const reports = new Map(
    [own, ...answers].flatMap((report) => (report ? [[report.node.nodeId, report]] : [])),
  );
  const existing = [...leases.map(({ clientId }) => clientId), ...unheld];
  return { known: { nodes, leases }, reports, untold: await untoldOf(existing, reports, services) };
}

/** @param existing sessions that may be there, of which nodes should have told */
async function untoldOf(
  existing: readonly string[],
  reports: ReadonlyMap<string, Report>,
  { sessions }: Pick<Services, 'sessions'>,
): Promise<SessionView[]> {
  const told = new Set(
    [...reports.values()].flatMap((report) => report.sessions.map(({ clientId }) => clientId)),
  );
  const untold = new Set(existing.filter((clientId) => !told.has(clientId)));
  if (untold.size > ONE_BY_ONE) return (await sessions.list()).filter(({ clientId }) => untold.has(clientId));
  return (await Promise.all([...untold].map((clientId) => sessions.list(clientId)))).flat();
}
