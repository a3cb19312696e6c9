import { isTerminal } from '../../../domain/session.js';
import { originOf } from '../../../domain/shown-url.js';
import type { FleetSession, LeaseView, NodeView, SessionView } from '../../../services/services.js';
import type { Told } from './ask-all.js';
import type { NodeReport, Report } from './report.js';

/** A node of the fleet; what it has not told is absent. */
export interface FleetNode
  extends Pick<NodeReport, 'nodeId' | 'podName' | 'version' | 'startedAt' | 'uptimeSeconds' | 'sessions'>,
    Partial<Pick<NodeReport, 'memory' | 'store' | 'network' | 'deliveries'>> {
  /** The one that answers. */
  self: boolean;
  /** It has answered. */
  reachable: boolean;
  draining: boolean;
  /** Since it last told the store that it is there. */
  silentSeconds: number;
}

/** A session with the node that holds it; empty when none does. */
export interface FleetRow extends FleetSession {
  podName: string;
  /** Where nodes share a store. */
  lease?: Pick<LeaseView, 'epoch' | 'ageSeconds' | 'leftSeconds'>;
}

export interface MergeOptions extends Told {
  selfId: string;
  /** Of this node: milliseconds since the epoch. */
  now: number;
  /** The caller sees one session only. */
  isConfined: boolean;
}

/** All nodes and sessions of a cluster: what the nodes tell, and what the store knows of those that tell nothing. */
export function merged(options: MergeOptions): { nodes: FleetNode[]; sessions: FleetRow[] } {
  return { nodes: mergedNodes(options), sessions: mergedSessions(options) };
}

function mergedNodes({ known, reports, selfId, now, isConfined }: MergeOptions): FleetNode[] {
  const seen = new Map(known.nodes.map((view) => [view.nodeId, view]));
  const unlisted = [...reports.values()].filter(({ node }) => !seen.has(node.nodeId));
  const listed = known.nodes.map((view): FleetNode => {
    const { self, draining, silentSeconds } = view;
    const node = reports.get(view.nodeId)?.node;
    if (node) return { ...node, self, reachable: true, draining, silentSeconds };
    const held = isConfined
      ? known.leases.filter(({ nodeId }) => nodeId === view.nodeId).length
      : view.sessions;
    return silent(view, held, now);
  });
  const standing = { reachable: true, draining: false, silentSeconds: 0 };
  return [...unlisted.map(({ node }) => ({ ...node, self: node.nodeId === selfId, ...standing })), ...listed];
}

/** A node that does not answer: nobody knows how its sessions are, so that they count as down. */
function silent(view: NodeView, held: number, now: number): FleetNode {
  const { nodeId, podName, self, version, draining, ageSeconds, silentSeconds } = view;
  const sessions = { total: held, connected: 0, down: held, terminal: 0 };
  const startedAt = new Date(now - ageSeconds * 1_000).toISOString();
  const standing = { self, reachable: false, draining, silentSeconds };
  return { nodeId, podName, version, startedAt, uptimeSeconds: ageSeconds, ...standing, sessions };
}

function mergedSessions({ known, reports, untold }: MergeOptions): FleetRow[] {
  const leases = new Map(known.leases.map((lease) => [lease.clientId, lease]));
  const rows = new Map<string, FleetRow>();
  for (const [nodeId, { node, sessions }] of reports) {
    for (const session of sessions) {
      const lease = leases.get(session.clientId);
      // on its way from one node to another it may be seen at both
      if (rows.has(session.clientId) && lease?.nodeId !== nodeId) continue;
      rows.set(session.clientId, { ...session, podName: node.podName, ...leaseOf(lease) });
    }
  }
  for (const view of untold) rows.set(view.clientId, unseen(view, leases.get(view.clientId), reports));
  return [...rows.values()].sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
}

function leaseOf(lease: LeaseView | undefined): Pick<FleetRow, 'lease'> {
  if (!lease) return {};
  const { epoch, ageSeconds, leftSeconds } = lease;
  return { lease: { epoch, ageSeconds, leftSeconds } };
}

/** A session that no node has told of. */
function unseen(
  { clientId, jid, status, reason, orgId, webhookUrl, enableGroupAi }: SessionView,
  lease: LeaseView | undefined,
  reports: ReadonlyMap<string, Report>,
): FleetRow {
  const ended = isTerminal(status);
  const isPaired = jid !== '' && !ended;
  return {
    clientId,
    podName: lease?.podName ?? '',
    ...leaseOf(lease),
    jid,
    status: ended ? status : isPaired ? 'reconnecting' : 'initializing',
    reason: [reason, whyUnseen(lease, reports)].filter(Boolean).join('; '),
    since: '',
    connected: false,
    loggedIn: isPaired,
    enableGroupAi,
    reconnects: 0,
    connectedAt: '',
    lastDisconnect: '',
    lastStanzaAt: '',
    retryAt: '',
    openJournal: 0,
    orgId,
    webhook: { origin: originOf(webhookUrl), waiting: 0, inFlight: 0, failed: 0, delivered: 0, dropped: 0 },
  };
}

function whyUnseen(lease: LeaseView | undefined, reports: ReadonlyMap<string, Report>): string {
  if (!lease) return 'no node holds it: one takes it within seconds, unless all are draining';
  if (!lease.podName) return `the node that held it is gone: another one takes it in ${lease.leftSeconds} s`;
  if (reports.has(lease.nodeId)) return `the node ${lease.podName} is taking it up`;
  return `the node ${lease.podName}, which holds it, does not answer`;
}
