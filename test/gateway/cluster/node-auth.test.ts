import { expect } from 'chai';
import { NodeAuth, type ProvenHop } from '../../../src/gateway/cluster/node-auth.js';
import type { NodeRecord, NodeStore, SeenNode } from '../../../src/gateway/store/store.js';
import { ManualClock } from '../../support/manual-clock.js';

const KEY = new Uint8Array(32).fill(1);
const HOP = { method: 'POST', path: '/send-message?clientId=acme' };
const TOLERANCE_MS = 60_000;

describe('the proof that a request comes from a node', () => {
  let clock: ManualClock;
  let sender: NodeAuth;
  let receiver: NodeAuth;
  beforeEach(() => {
    clock = new ManualClock();
    sender = new NodeAuth(KEY, clock);
    receiver = new NodeAuth(KEY, clock);
  });

  const sign = (more: Partial<ProvenHop> = {}, of = sender) =>
    of.sign({ from: 'a', to: 'b', rights: undefined, ...more }, HOP);

  it('names sender, receiver and the rights of the caller', () => {
    for (const rights of [undefined, {}, { clientIds: [] }, { clientIds: ['acme', 'beta'] }]) {
      expect(receiver.verify(sign({ rights }), HOP)).to.deep.equal({ from: 'a', to: 'b', rights });
    }
  });

  it('is accepted once, also when others were accepted meanwhile', () => {
    const first = sign();
    const second = sign();
    expect(receiver.verify(first, HOP)).to.not.equal(undefined);
    expect(receiver.verify(second, HOP)).to.not.equal(undefined);
    expect(receiver.verify(first, HOP)).to.equal(undefined);
  });

  it('is accepted for the method and the path that it was made for', () => {
    expect(receiver.verify(sign(), { ...HOP, method: 'GET' })).to.equal(undefined);
    expect(receiver.verify(sign(), { ...HOP, path: '/send-message?clientId=beta' })).to.equal(undefined);
  });

  it('is accepted within a minute, also of a node whose clock is ahead', () => {
    for (const [ms, isAccepted] of [
      [TOLERANCE_MS, true],
      [TOLERANCE_MS + 1, false],
    ] as const) {
      const late = sign();
      clock.advance(ms);
      expect(receiver.verify(late, HOP) !== undefined).to.equal(isAccepted);
      const ahead = sign({}, new NodeAuth(KEY, new ManualClock(clock.now() + ms)));
      expect(receiver.verify(ahead, HOP) !== undefined).to.equal(isAccepted);
    }
  });

  it('is refused with another key, after a change, and when it is malformed', () => {
    const other = new NodeAuth(new Uint8Array(32).fill(2), clock);
    expect(receiver.verify(sign({}, other), HOP)).to.equal(undefined);
    const [claim = '', proof = ''] = sign().split('.');
    const forged = Buffer.from(JSON.stringify({ from: 'a', to: 'b', at: clock.now(), nonce: 'n' }));
    for (const header of [
      '',
      '.',
      claim,
      `${claim}.`,
      `.${proof}`,
      `${claim}.${proof}x`,
      `${claim}.${proof.slice(1)}`,
      `${forged.toString('base64url')}.${proof}`,
    ]) {
      expect(receiver.verify(header, HOP), header).to.equal(undefined);
    }
  });
});

describe('the list of nodes that have proven themselves', () => {
  const clock = new ManualClock();
  const NODE: NodeRecord = { nodeId: 'a', name: 'first', url: 'http://a', version: '1' };
  const rows = new Map<string, NodeRecord>();
  const asked: unknown[][] = [];
  const store: NodeStore = {
    async announce(node, lapseMs) {
      asked.push(['announce', lapseMs]);
      rows.set(node.nodeId, node);
      return { draining: false };
    },
    async list(withinMs) {
      asked.push(['list', withinMs]);
      return [...rows.values()].map(
        (node): SeenNode => ({ ...node, draining: false, ageMs: 0, silentMs: 0 }),
      );
    },
    async drain(...call) {
      asked.push(['drain', ...call]);
      return true;
    },
    async leave(...call) {
      asked.push(['leave', ...call]);
    },
  };
  const proven = new NodeAuth(KEY, clock).proven(store);
  const listed = async () => (await proven.list(1_000)).map(({ nodeId }) => nodeId);

  it('holds a node that knows the key, with its id and address as it announced them', async () => {
    await proven.announce(NODE, 2_000);
    expect(await listed()).to.deep.equal(['a']);
    const row = rows.get('a');
    for (const forged of [
      { ...NODE },
      { ...NODE, proof: 'x' },
      { ...NODE, ...row, url: 'http://elsewhere' },
      { ...NODE, ...row, nodeId: 'b' },
    ]) {
      rows.clear();
      rows.set('forged', forged);
      expect(await listed()).to.deep.equal([]);
    }
    await new NodeAuth(new Uint8Array(32).fill(2), clock).proven(store).announce(NODE, 2_000);
    expect(await listed()).to.deep.equal([]);
  });

  it('passes all other operations on to the store', async () => {
    asked.length = 0;
    await proven.announce(NODE, 2_000);
    await proven.list(1_000);
    expect(await proven.drain('a', true)).to.equal(true);
    await proven.leave('a');
    expect(asked).to.deep.equal([
      ['announce', 2_000],
      ['list', 1_000],
      ['drain', 'a', true],
      ['leave', 'a'],
    ]);
  });
});
