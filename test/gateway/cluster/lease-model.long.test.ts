import { expect } from 'chai';
import { type HeldLease, heldLease, isHeld, renewedLease } from '../../../src/gateway/cluster/leases.js';

/**
 * Two nodes, one session, one store: every order in which their steps can come, and time between any two of them. A node
 * that takes no step for a while is one that hangs, is stopped, or waits for an answer; nothing forces it to take one. What
 * is on its way to the store may arrive at any later time, also when its node has given it up.
 *
 * Times are stored relative to now, so that states that differ only in their date are equal.
 */

const LASTS_MS = 200;
/** Milliseconds of one tick, by the clock of the store and by the slower and faster clocks of the nodes. */
const TICK_MS = { store: 100, a: 95, b: 105 } as const;
const NOW = 0;
const MOST_EPOCHS = 2;
const NODES = ['a', 'b'] as const;
const OTHER = { a: 'b', b: 'a' } as const;

type NodeName = (typeof NODES)[number];

/** The rules of the protocol; each mistake leaves one out. */
const RULES = {
  /** Milliseconds for which a node takes a lease to last. */
  believedMs: LASTS_MS,
  /** A claim has older epochs refused before its node hears of it. */
  stamps: true,
  /** The store takes a commit under the last epoch only. */
  looksAtEpochs: true,
  /** The store takes any other write only until the end that it carries. */
  looksAtTimes: true,
  /** A release leaves the lease as long as a write may still arrive. */
  outlastsWrites: true,
};
type Rules = typeof RULES;

/** A request of a node: on its way, then answered by the store, for a claim in two steps, then heard of. */
interface Request {
  kind: 'claim' | 'renew' | 'release';
  /** By the node's clock. */
  askedAt: number;
  /** Of a release: the lease, and until when by the store's clock something written under it may arrive. */
  epoch?: number;
  lateUntil?: number;
  /** The lease that the store's answer grants; `stamped` when the answer is ready to be delivered. */
  answer?: { epoch?: number; expiresAt?: number; stamped: boolean };
}

/** A lease as its node knows it, with its end by the store's clock. */
interface Lease extends HeldLease {
  expiresAt: number;
}

/** A write that has not reached the store yet: as a commit it counts by its epoch, as anything else until that time. */
interface Write {
  epoch: number;
  /** By the store's clock. */
  expiresAt: number;
}

interface Node {
  lease?: Lease;
  request?: Request;
  write?: Write;
}

interface State {
  table: { holder?: NodeName; epoch: number; expiresAt: number };
  /** The epoch under which commits are taken. */
  stamp: number;
  nodes: Record<NodeName, Node>;
}

const START: State = { table: { epoch: 0, expiresAt: 0 }, stamp: 0, nodes: { a: {}, b: {} } };

/** The states that one step of a node, of the store for it, or of time leads to. */
function* next(state: State, rules: Rules): Generator<State> {
  yield later(state);
  for (const name of NODES) yield* stepsOf(state, name, rules);
}

function later({ table, stamp, nodes }: State): State {
  return {
    table: { ...table, expiresAt: nearer(table.expiresAt) },
    stamp,
    nodes: { a: aged(nodes.a, TICK_MS.a), b: aged(nodes.b, TICK_MS.b) },
  };
}

function aged({ lease, request, write }: Node, ms: number): Node {
  const answer = request?.answer;
  return {
    lease: lease && {
      ...lease,
      askedAt: earlier(lease.askedAt, ms),
      until: earlier(lease.until, ms),
      expiresAt: nearer(lease.expiresAt),
    },
    request: request && {
      ...request,
      // nothing is counted from the moment of a release
      askedAt: request.kind === 'release' ? NOW : earlier(request.askedAt, ms),
      lateUntil: nearer(request.lateUntil ?? NOW),
      answer: answer && { ...answer, expiresAt: nearer(answer.expiresAt ?? NOW) },
    },
    write: write && { ...write, expiresAt: nearer(write.expiresAt) },
  };
}

/** Moves a node's timestamp into the past; all times older than any lease are equal. */
function earlier(time: number, ms: number): number {
  return Math.max(time - ms, -LASTS_MS);
}

/** A future time of the store after one tick; all past times are equal. */
function nearer(time: number): number {
  return Math.max(NOW, time - TICK_MS.store);
}

function* stepsOf(state: State, name: NodeName, rules: Rules): Generator<State> {
  const node = state.nodes[name];
  const { request, lease, write } = node;
  const change = (changes: Partial<Node>): State => withNode(state, name, changes);
  if (request && !request.answer) yield answered(state, name, request, rules);
  if (request?.answer?.stamped === false) yield stamped(state, name, request);
  if (request?.answer?.stamped) yield change({ request: undefined, ...heard(node, request, rules) });
  if (!request) yield* asked(state, name, rules);
  if (lease && !isHeld(lease, NOW)) yield change({ lease: undefined });
  // a node that is only slow still writes, until its store knows by its own clock that the lease is over
  if (lease && !write && NOW < lease.askedAt + rules.believedMs) {
    yield change({ write: { epoch: lease.epoch, expiresAt: lease.expiresAt } });
  }
  if (write) yield change({ write: undefined });
}

/** The requests that a node without one in flight can send. */
function* asked(state: State, name: NodeName, rules: Rules): Generator<State> {
  const { lease, write } = state.nodes[name];
  const ask = (request: Request, changes: Partial<Node> = {}) =>
    withNode(state, name, { request, ...changes });
  if (!lease && state.table.epoch < MOST_EPOCHS) yield ask({ kind: 'claim', askedAt: NOW });
  if (!lease) return;
  yield ask({ kind: 'renew', askedAt: NOW });
  // the node stops serving before it releases; an aborted write can still be in flight
  const lateUntil = rules.outlastsWrites ? write?.expiresAt : NOW;
  yield ask({ kind: 'release', askedAt: NOW, epoch: lease.epoch, lateUntil }, { lease: undefined });
}

/** The store looks at its table for a request. */
function answered(state: State, name: NodeName, request: Request, rules: Rules): State {
  const table = { ...state.table };
  const isLast = table.holder === name && request.epoch === table.epoch;
  const isFree = table.expiresAt <= NOW && table.epoch < MOST_EPOCHS;
  const end = NOW + LASTS_MS;
  if (request.kind === 'release') {
    if (isLast) table.expiresAt = request.lateUntil ?? NOW;
    return { ...withNode(state, name, { request: { ...request, answer: { stamped: true } } }), table };
  }
  if (request.kind === 'claim' && isFree) {
    Object.assign(table, { holder: name, epoch: table.epoch + 1, expiresAt: end });
  }
  const isGiven = request.kind === 'claim' ? isFree : table.holder === name && table.expiresAt > NOW;
  if (isGiven) table.expiresAt = end;
  const isDone = request.kind === 'renew' || !isGiven || !rules.stamps;
  const answer = isGiven
    ? { epoch: table.epoch, expiresAt: table.expiresAt, stamped: isDone }
    : { stamped: true };
  return { ...withNode(state, name, { request: { ...request, answer } }), table };
}

/** The store has the older epochs refused, unless a later one came in between. */
function stamped(state: State, name: NodeName, request: Request): State {
  const { epoch = 0, expiresAt } = request.answer ?? {};
  const isLater = epoch >= state.stamp;
  const answer = isLater ? { epoch, expiresAt, stamped: true } : { stamped: true };
  const stamp = Math.max(state.stamp, epoch);
  return { ...withNode(state, name, { request: { ...request, answer } }), stamp };
}

/** The state of a node after an answer. */
function heard({ lease }: Node, { kind, askedAt, answer }: Request, { believedMs }: Rules): Partial<Node> {
  if (kind === 'release') return {};
  const { epoch, expiresAt = NOW } = answer ?? {};
  if (kind === 'claim') {
    const claimed = epoch === undefined ? undefined : heldLease(epoch, askedAt, believedMs);
    return claimed && isHeld(claimed, NOW) ? { lease: { ...claimed, expiresAt } } : {};
  }
  if (!lease) return {};
  const held = new Map(epoch === undefined ? [] : [['acme', epoch]]);
  const renewed = renewedLease(lease, held, { clientId: 'acme', askedAt, lastsMs: believedMs });
  return { lease: renewed && { ...renewed, expiresAt } };
}

function withNode(state: State, name: NodeName, changes: Partial<Node>): State {
  return { ...state, nodes: { ...state.nodes, [name]: { ...state.nodes[name], ...changes } } };
}

const isServing = ({ nodes }: State, name: NodeName) => isHeld(nodes[name].lease, NOW);

/** The violations that a step shows. */
function mistakesOf(state: State, from: State, rules: Rules): string[] {
  const mistakes: string[] = [];
  if (isServing(state, 'a') && isServing(state, 'b')) mistakes.push('both serve it');
  if (state.table.epoch < from.table.epoch) mistakes.push('an epoch comes again');
  for (const name of NODES) {
    const { write } = from.nodes[name];
    if (!write || state.nodes[name].write) continue;
    const isCommitted = !rules.looksAtEpochs || write.epoch >= from.stamp;
    const isWritten = !rules.looksAtTimes || NOW < write.expiresAt;
    const { lease } = from.nodes[OTHER[name]];
    // from then on the other one reads and writes
    if (isCommitted && lease && lease.epoch > write.epoch) mistakes.push('a late commit is taken');
    if (isWritten && from.table.epoch > write.epoch) mistakes.push('a late write is taken');
  }
  return mistakes;
}

/** Walks through the states that can be reached, until `visit` has seen enough. */
function explore(rules: Rules, visit: (state: State, from: State) => boolean): number {
  const seen = new Set<string>();
  const open: State[] = [START];
  for (let state = open.pop(); state; state = open.pop()) {
    for (const following of next(state, rules)) {
      if (visit(following, state)) return seen.size;
      const key = keyOf(following);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(following);
    }
  }
  return seen.size;
}

/** The identity of a state. */
function keyOf({ table, stamp, nodes: { a, b } }: State): string {
  return [table.holder, table.epoch, table.expiresAt, stamp, ...partsOf(a), ...partsOf(b)].join();
}

function partsOf({ lease, request, write }: Node): unknown[] {
  const answer = request?.answer;
  return [
    ...[lease?.epoch, lease?.askedAt, lease?.until, lease?.expiresAt, write?.epoch, write?.expiresAt],
    ...[request?.kind, request?.askedAt, request?.epoch, request?.lateUntil],
    ...[answer?.stamped, answer?.epoch, answer?.expiresAt],
  ];
}

/** The first mistake that comes up, if any. */
function mistakeUnder(rules: Rules): string | undefined {
  let found: string | undefined;
  explore(rules, (state, from) => {
    [found] = mistakesOf(state, from, rules);
    return found !== undefined;
  });
  return found;
}

describe('the lease protocol, in every order of its steps', function () {
  this.timeout(120_000);

  it('never lets two nodes serve a session, nor a replaced node write', () => {
    const mistakes: unknown[] = [];
    const served = new Set<string>();
    let lateWrites = 0;
    const states = explore(RULES, (state, from) => {
      const made = mistakesOf(state, from, RULES);
      if (made.length > 0) mistakes.push({ made, from, state });
      for (const name of NODES) {
        const { lease } = state.nodes[name];
        if (lease && isHeld(lease, NOW)) served.add(`${name}${lease.epoch}`);
        const { write } = from.nodes[name];
        if (write && !state.nodes[name].write && write.epoch < from.table.epoch) lateWrites += 1;
      }
      return mistakes.length > 0;
    });
    expect(mistakes).to.deep.equal([]);
    // it is no proof unless all of it came up
    expect([...served]).to.have.members(['a1', 'a2', 'b1', 'b2']);
    expect(lateWrites).to.be.greaterThan(1_000);
    expect(states).to.be.greaterThan(10_000);
  });

  const mistaken: Record<string, [Partial<Rules>, string]> = {
    'nodes that believe that a lease lasts longer': [{ believedMs: 1.3 * LASTS_MS }, 'both serve it'],
    'claims that do not fence off the previous holder': [{ stamps: false }, 'a late commit is taken'],
    'commits that are accepted in any epoch': [{ looksAtEpochs: false }, 'a late commit is taken'],
    'writes that are accepted at any time': [{ looksAtTimes: false }, 'a late write is taken'],
    'releases that do not wait for open writes': [{ outlastsWrites: false }, 'a late write is taken'],
  };
  for (const [name, [rules, mistake]] of Object.entries(mistaken)) {
    it(`detects ${name}`, () => expect(mistakeUnder({ ...RULES, ...rules })).to.equal(mistake));
  }
});
