import { expect } from 'chai';
import { type HeldLease, heldLease, isHeld, renewedLease } from '../../src/cluster/held-lease.js';

/**
 * Two nodes, one session, one store: every order in which their steps can come, and time between any two of them. A node
 * that takes no step for a while is one that hangs, is stopped, or waits for an answer; nothing forces it to take one.
 *
 * It is always now: all times are kept as distances from this moment, so that what differs by its date only is one state.
 */

const LASTS_MS = 200;
/** What passes at a time, by the store's clock and by those of the nodes, which are slower and faster. */
const TICK_MS = { store: 100, a: 95, b: 105 } as const;
const NOW = 0;
const MOST_EPOCHS = 2;
const NODES = ['a', 'b'] as const;
const OTHER = { a: 'b', b: 'a' } as const;

type NodeName = (typeof NODES)[number];

/** A request of a node: on its way, then answered by the store, then heard of. */
interface Request {
  kind: 'claim' | 'renew' | 'release';
  askedAt: number;
  epoch?: number;
  answer?: { epoch: number | undefined; epochs: readonly number[] };
}

/** A write that was allowed by its node and has not reached the store yet. */
interface Write {
  epoch: number;
}

interface Node {
  lease?: HeldLease;
  /** The epoch under which it has told the store to refuse older ones; it serves the session from then on. */
  serves?: number;
  request?: Request;
  write?: Write;
}

interface State {
  table: { holder?: NodeName; epoch: number; expiresAt: number };
  /** What the store refuses to be written under an older epoch than. */
  fence: number;
  /** The epoch of the last write that the store took. */
  written: number;
  nodes: Record<NodeName, Node>;
}

const START: State = {
  table: { epoch: 0, expiresAt: 0 },
  fence: 0,
  written: 0,
  nodes: { a: {}, b: {} },
};

/** The states that one step of a node, of the store for it, or of time leads to. */
function* next(state: State): Generator<State> {
  yield later(state);
  for (const name of NODES) yield* stepsOf(state, name);
}

function later(state: State): State {
  const { table, nodes } = state;
  const node = (name: NodeName): Node => {
    const { lease, request } = nodes[name];
    const passed = (time: number) => earlier(time, TICK_MS[name]);
    return {
      ...nodes[name],
      ...(lease && { lease: { ...lease, askedAt: passed(lease.askedAt), until: passed(lease.until) } }),
      ...(request && { request: { ...request, askedAt: passed(request.askedAt) } }),
    };
  };
  return {
    ...state,
    table: { ...table, expiresAt: Math.max(NOW, table.expiresAt - TICK_MS.store) },
    nodes: { a: node('a'), b: node('b') },
  };
}

/** A time that is so much longer ago; what is older than a lease is all the same. */
function earlier(time: number, ms: number): number {
  return Math.max(time - ms, -LASTS_MS);
}

function* stepsOf(state: State, name: NodeName): Generator<State> {
  const node = state.nodes[name];
  const change = (changes: Partial<Node>, more: Partial<State> = {}): State => ({
    ...state,
    ...more,
    nodes: { ...state.nodes, [name]: { ...node, ...changes } },
  });
  const { request, lease, serves, write } = node;
  if (request && !request.answer) yield answered(state, name, request);
  if (request?.answer) yield change({ request: undefined, ...heard(node, request, request.answer) });
  if (!request && !lease && state.table.epoch < MOST_EPOCHS) {
    yield change({ request: { kind: 'claim', askedAt: NOW } });
  }
  if (!request && lease) yield change({ request: { kind: 'renew', askedAt: NOW } });
  // it serves nobody any more before it says so
  if (!request && lease && !write) {
    const release: Request = { kind: 'release', askedAt: NOW, epoch: lease.epoch };
    yield change({ lease: undefined, serves: undefined, request: release });
  }
  if (lease && !isHeld(lease, NOW)) yield change({ lease: undefined, serves: undefined });
  if (lease && serves !== lease.epoch && isHeld(lease, NOW)) {
    const fence = Math.max(state.fence, lease.epoch);
    yield change({ serves: lease.epoch }, { fence });
  }
  if (lease && serves === lease.epoch && !write && isHeld(lease, NOW)) {
    yield change({ write: { epoch: lease.epoch } });
  }
  if (write) {
    const isTaken = write.epoch >= state.fence;
    yield change({ write: undefined }, isTaken ? { written: write.epoch } : {});
  }
}

/** The store answers a request. */
function answered(state: State, name: NodeName, request: Request): State {
  const table = { ...state.table };
  const isMine = table.holder === name && table.expiresAt > NOW;
  let epoch: number | undefined;
  if (request.kind === 'claim' && table.expiresAt <= NOW) {
    Object.assign(table, { holder: name, epoch: table.epoch + 1, expiresAt: NOW + LASTS_MS });
    epoch = table.epoch;
  }
  if (request.kind === 'renew' && isMine) table.expiresAt = NOW + LASTS_MS;
  if (request.kind === 'release' && isMine && request.epoch === table.epoch) table.expiresAt = NOW;
  const answer = { epoch, epochs: isMine ? [table.epoch] : [] };
  const node = { ...state.nodes[name], request: { ...request, answer } };
  return { ...state, table, nodes: { ...state.nodes, [name]: node } };
}

/** What a node knows once it has heard an answer. */
function heard(
  { lease }: Node,
  { kind, askedAt }: Request,
  { epoch, epochs }: NonNullable<Request['answer']>,
): Partial<Node> {
  if (kind === 'release') return {};
  if (kind === 'claim') {
    const claimed = epoch === undefined ? undefined : heldLease(epoch, askedAt, LASTS_MS);
    return isHeld(claimed, NOW) ? { lease: claimed } : {};
  }
  if (!lease) return {};
  const held = new Map(epochs.map((one) => ['acme', one]));
  const renewed = renewedLease(lease, held, { clientId: 'acme', askedAt, lastsMs: LASTS_MS });
  return renewed ? { lease: renewed } : { lease: undefined, serves: undefined };
}

/** Walks through every state that can be reached. */
function explore(visit: (state: State, from: State) => void): number {
  const seen = new Set<string>();
  const open: State[] = [START];
  for (let state = open.pop(); state; state = open.pop()) {
    for (const following of next(state)) {
      visit(following, state);
      const key = JSON.stringify(following);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(following);
    }
  }
  return seen.size;
}

const isServing = (state: State, name: NodeName) => {
  const { lease, serves } = state.nodes[name];
  return serves !== undefined && isHeld(lease, NOW);
};

/** A write has just reached the store, after another node has begun to serve the session. */
function isLateWrite(state: State, from: State, name: NodeName): boolean {
  const { write } = from.nodes[name];
  const { serves = 0 } = state.nodes[OTHER[name]];
  return write !== undefined && !state.nodes[name].write && write.epoch < serves;
}

describe('the protocol of leases, in every order of its steps', function () {
  this.timeout(120_000);
  let states = 0;
  let lateWrites = 0;
  const servedByBoth: State[] = [];
  const writtenLate: State[] = [];
  const wentBack: State[] = [];
  const served = new Set<string>();

  before(() => {
    states = explore((state, from) => {
      if (isServing(state, 'a') && isServing(state, 'b')) servedByBoth.push(state);
      if (state.written < from.written || state.table.epoch < from.table.epoch) wentBack.push(state);
      for (const name of NODES) {
        if (isServing(state, name)) served.add(`${name}${state.nodes[name].serves}`);
        if (!isLateWrite(state, from, name)) continue;
        lateWrites += 1;
        if (state.written !== from.written) writtenLate.push(state);
      }
    });
  });

  it('never lets two nodes serve a session', () => {
    expect(servedByBoth.slice(0, 1)).to.deep.equal([]);
  });

  it('never lets a node write that another one has replaced, however late its write arrives', () => {
    expect(lateWrites).to.be.greaterThan(0);
    expect(writtenLate.slice(0, 1)).to.deep.equal([]);
    expect(wentBack.slice(0, 1)).to.deep.equal([]);
  });

  it('lets each node serve it, with every epoch', () => {
    expect([...served]).to.include.members(['a1', 'a2', 'b1', 'b2']);
    expect(states).to.be.greaterThan(1_000);
  });
});
