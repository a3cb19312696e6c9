import { type Clock, wait } from '../domain/clock.js';
import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';

/** Milliseconds between two looks at a node that is being drained. */
const LOOK_EVERY_MS = 500;
/** Seconds: nodes say every second that they are there. */
export const SILENT_AFTER_S = 5;

/** A node, as `/nodes` shows it. */
export interface NodeView {
  nodeId: string;
  podName: string;
  /** Where other nodes reach it; empty where there can be only one. */
  url: string;
  /** The one that answers. */
  self: boolean;
  version: string;
  draining: boolean;
  ageSeconds: number;
  silentSeconds: number;
  sessions: number;
}

/** Which node holds a session; an empty `podName` is that of a node that is gone. */
export interface LeaseView {
  clientId: string;
  podName: string;
  nodeId: string;
  epoch: number;
  ageSeconds: number;
  leftSeconds: number;
}

export interface NodesAnswer {
  nodes: NodeView[];
  /** Only when they were asked for. */
  leases?: LeaseView[];
}

/** All nodes by name, and who holds which session when that is asked for. */
export function readNodes(client: DaemonClient, { leases }: { leases: boolean }): Promise<NodesAnswer> {
  return client.call('GET', '/nodes', { query: { leases: leases ? 'true' : undefined } });
}

/**
 * Has a node give its sessions away, or ends that.
 * @param node its name or its nodeId
 * @throws CliError `not_found`, `conflict` where several have that name or where there can be only one
 */
export async function drainNode(client: DaemonClient, node: string, draining: boolean): Promise<NodeView> {
  try {
    return (await client.call<{ node: NodeView }>('POST', '/nodes/drain', { body: { node, draining } })).node;
  } catch (error) {
    if (!(error instanceof CliError) || !['not_found', 'conflict'].includes(error.failure)) throw error;
    const suggestions = ['see which nodes there are, and their ids: switchboard nodes list'];
    throw new CliError(error.failure, error.message, { suggestions, cause: error });
  }
}

/** True when a node can be one of several. */
export function sharesItsStore({ url }: NodeView): boolean {
  return url !== '';
}

/** Whether any other node takes the sessions that this one gives away. */
export function hasTaker(nodes: readonly NodeView[], { nodeId }: NodeView): boolean {
  return nodes.some((other) => other.nodeId !== nodeId && !other.draining);
}

/**
 * How many sessions a node still holds, again and again until it holds none, or is gone.
 * @throws CliError `failure` after `timeoutMs`, `interrupted` when the signal aborts
 */
export async function* sessionsLeft(
  client: DaemonClient,
  { nodeId, podName }: NodeView,
  { timeoutMs, clock, signal }: { timeoutMs: number; clock: Clock; signal: AbortSignal },
): AsyncGenerator<number> {
  const endsAt = clock.now() + timeoutMs;
  for (;;) {
    const { nodes } = await readNodes(client, { leases: false });
    const left = nodes.find((node) => node.nodeId === nodeId)?.sessions ?? 0;
    yield left;
    if (left === 0) return;
    if (clock.now() >= endsAt) throw late(podName, left, timeoutMs);
    await wait(clock, LOOK_EVERY_MS, signal);
    if (signal.aborted) throw new CliError('interrupted', 'interrupted');
  }
}

function late(podName: string, left: number, timeoutMs: number): CliError {
  const message = `${podName} still holds ${sessionCount(left)} after ${Math.round(timeoutMs / 1_000)} s`;
  const suggestions = [
    'see whether another node takes sessions: switchboard nodes list',
    'wait for longer: --timeout',
  ];
  return new CliError('failure', message, { suggestions });
}

/** `3 sessions` */
export function sessionCount(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}
