import { spanText } from './fleet/ages.js';
import { type LeaseView, type NodeView, SILENT_AFTER_S } from './nodes.js';
import type { Paint } from './paint.js';

export const NODES_HEAD = ['NODE', 'STATE', 'SESSIONS', 'UP', 'VERSION', 'URL', 'ID'] as const;
export const LEASES_HEAD = ['SESSION', 'NODE', 'HELD FOR', 'RUNS OUT IN', 'EPOCH'] as const;

export function nodeCells(node: NodeView, paint: Paint): string[] {
  const { podName, sessions, ageSeconds, version, url, nodeId } = node;
  return [podName, stateOf(node, paint), String(sessions), span(ageSeconds), version, url, nodeId];
}

export function leaseCells({ clientId, podName, nodeId, ...lease }: LeaseView, paint: Paint): string[] {
  const node = podName || paint('yellow', `gone (${nodeId})`);
  return [clientId, node, span(lease.ageSeconds), span(lease.leftSeconds), String(lease.epoch)];
}

function stateOf({ draining, silentSeconds, self }: NodeView, paint: Paint): string {
  if (silentSeconds >= SILENT_AFTER_S) return paint('red', `✗ silent for ${span(silentSeconds)}`);
  if (draining) return paint('yellow', '! draining');
  return paint('green', self ? '● answers' : '● there');
}

function span(seconds: number): string {
  return spanText(seconds * 1_000);
}
