import type { BrokerKind } from '../brokers.js';
import { isInstalled } from '../program.js';
import type { StorePlace } from '../store-place.js';
import { BROKER_FAULTS } from './brokers.js';
import type { FaultKind, Need } from './fault.js';
import { NETWORK_FAULTS } from './network.js';
import { PROCESS_FAULTS } from './processes.js';
import { RECEIVER_FAULTS } from './receivers.js';
import { STORE_FAULTS } from './store.js';

/** All kinds of faults. */
export const FAULT_KINDS: readonly FaultKind[] = [
  ...PROCESS_FAULTS,
  ...STORE_FAULTS,
  ...NETWORK_FAULTS,
  ...RECEIVER_FAULTS,
  ...BROKER_FAULTS,
];

/** Reason why a kind of fault is not played. */
export type NotRunReason = Need | 'no-time';

export interface NotRun {
  kind: string;
  reason: NotRunReason;
}

/** The requirements that this drill and machine fulfil. */
export async function whatIsThere(
  nodes: number,
  store: StorePlace | undefined,
  brokers: readonly BrokerKind[],
): Promise<ReadonlySet<Need>> {
  const there = new Set<Need>([store ? 'mongodb' : 'sqlite']);
  if (nodes > 1) there.add('several-nodes');
  if (store?.urlBy) there.add('store-relay');
  if (await isInstalled('prlimit')) there.add('prlimit');
  if (brokers.length > 0) there.add('broker');
  return there;
}

/** Separates kinds that can be played from those that cannot. @param there fulfilled requirements */
export function playable(
  wanted: readonly FaultKind[],
  there: ReadonlySet<Need>,
): { kinds: FaultKind[]; notRun: NotRun[] } {
  const notRun = wanted.flatMap(({ name: kind, needs }) => {
    const reason = needs.find((need) => !there.has(need));
    return reason === undefined ? [] : [{ kind, reason }];
  });
  const missing = new Set(notRun.map(({ kind }) => kind));
  return { kinds: wanted.filter(({ name }) => !missing.has(name)), notRun };
}
