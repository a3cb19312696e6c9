import type { Lease, Node } from '../../contract/index.js';
import { type Clock, wait } from '../../domain/clock.js';
import { type DaemonClient, isRefusal } from './client.js';
import { CliError } from './errors.js';
import type { Paint } from './output.js';
import { spanText } from './text.js';

/** Milliseconds between two polls of a draining node. */
const LOOK_EVERY_MS = 500;
/** Seconds without a heartbeat; nodes send one every second. */
export const SILENT_AFTER_S = 5;

/**
 * Starts or ends the drain of a node.
 * @param node name or nodeId
 * @throws CliError `not_found`, `conflict` if the name is ambiguous or the store supports only one node
 */
export async function drainNode(client: DaemonClient, node: string, draining: boolean): Promise<Node> {
  try {
    return (await client.drainNode({ node, draining })).node;
  } catch (error) {
    if (!(error instanceof CliError) || !['not_found', 'conflict'].includes(error.failure)) throw error;
    if (isRefusal(error, 'nodes_unsupported')) throw error;
    const suggestions = ['list the nodes with their ids: switchboard nodes list'];
    throw new CliError(error.failure, error.message, { suggestions, cause: error });
  }
}

/** True if the store supports several nodes. */
export function sharesItsStore({ url }: Node): boolean {
  return url !== '';
}

/** True if another node can take the sessions of this one. */
export function hasTaker(nodes: readonly Node[], { nodeId }: Node): boolean {
  return nodes.some((other) => other.nodeId !== nodeId && !other.draining);
}

/**
 * Yields the number of sessions that a node still holds, until it holds none or is gone.
 * @throws CliError `failure` after `timeoutMs`, `interrupted` if the signal aborts
 */
export async function* sessionsLeft(
  client: DaemonClient,
  { nodeId, podName }: Node,
  { timeoutMs, clock, signal }: { timeoutMs: number; clock: Clock; signal: AbortSignal },
): AsyncGenerator<number> {
  const endsAt = clock.now() + timeoutMs;
  for (;;) {
    const { nodes } = await client.listNodes();
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
    'check that another node takes sessions: switchboard nodes list',
    'wait longer: --timeout',
  ];
  return new CliError('failure', message, { suggestions });
}

/** A count with its noun: `3 sessions`. */
export function sessionCount(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}

export const NODES_HEAD = ['NODE', 'STATE', 'SESSIONS', 'UP', 'VERSION', 'URL', 'ID'] as const;
export const LEASES_HEAD = ['SESSION', 'NODE', 'HELD FOR', 'RUNS OUT IN', 'EPOCH'] as const;

export function nodeCells(node: Node, paint: Paint): string[] {
  const { podName, sessions, ageSeconds, version, url, nodeId } = node;
  return [podName, stateOf(node, paint), String(sessions), span(ageSeconds), version, url, nodeId];
}

export function leaseCells({ clientId, podName, nodeId, ...lease }: Lease, paint: Paint): string[] {
  const node = podName || paint('yellow', `gone (${nodeId})`);
  return [clientId, node, span(lease.ageSeconds), span(lease.leftSeconds), String(lease.epoch)];
}

function stateOf({ draining, silentSeconds, self }: Node, paint: Paint): string {
  if (silentSeconds >= SILENT_AFTER_S) return paint('red', `✗ silent for ${span(silentSeconds)}`);
  if (draining) return paint('yellow', '! draining');
  return paint('green', self ? '● answers' : '● there');
}

function span(seconds: number): string {
  return spanText(seconds * 1_000);
}
