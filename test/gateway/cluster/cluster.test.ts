import { expect } from 'chai';
import { isGatewayError } from '../../../src/domain/errors.js';
import { LEASE_MS, PlayedCluster } from './support/played-cluster.js';

const LEASE_S = LEASE_MS / 1_000;

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `session${index}`);
}

/** `open()` resolves `opened`. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('the nodes of a cluster', () => {
  let played: PlayedCluster;
  beforeEach(() => {
    played = new PlayedCluster();
  });
  afterEach(async () => {
    for (const { cluster, isConnected } of played.nodes) if (isConnected) await cluster.leave();
  });

  it('claim all sessions when there is one node, and find them there', async () => {
    await played.add('acme', 'beta');
    const node = await played.join('a');
    expect([...node.here]).to.have.members(['acme', 'beta']);
    expect(await node.cluster.find('acme')).to.deep.equal({ at: 'here' });
    expect(await node.cluster.find('nothing')).to.deep.equal({ at: 'nobody' });
  });

  it('give a new node its share, one session at a time, and move nothing afterwards', async () => {
    await played.add(...names(9));
    await played.join('a');
    await played.join('b');
    await played.join('c');
    expect(played.spread()).to.deep.equal([9, 0, 0]);
    for (let second = 0; second < LEASE_S + 12; second++) {
      const before = played.spread()[0] ?? 0;
      await played.pass(1);
      expect(before - (played.spread()[0] ?? 0)).to.be.at.most(1);
    }
    expect(played.spread()).to.deep.equal([3, 3, 3]);
    const told = played.nodes.map(({ story }) => story.length);
    await played.pass(120);
    expect(played.nodes.map(({ story }) => story.length)).to.deep.equal(told);
    expect(told.reduce((sum, count) => sum + count)).to.equal(9 + 2 * 6);
  });

  it('release one session at a time', async () => {
    await played.add(...names(9));
    const a = await played.join('a');
    await played.join('b');
    const leaving = gate();
    let begun = 0;
    a.beforeLeave = () => {
      begun += 1;
      return leaving.opened;
    };
    while (begun === 0) await played.pass(1);
    await played.pass(10);
    expect(begun).to.equal(1);
    leaving.open();
    await played.pass(10);
    expect(played.spread()).to.deep.equal([5, 4]);
  });

  it('share the free sessions when they start together', async () => {
    await played.add(...names(30));
    await Promise.all([played.join('a'), played.join('b'), played.join('c')]);
    await played.pass(40);
    expect(played.spread().toSorted()).to.deep.equal([10, 10, 10]);
  });

  it('take over the sessions of a stopped node within its lease and two seconds', async () => {
    await played.add(...names(6));
    const a = await played.join('a');
    await played.join('b');
    await played.pass(LEASE_S + 10);
    expect(played.spread()).to.deep.equal([3, 3]);
    a.runs = false;
    await played.pass(LEASE_S + 2);
    expect(played.nodes[1]?.here.size).to.equal(6);
  });

  it('lose their sessions when they wake up too late, and claim sessions again', async () => {
    await played.add(...names(4));
    const a = await played.join('a');
    const b = await played.join('b');
    await played.pass(LEASE_S + 8);
    a.runs = false;
    await played.pass(2 * LEASE_S);
    expect(b.here.size).to.equal(4);
    a.runs = true;
    // it slept through it, and hears of it all at once
    a.clock.advance(2 * LEASE_MS);
    expect(a.here.size).to.equal(0);
    expect(a.cluster.enter('session0')).to.equal(undefined);
    // it has to show first that it stays this time
    await played.pass(LEASE_S - 2);
    expect(played.spread()).to.deep.equal([0, 4]);
    await played.pass(10);
    expect(played.spread()).to.deep.equal([2, 2]);
  });

  it('learn from the store that they lost a session while their own clock stood still', async () => {
    await played.add('acme');
    const a = await played.join('a');
    const b = await played.join('b');
    await a.cluster.confirm('acme');
    a.runs = false;
    await played.pass(LEASE_S + 2);
    expect(a.cluster.holds('acme')).to.equal(true);
    const refusal: unknown = await a.cluster.confirm('acme').catch((error: unknown) => error);
    expect(isGatewayError(refusal, 'session_elsewhere')).to.equal(true);
    await b.cluster.confirm('acme');
  });

  it('lose their sessions before others can claim them when the store is unreachable', async () => {
    await played.add('acme');
    const a = await played.join('a');
    await played.pass(2);
    a.isConnected = false;
    const b = await played.join('b');
    for (let second = 0; second < LEASE_S + 3; second++) {
      await played.pass(1);
      expect(a.here.size + b.here.size).to.be.at.most(1);
    }
    expect([...b.here]).to.deep.equal(['acme']);
    a.isConnected = true;
    await played.pass(2);
    expect(await a.cluster.find('acme')).to.deep.equal({
      at: 'peer',
      node: { nodeId: 'b', name: 'b', url: 'http://b' },
    });
  });

  it('release all sessions when they are drained, and claim none until the drain ends', async () => {
    await played.add(...names(4));
    const a = await played.join('a');
    await played.join('b');
    await played.pass(LEASE_S + 8);
    await played.store.nodes.drain('a', true);
    await played.pass(3);
    expect(played.spread()).to.deep.equal([0, 4]);
    expect(await a.cluster.take('new')).to.equal(false);
    await played.store.nodes.drain('a', false);
    await played.pass(5);
    expect(played.spread()).to.deep.equal([2, 2]);
  });

  it('keep their sessions when they are drained and no other node exists', async () => {
    await played.add('acme');
    const a = await played.join('a');
    await played.store.nodes.drain('a', true);
    await played.pass(10);
    expect([...a.here]).to.deep.equal(['acme']);
    await a.cluster.drain();
    expect([...a.here]).to.deep.equal(['acme']);
    await a.cluster.leave();
    expect(await played.leases.free(10)).to.deep.equal(['acme']);
  });

  it('release a session only when its requests have ended', async () => {
    await played.add('acme');
    const a = await played.join('a');
    const b = await played.join('b');
    await played.pass(2);
    const leave = a.cluster.enter('acme');
    const drained = a.cluster.drain();
    await played.pass(3);
    expect(await a.cluster.find('acme')).to.deep.equal({ at: 'moving' });
    expect(a.cluster.enter('acme')).to.equal(undefined);
    expect([...a.here]).to.deep.equal(['acme']);
    leave?.();
    leave?.();
    await drained;
    expect([...a.here]).to.deep.equal([]);
    await played.pass(2);
    expect([...b.here]).to.deep.equal(['acme']);
  });

  it('stay the owner of their sessions until the release is complete', async () => {
    await played.add('acme');
    const a = await played.join('a');
    const b = await played.join('b');
    const leave = a.cluster.enter('acme');
    const drained = a.cluster.drain();
    await played.pass(LEASE_S + 5);
    expect(await b.cluster.find('acme')).to.include({ at: 'peer' });
    leave?.();
    await drained;
    await a.cluster.leave();
    await played.pass(2);
    expect(await played.store.nodes.list(LEASE_MS)).to.have.length(1);
  });

  it('leave a session that they cannot start to other nodes, and try it again later', async () => {
    const a = await played.join('a');
    a.unable.add('acme');
    await played.add('acme', 'beta');
    await played.pass(5);
    expect([...a.here]).to.deep.equal(['beta']);
    expect(a.story).to.deep.equal(['takes beta', 'loses acme']);
    // by their numbers it would be a's turn
    await played.add('gamma', 'delta');
    const b = await played.join('b');
    await played.pass(8);
    expect([...b.here]).to.include('acme');
    b.runs = false;
    a.unable.clear();
    await played.pass(30);
    expect([...a.here]).to.have.members(['acme', 'beta', 'gamma', 'delta']);
  });

  it('make one node the owner of a new session', async () => {
    const [a, b] = [await played.join('a'), await played.join('b')];
    const taken = await Promise.all([a.cluster.take('new'), b.cluster.take('new'), a.cluster.take('new')]);
    expect(taken).to.deep.equal([true, false, true]);
    expect(await b.cluster.find('new')).to.include({ at: 'peer' });
    played.sessions.add('new');
    a.here.add('new');
    await played.pass(5);
    expect(await a.cluster.find('new')).to.deep.equal({ at: 'here' });
    // it is deleted
    played.sessions.delete('new');
    a.here.delete('new');
    await a.cluster.ended('new');
    expect(await played.leases.free(10)).to.deep.equal([]);
    expect(await b.cluster.take('new')).to.equal(true);
  });

  it('release a session whose creation failed', async () => {
    const a = await played.join('a');
    await a.cluster.take('refused');
    const leave = a.cluster.enter('refused');
    await played.pass(3);
    expect(await played.leases.holder('refused')).to.include({ nodeId: 'a' });
    leave?.();
    await played.pass(3);
    expect(await played.leases.holder('refused')).to.equal(undefined);
    expect(await played.leases.free(10)).to.deep.equal([]);
  });

  it('leave a session free that was created although its creator got an error', async () => {
    const a = await played.join('a');
    await a.cluster.take('half');
    played.sessions.add('half');
    await played.pass(3);
    expect([...a.here]).to.deep.equal(['half']);
  });

  it('renew their presence while they start their first sessions', async () => {
    await played.add('acme');
    const a = played.enlist('a');
    const taking = gate();
    a.beforeAdopt = () => taking.opened;
    const started = a.cluster.start();
    await played.pass(LEASE_S + 5);
    expect(await played.store.nodes.list(LEASE_MS)).to.have.length(1);
    taking.open();
    await started;
    expect([...a.here]).to.deep.equal(['acme']);
  });

  it('keep nothing of a session that they lose while they are starting it', async () => {
    const a = await played.join('a');
    const taking = gate();
    a.beforeAdopt = () => taking.opened;
    await played.add('acme');
    await played.pass(2);
    a.isConnected = false;
    await played.pass(LEASE_S);
    taking.open();
    await played.pass(1);
    expect([...a.here]).to.deep.equal([]);
  });

  it('claim no more sessions once they stop', async () => {
    const a = await played.join('a');
    const taking = gate();
    a.beforeAdopt = () => taking.opened;
    await played.add(...names(9));
    await played.pass(2);
    await a.cluster.drain();
    taking.open();
    await played.pass(3);
    expect(a.here.size).to.be.within(1, 4);
  });

  for (const [how, leave] of [
    ['fails', () => Promise.reject(new Error('it does not end'))],
    ['never ends', () => new Promise<void>(() => undefined)],
  ] as const) {
    it(`abort and release a session whose end ${how}`, async () => {
      await played.add('acme');
      const a = await played.join('a');
      const b = await played.join('b');
      a.beforeLeave = leave;
      const drained = a.cluster.drain();
      await played.pass(25);
      await drained;
      expect(a.story).to.deep.equal(['takes acme', 'loses acme']);
      expect([...b.here]).to.deep.equal(['acme']);
    });
  }

  it('claim a session again only after they have ended it', async () => {
    await played.add('acme', 'beta');
    const a = await played.join('a');
    const b = await played.join('b');
    const leaving = gate();
    a.beforeLeave = () => leaving.opened;
    for (const clientId of ['acme', 'beta']) b.unable.add(clientId);
    while ((await a.cluster.find('acme')).at === 'here') await played.pass(1);
    a.isConnected = false;
    await played.pass(LEASE_S + 1);
    a.isConnected = true;
    await played.pass(2);
    expect(a.story.slice(2)).to.not.include('takes acme');
    leaving.open();
    await played.pass(10);
    expect(a.story.slice(2)).to.include('takes acme');
  });
});
