import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError, isGatewayError } from '../../../src/domain/errors.js';
import { ForeignOwners, type Owner, type Owners } from '../../../src/gateway/cluster/owners.js';
import { decideRoute, enterForwarded, RetryBudget } from '../../../src/gateway/cluster/routing.js';
import type { ClusterStore, LeaseRecord, SeenNode } from '../../../src/gateway/store/store.js';
import { ManualClock } from '../../support/manual-clock.js';

/** Milliseconds that a node remembers who holds a session. */
const CACHED_MS = 1_000;
const ALIVE_MS = 20_000;

const nodeOf = (nodeId: string): SeenNode => ({
  ...{ nodeId, name: `node ${nodeId}`, url: `http://${nodeId}`, version: '1' },
  ...{ draining: false, ageMs: 0, silentMs: 0 },
});
const peer = (nodeId: string) => ({ nodeId, name: `node ${nodeId}`, url: `http://${nodeId}` });
const at = (nodeId: string): Owner => ({ at: 'peer', node: peer(nodeId) });

describe('ForeignOwners', () => {
  let clock: ManualClock;
  let owners: ForeignOwners;
  let holder: string | undefined;
  let live: string[];
  let isAway: boolean;
  let reads: { leases: number; nodes: number };
  beforeEach(() => {
    clock = new ManualClock();
    [holder, live, isAway, reads] = ['b', ['self', 'b', 'c'], false, { leases: 0, nodes: 0 }];
    const refused = () => Promise.reject(new Error('not played'));
    const cluster: ClusterStore = {
      leases: {
        ...{ claim: refused, renew: refused, release: refused, list: refused, free: refused },
        ...{ counts: refused, seed: refused },
        async holder(clientId): Promise<LeaseRecord | undefined> {
          reads.leases += 1;
          if (isAway) throw new GatewayError('store_unavailable', 'away');
          return holder === undefined
            ? undefined
            : { clientId, nodeId: holder, epoch: 1, ageMs: 0, leftMs: 1_000 };
        },
      },
      nodes: {
        ...{ announce: refused, drain: refused, leave: refused },
        async list(withinMs) {
          expect(withinMs).to.equal(ALIVE_MS);
          reads.nodes += 1;
          return live.map(nodeOf);
        },
      },
    };
    owners = new ForeignOwners({ cluster, selfId: 'self', aliveMs: ALIVE_MS, clock });
  });

  it('names the node of a lease, and caches it for a second', async () => {
    expect(await owners.find('acme')).to.deep.equal(at('b'));
    holder = 'c';
    clock.advance(CACHED_MS - 1);
    expect(await owners.find('acme')).to.deep.equal(at('b'));
    expect(reads).to.deep.equal({ leases: 1, nodes: 1 });
    clock.advance(1);
    expect(await owners.find('acme')).to.deep.equal(at('c'));
    expect(reads).to.deep.equal({ leases: 2, nodes: 1 });
  });

  it('caches each session separately', async () => {
    await owners.find('acme');
    holder = 'c';
    expect(await owners.find('beta')).to.deep.equal(at('c'));
    expect(await owners.find('acme')).to.deep.equal(at('b'));
  });

  it('asks again once it was told to distrust its answer', async () => {
    await owners.find('acme');
    holder = 'c';
    owners.distrust('acme');
    expect(await owners.find('acme')).to.deep.equal(at('c'));
  });

  it('names no node without a lease, for its own lease, and for a node that is gone, and asks again', async () => {
    for (const gone of [undefined, 'self', 'stopped']) {
      holder = gone;
      expect(await owners.find('acme')).to.deep.equal({ at: 'nobody' });
      await setImmediate();
      holder = 'b';
      expect(await owners.find('acme')).to.deep.equal(at('b'));
      owners.distrust('acme');
    }
  });

  it('reads the nodes again when it does not know the node of a lease', async () => {
    await owners.refresh();
    live.push('new');
    holder = 'new';
    expect(await owners.find('acme')).to.deep.equal(at('new'));
    expect(reads.nodes).to.equal(2);
  });

  it('reports an unavailable store, and asks again', async () => {
    isAway = true;
    const error: unknown = await owners.find('acme').catch((reason: unknown) => reason);
    expect(isGatewayError(error, 'store_unavailable')).to.equal(true);
    isAway = false;
    expect(await owners.find('acme')).to.deep.equal(at('b'));
  });

  it('asks the store once for requests at the same time', async () => {
    await Promise.all([owners.find('acme'), owners.find('acme')]);
    expect(reads.leases).to.equal(1);
  });

  it('lists the other nodes', async () => {
    expect(await owners.others()).to.deep.equal([peer('b'), peer('c')]);
  });
});

describe('the destination of a request', () => {
  let owners: Owners;
  let owner: Owner;
  /** What the store says after the remembered answer is dropped. */
  let fresh: Owner | undefined;
  let isHeld: boolean;
  let isTakeable: boolean;
  let isKnown: boolean;
  let others: string[];
  let calls: string[];
  const leave = () => undefined;
  beforeEach(() => {
    [owner, fresh, isHeld, isTakeable, isKnown] = [{ at: 'nobody' }, undefined, false, false, false];
    [others, calls] = [[], []];
    owners = {
      self: peer('self'),
      find: async () => owner,
      distrust() {
        calls.push('distrust');
        owner = fresh ?? owner;
      },
      exists: async () => isKnown,
      async take() {
        calls.push('take');
        isHeld = isTakeable;
        return isTakeable;
      },
      enter: () => (isHeld ? leave : undefined),
      others: async () => others.map(peer),
    };
  });

  const decide = (creates = false) => decideRoute(owners, 'acme', creates);
  const HERE = { to: 'handler', leave };
  const WAIT = { to: 'wait' };
  const to = (nodeId: string) => ({ to: 'node', node: peer(nodeId) });

  it('is this node if it holds the session, without a query to the store', async () => {
    isHeld = true;
    owners.find = () => Promise.reject(new Error('it asked'));
    expect(await decide()).to.deep.equal(HERE);
    expect(await decide(true)).to.deep.equal(HERE);
  });

  it('is the node that holds the session, and is awaited while the session moves', async () => {
    owner = at('b');
    expect(await decide()).to.deep.equal(to('b'));
    expect(await decide(true)).to.deep.equal(to('b'));
    for (const moving of ['moving', 'here'] as const) {
      owner = { at: moving };
      expect(await decide()).to.deep.equal(WAIT);
      expect(await decide(true)).to.deep.equal(WAIT);
    }
    expect(calls).to.deep.equal([]);
  });

  it('is awaited for a session that no node holds, and is this node for an unknown session', async () => {
    isKnown = true;
    expect(await decide()).to.deep.equal(WAIT);
    isKnown = false;
    expect(await decide()).to.deep.equal({ to: 'handler' });
    expect(calls).to.deep.equal([]);
  });

  it('is this node for a new session, if it can take one', async () => {
    isTakeable = true;
    expect(await decide(true)).to.deep.equal(HERE);
    expect(calls).to.deep.equal(['take']);
  });

  it('is awaited when a new session is handed over at once', async () => {
    isTakeable = true;
    owners.enter = () => undefined;
    expect(await decide(true)).to.deep.equal(WAIT);
  });

  it('is the node that was faster to create a new session', async () => {
    fresh = at('b');
    expect(await decide(true)).to.deep.equal(to('b'));
    fresh = { at: 'moving' };
    owner = { at: 'nobody' };
    expect(await decide(true)).to.deep.equal(WAIT);
    expect(calls).to.deep.equal(['take', 'distrust', 'take', 'distrust']);
  });

  it('is one of the other nodes for a new session that this node does not take, and is awaited if there is none', async () => {
    expect(await decide(true)).to.deep.equal(WAIT);
    others = ['b'];
    expect(await decide(true)).to.deep.equal(to('b'));
    others = ['b', 'c'];
    const seen = new Set<string>();
    for (let request = 0; request < 200; request++) {
      const way = await decide(true);
      if (way.to === 'node') seen.add(way.node.nodeId);
    }
    expect([...seen]).to.have.members(['b', 'c']);
  });

  describe('a forwarded request', () => {
    const enter = (creates: boolean) => enterForwarded(owners, 'acme', creates);

    it('is answered only by the node that holds the session', async () => {
      expect(await enter(false)).to.equal(undefined);
      expect(calls).to.deep.equal([]);
      isHeld = true;
      expect(await enter(false)).to.equal(leave);
      expect(await enter(true)).to.equal(leave);
      expect(calls).to.deep.equal([]);
    });

    it('takes a new session that no node holds, whatever this node has cached', async () => {
      [owner, fresh, isTakeable] = [at('b'), { at: 'nobody' }, true];
      expect(await enter(true)).to.equal(leave);
      expect(calls).to.deep.equal(['distrust', 'take']);
    });

    it('takes no session that another node holds, and none that this node cannot take', async () => {
      isTakeable = true;
      fresh = at('b');
      expect(await enter(true)).to.equal(undefined);
      expect(calls).to.deep.equal(['distrust']);
      [fresh, isTakeable] = [{ at: 'nobody' }, false];
      expect(await enter(true)).to.equal(undefined);
    });
  });
});

describe('the time that a request waits for the node of its session', () => {
  const LOOKS_MS = [100, 200, 300, 400, 500, 700, 800];

  it('consists of growing pauses, and is limited', async () => {
    const clock = new ManualClock();
    const budget = new RetryBudget(clock, new AbortController().signal);
    for (const pause of LOOKS_MS) {
      const next = budget.next();
      expect(clock.pending()).to.deep.equal([pause]);
      clock.advance(pause);
      expect(await next).to.equal(true);
    }
    expect(await budget.next()).to.equal(false);
    expect(clock.pending()).to.deep.equal([]);
  });

  it('counts the time of the look-ups themselves: three seconds in all', async () => {
    const clock = new ManualClock();
    const budget = new RetryBudget(clock, new AbortController().signal);
    clock.advance(2_999);
    const next = budget.next();
    clock.advance(100);
    expect(await next).to.equal(true);
    expect(await budget.next()).to.equal(false);
    const other = new RetryBudget(clock, new AbortController().signal);
    clock.advance(3_000);
    expect(await other.next()).to.equal(false);
  });

  it('ends when the caller has gone', async () => {
    const clock = new ManualClock();
    const gone = new AbortController();
    const next = new RetryBudget(clock, gone.signal).next();
    gone.abort();
    expect(await next).to.equal(false);
  });
});
