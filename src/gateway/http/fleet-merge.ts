import type { FleetNode, FleetSession, Lease, Node } from '../../contract/fleet.js';
import { isGatewayError } from '../../domain/errors.js';
import { type Reason, reason, toFields } from '../../domain/reasons.js';
import { isTerminal } from '../../domain/session.js';
import { originOf } from '../../domain/text.js';
import type { Services, SessionView } from '../services/services.js';
import { type FleetRequest, type Report, reportOf } from './fleet-report.js';
import type { Parts } from './route.js';

/** Up to this many sessions are looked up one by one; for more the whole list is read. */
const ONE_BY_ONE = 20;
/** Sessions without a node that are shown, at most. */
const UNHELD = 10_000;

/** A request for the fleet. */
interface FleetQuestion extends FleetRequest {
  /** The requested session; undefined requests all. */
  only: string | undefined;
  /** The session to which the caller is limited. */
  confined: string | undefined;
}

/** The data that a cluster-wide answer is merged from. */
interface Known {
  /** Nodes and leases from the store. */
  known: { nodes: readonly Node[]; leases: readonly Lease[] };
  /** Report of each node that answered, by nodeId; that of this node first. */
  reports: ReadonlyMap<string, Report>;
  /** Sessions that no report contains. */
  unreported: readonly SessionView[];
}

/**
 * All nodes and sessions of a cluster: the reports of the nodes, and rows from the store for nodes that do not answer.
 * While the store is unavailable, only the report of this node.
 */
export async function mergedFleet(
  own: Report,
  parts: Parts,
  question: FleetQuestion,
): Promise<{ nodes: FleetNode[]; sessions: FleetSession[] }> {
  const known = await askAll(own, parts, question);
  const options = { selfId: own.node.nodeId, now: parts.now(), isConfined: question.confined !== undefined };
  return { nodes: mergedNodes({ ...known, ...options }), sessions: mergedSessions(known) };
}

async function askAll(own: Report, parts: Parts, question: FleetQuestion): Promise<Known> {
  const alone = {
    known: { nodes: [], leases: [] },
    reports: new Map([[own.node.nodeId, own]]),
    unreported: [],
  };
  if (!own.node.store.reachable) return alone;
  try {
    return await askOthers(own, parts, question);
  } catch (error) {
    if (isGatewayError(error, 'store_unavailable')) return alone;
    throw error;
  }
}

/** Reads nodes and leases from the store, then asks all other nodes in parallel. @throws GatewayError store_unavailable */
async function askOthers(own: Report, { services, peers }: Parts, question: FleetQuestion): Promise<Known> {
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
  return { known: { nodes, leases }, reports, unreported: await unreportedOf(existing, reports, services) };
}

/** @param existing sessions that exist, or may exist, and that nodes should have reported */
async function unreportedOf(
  existing: readonly string[],
  reports: ReadonlyMap<string, Report>,
  { sessions }: Pick<Services, 'sessions'>,
): Promise<SessionView[]> {
  const reported = new Set(
    [...reports.values()].flatMap((report) => report.sessions.map(({ clientId }) => clientId)),
  );
  const unreported = new Set(existing.filter((clientId) => !reported.has(clientId)));
  if (unreported.size > ONE_BY_ONE)
    return (await sessions.list()).filter(({ clientId }) => unreported.has(clientId));
  return (await Promise.all([...unreported].map((clientId) => sessions.list(clientId)))).flat();
}

function mergedNodes({
  known,
  reports,
  selfId,
  now,
  isConfined,
}: Known & { selfId: string; now: number; isConfined: boolean }): FleetNode[] {
  const seen = new Map(known.nodes.map((view) => [view.nodeId, view]));
  const unlisted = [...reports.values()].filter(({ node }) => !seen.has(node.nodeId));
  const listed = known.nodes.map((view): FleetNode => {
    const { self, draining, silentSeconds } = view;
    const node = reports.get(view.nodeId)?.node;
    if (node) return { ...node, self, reachable: true, draining, silentSeconds };
    const held = isConfined
      ? known.leases.filter(({ nodeId }) => nodeId === view.nodeId).length
      : view.sessions;
    return silentNode(view, held, now);
  });
  const standing = { reachable: true, draining: false, silentSeconds: 0 };
  return [...unlisted.map(({ node }) => ({ ...node, self: node.nodeId === selfId, ...standing })), ...listed];
}

/** A node that does not answer: the state of its sessions is unknown, so they count as down. */
function silentNode(view: Node, held: number, now: number): FleetNode {
  const { nodeId, podName, self, version, draining, ageSeconds, silentSeconds } = view;
  const sessions = { total: held, connected: 0, down: held, terminal: 0 };
  const startedAt = new Date(now - ageSeconds * 1_000).toISOString();
  const standing = { self, reachable: false, draining, silentSeconds };
  return { nodeId, podName, version, startedAt, uptimeSeconds: ageSeconds, ...standing, sessions };
}

function mergedSessions({ known, reports, unreported }: Known): FleetSession[] {
  const leases = new Map(known.leases.map((lease) => [lease.clientId, lease]));
  const rows = new Map<string, FleetSession>();
  for (const [nodeId, { node, sessions }] of reports) {
    for (const session of sessions) {
      const lease = leases.get(session.clientId);
      // during a handover both nodes may report the session
      if (rows.has(session.clientId) && lease?.nodeId !== nodeId) continue;
      rows.set(session.clientId, { ...session, podName: node.podName, ...leaseOf(lease) });
    }
  }
  for (const view of unreported)
    rows.set(view.clientId, unreportedRow(view, leases.get(view.clientId), reports));
  return [...rows.values()].sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
}

function leaseOf(lease: Lease | undefined): Pick<FleetSession, 'lease'> {
  if (!lease) return {};
  const { epoch, ageSeconds, leftSeconds } = lease;
  return { lease: { epoch, ageSeconds, leftSeconds } };
}

/** The row of a session that no node has reported. */
function unreportedRow(
  {
    clientId,
    jid,
    status,
    reason: before,
    orgId,
    webhookUrl,
    enableGroupAi,
    rejectCalls,
    webhookPaused,
  }: SessionView,
  lease: Lease | undefined,
  reports: ReadonlyMap<string, Report>,
): FleetSession {
  const ended = isTerminal(status);
  const isPaired = jid !== '' && !ended;
  const why = whyUnreported(lease, reports);
  return {
    clientId,
    podName: lease?.podName ?? '',
    ...leaseOf(lease),
    jid,
    status: ended ? status : isPaired ? 'reconnecting' : 'initializing',
    ...toFields(before ? reason('unheld_with_reason', { before, why }) : why, clientId),
    since: '',
    connected: false,
    loggedIn: isPaired,
    enableGroupAi,
    rejectCalls,
    reconnects: 0,
    connectedAt: '',
    lastDisconnect: '',
    lastStanzaAt: '',
    retryAt: '',
    openJournal: 0,
    orgId,
    webhookPaused: webhookPaused || undefined,
    webhook: { origin: originOf(webhookUrl), waiting: 0, inFlight: 0, failed: 0, delivered: 0, dropped: 0 },
  };
}

function whyUnreported(lease: Lease | undefined, reports: ReadonlyMap<string, Report>): Reason {
  if (!lease) return reason('unheld', { kind: 'free' });
  const { podName, nodeId, leftSeconds } = lease;
  if (!podName) return reason('unheld', { kind: 'node_gone', seconds: String(leftSeconds) });
  return reason('unheld', { kind: reports.has(nodeId) ? 'taken_up' : 'node_silent', podName });
}
