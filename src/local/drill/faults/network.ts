import type { FaultRequest } from '../../../client/sandbox/client.js';
import { systemClock, wait } from '../../../domain/clock.js';
import type { Lab } from '../lab.js';
import type { DrillSession } from '../people.js';
import type { FaultKind } from './fault.js';
import { drain } from './processes.js';

/** Milliseconds between two cuts of a flapping network. */
const FLAP_MS = 500;
/** Milliseconds by which a slow network delays each stanza. */
const SLOW_MS = 400;
/** Milliseconds before a reconnected session is hit again. */
const AGAIN_MS = 2_000;

/** A fault that is ordered from the sandbox network repeatedly while it lasts. */
function striking(name: string, summary: string, order: FaultRequest, everyMs: number): FaultKind {
  return {
    name,
    summary,
    lasts: [2, 10],
    needs: [],
    async break(lab) {
      const ended = new AbortController();
      const strikes = strikeUntil(lab, order, everyMs, ended.signal);
      return async () => {
        ended.abort();
        await strikes;
        await lab.phones.clearFaults();
      };
    },
  };
}

async function strikeUntil(
  lab: Lab,
  order: FaultRequest,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await lab.phones.fault(order);
    await wait(systemClock, everyMs, signal);
  }
}

/** A fault that is ordered from the sandbox network once, and lasts until it is cleared. */
function lasting(name: string, summary: string, order: FaultRequest, lasts: FaultKind['lasts']): FaultKind {
  return {
    name,
    summary,
    lasts,
    needs: [],
    async break(lab) {
      await lab.phones.fault(order);
      return () => lab.phones.clearFaults();
    },
  };
}

/** Locks the number whose sends are held by a policy. */
async function lockNumber(lab: Lab, forMs: number): Promise<DrillSession> {
  const paced = lab.cast.sessions.at(-1);
  if (!paced) throw new Error('a drill has at least one session');
  await lab.phones.fault({ kind: 'reachout-lock', ms: forMs, number: paced.number });
  return paced;
}

/** Faults of the network. */
export const NETWORK_FAULTS: readonly FaultKind[] = [
  {
    name: 'network-cut',
    summary: 'cuts the way of all daemons to the network',
    lasts: [1, 15],
    needs: [],
    async break(lab) {
      for (const { wire } of lab.nodes) wire.cut();
      return async () => {
        for (const { wire } of lab.nodes) wire.restore();
      };
    },
  },
  {
    name: 'network-silent',
    summary: 'keeps the connections of all daemons to the network but passes nothing on',
    lasts: [2, 40],
    needs: [],
    async break(lab) {
      for (const { wire } of lab.nodes) wire.freeze();
      return async () => {
        for (const { wire } of lab.nodes) wire.restore();
      };
    },
  },
  striking('network-flaps', 'disconnects all numbers twice a second', { kind: 'disconnect' }, FLAP_MS),
  striking(
    'network-restarts',
    'lets the network ask all numbers to connect again (515)',
    { kind: 'restart-required' },
    AGAIN_MS,
  ),
  striking(
    'network-unavailable',
    'lets the network end connections and refuse logins (503)',
    { kind: 'service-unavailable' },
    AGAIN_MS,
  ),
  lasting(
    'network-drops-acks',
    'lets the network deliver sends without acknowledging them',
    { kind: 'drop-acks' },
    [2, 12],
  ),
  lasting(
    'network-slow',
    'lets the network handle each stanza late',
    { kind: 'delay', ms: SLOW_MS },
    [5, 15],
  ),
  {
    name: 'number-locked',
    summary: 'lets the network lock a number for new chats while sends wait for their policy',
    lasts: [5, 20],
    needs: [],
    async break(lab, { forMs }) {
      await lockNumber(lab, forMs);
      return () => lab.phones.clearFaults();
    },
  },
  {
    name: 'lock-and-move',
    summary:
      'lets the network lock a number for new chats while sends wait and its session moves to another daemon',
    lasts: [5, 20],
    needs: ['several-nodes'],
    async break(lab, { forMs }) {
      const { clientId } = await lockNumber(lab, forMs);
      const owner = await lab.ownerOf(clientId);
      await drain(lab, owner, true);
      return async () => {
        await drain(lab, owner, false);
        await lab.phones.clearFaults();
      };
    },
  },
];
