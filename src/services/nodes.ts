import { GatewayError } from '../domain/errors.js';
import type { Nodes } from './services.js';

export interface SoleNodeOptions {
  podName: string;
  version: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** How many there are. */
  sessions(): number;
}

/** The only node of a store that nodes cannot share. */
export function soleNode({ podName, version, now, sessions }: SoleNodeOptions): Nodes {
  const startedAt = now();
  return {
    list: async () => [
      {
        nodeId: podName,
        podName,
        url: '',
        self: true,
        version,
        draining: false,
        ageSeconds: Math.floor((now() - startedAt) / 1_000),
        silentSeconds: 0,
        sessions: sessions(),
      },
    ],
    leases: async () => [],
    async drain() {
      throw new GatewayError(
        'nodes_unsupported',
        'there is only one node: several need MongoDB as their store; see docs/clustering.md',
      );
    },
  };
}
