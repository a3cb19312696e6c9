import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError } from '../../../src/domain/errors.js';
import {
  deadNode,
  deferred,
  expectRefusal,
  JSON_TYPE,
  response,
  SEND,
  STEPS_MS,
  type TestNode,
  TwoNodes,
} from './support/two-nodes.js';

describe('requests that are forwarded while the owner of a session changes', () => {
  let nodes: TwoNodes;
  let entry: TestNode;
  let holder: TestNode;

  // servers are costly to make
  before(async () => {
    nodes = await TwoNodes.start();
    ({ entry, holder } = nodes);
  });
  beforeEach(() => nodes.begin());
  afterEach(() => nodes.end());
  after(() => nodes.stop());

  describe('a node that lost the session or cannot be reached', () => {
    it('retries a request when the node answers that it does not hold the session', async () => {
      const stale = await nodes.another('stale');
      let looks = 0;
      entry.owners.script = () => ({ at: 'peer', node: (looks++ < 2 ? stale : holder).owners.self });
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait(STEPS_MS.slice(0, 2));
      expect((await answer).status).to.equal(200);
      expect(holder.api.network.sent).to.have.lengthOf(1);
      expect(stale.handled).to.deep.equal([]);
      expect(await nodes.outcomes()).to.deep.equal({ elsewhere: 2, answered: 1 });
      // the cached owner is dropped before each new look-up
      expect(entry.owners.calls.join(' ')).to.match(/^find (distrust )+find (distrust )+find$/);
    });

    it('never forwards a request twice: two nodes that each name the other as owner answer soon', async () => {
      holder.owners.held.clear();
      holder.owners.script = () => ({ at: 'peer', node: entry.owners.self });
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait();
      await expectRefusal(await answer, /^session acme is on its way to another node/);
      expect(await nodes.outcomes()).to.deep.equal({ elsewhere: STEPS_MS.length + 1 });
      expect(entry.api.lines.filter(({ msg }) => msg === 'request')).to.have.lengthOf(1);
    });

    it('answers soon when the node accepts no connection', async () => {
      const node = await deadNode();
      entry.owners.script = () => ({ at: 'peer', node });
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait();
      await expectRefusal(
        await answer,
        /^node dead, which holds session acme, cannot be reached: nothing was done/,
      );
    });

    it("does not loop when the owner's address is that of the asking node", async () => {
      entry.owners.script = () => ({ at: 'peer', node: { ...holder.owners.self, url: entry.url } });
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait();
      await expectRefusal(await answer, /^node holder, which holds session acme, cannot be reached/);
      expect(entry.taken.requests).to.equal(1 + STEPS_MS.length + 1);
    });

    it('does not retry a request whose connection broke', async () => {
      let requests = 0;
      await nodes.standIn((incoming) => {
        requests += 1;
        incoming.socket.destroy();
      });
      await expectRefusal(
        await nodes.post('/send-message', SEND),
        /may have been done or not; repeat it.*Idempotency-Key/,
      );
      expect(requests).to.equal(1);
      expect(await nodes.outcomes()).to.deep.equal({ cut_off: 1 });
    });

    it('cuts the response where the node cuts it', async () => {
      await nodes.standIn((_incoming, response) => {
        response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
      });
      const answer = await nodes.call('/qr?clientId=acme');
      expect(await answer.text().catch((error: unknown) => error)).to.be.instanceOf(Error);
    });

    it('ends a stalled request when another node has the session', async () => {
      const arrived = deferred<void>();
      await nodes.standIn(() => arrived.resolve());
      const answer = nodes.post('/send-message', SEND);
      await arrived.promise;
      entry.owners.script = () => ({ at: 'peer', node: holder.owners.self });
      for (let looks = 0; looks < 3; looks++) {
        await entry.api.clock.scheduled(2_000);
        entry.api.clock.advance(2_000);
      }
      await expectRefusal(await answer, /^node stand-in was lost before it answered/);
    });
  });

  describe('a session without an owner', () => {
    beforeEach(() => {
      entry.owners.script = () => ({ at: 'nobody' });
    });

    it('holds a request until a node owns the session', async () => {
      entry.owners.known.add('acme');
      const answer = nodes.post('/send-message', SEND);
      await entry.api.clock.scheduled(100);
      entry.owners.script = () => ({ at: 'moving' });
      entry.api.clock.advance(100);
      await entry.api.clock.scheduled(200);
      entry.owners.script = () => ({ at: 'peer', node: holder.owners.self });
      entry.api.clock.advance(200);
      expect((await answer).status).to.equal(200);
    });

    it('holds a request for a limited time', async () => {
      entry.owners.known.add('acme');
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait();
      await expectRefusal(await answer, /^session acme is on its way to another node/);
      expect(entry.handled).to.deep.equal([]);
    });

    it('answers 404 when the session does not exist', async () => {
      expect((await nodes.post('/send-message', SEND)).status).to.equal(404);
    });

    it('creates a session on the node that receives its start', async () => {
      entry.owners.takes = () => true;
      const answer = await nodes.call('/start?clientId=acme', { method: 'POST' });
      expect(await answer.json()).to.include({ podName: 'entry' });
      expect(entry.owners.entered).to.equal(1);
    });

    it('forwards a start to the node that was quicker', async () => {
      entry.owners.takes = () => {
        entry.owners.script = () => ({ at: 'peer', node: holder.owners.self });
        return false;
      };
      const answer = await nodes.call('/start?clientId=acme', { method: 'POST' });
      expect(await answer.json()).to.include({ podName: 'holder' });
    });

    it('starts a session on another node when this one is full', async () => {
      entry.owners.peers = [holder.owners.self];
      holder.owners.takes = () => true;
      const answer = await nodes.call('/start?clientId=fresh', { method: 'POST' });
      expect(await answer.json()).to.include({ clientId: 'fresh', podName: 'holder' });
    });

    it('reports an unavailable store', async () => {
      entry.owners.failure = new GatewayError('store_unavailable', 'the store cannot be reached');
      await expectRefusal(await nodes.post('/send-message', SEND), /^the store cannot be reached$/);
    });
  });

  describe('a caller that disconnects', () => {
    for (const [what, path, init] of [
      ['without a body', '/qr?clientId=acme', {}],
      ['with one', '/send-message', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(SEND) }],
    ] as const) {
      it(`ends the forwarded request, ${what}`, async () => {
        const arrived = deferred<IncomingMessage>();
        await nodes.standIn((incoming) => arrived.resolve(incoming));
        const caller = new AbortController();
        const answer = nodes.call(path, { ...init, signal: caller.signal });
        const { socket } = await arrived.promise;
        const [left, responded] = [once(socket, 'close'), response(entry)];
        caller.abort();
        expect(await answer.catch((error: unknown) => error)).to.be.instanceOf(Error);
        await Promise.all([left, responded]);
        while (Object.keys(await nodes.outcomes()).length === 0) await setImmediate();
        expect(await nodes.outcomes()).to.deep.equal({ left: 1 });
        const [line] = entry.api.lines.filter(({ msg }) => msg === 'request');
        expect(line).to.include({ status: 499, node: 'stand-in' });
        expect(entry.api.lines.filter(({ level }) => level === 'warn')).to.deep.equal([]);
      });
    }

    it('ends the forwarded request while the response is streaming', async () => {
      const left = deferred<void>();
      await nodes.standIn((incoming, response) => {
        incoming.socket.once('close', () => left.resolve());
        response.writeHead(200).write('the first of many');
      });
      const answer = await nodes.call('/qr?clientId=acme');
      await answer.body?.cancel();
      await left.promise;
    });

    it('keeps the request active at its node until the work is done', async () => {
      const [began, done] = [deferred<void>(), deferred<void>()];
      holder.api.services.chats.setTyping = async () => {
        began.resolve();
        await done.promise;
      };
      const caller = new AbortController();
      const body = { clientId: 'acme', to: '+15550000002' };
      const answer = nodes.post('/send-typing', body, { signal: caller.signal });
      await began.promise;
      caller.abort();
      expect(await answer.catch((error: unknown) => error)).to.be.instanceOf(Error);
      expect(holder.owners.underWay).to.equal(1);
      const responded = response(holder);
      done.resolve();
      await responded;
    });

    it('ends a request that waits for an owner', async () => {
      entry.owners.script = () => ({ at: 'moving' });
      const caller = new AbortController();
      const answer = nodes.call('/qr?clientId=acme', { signal: caller.signal });
      await entry.api.clock.scheduled(100);
      const responded = response(entry);
      caller.abort();
      expect(await answer.catch((error: unknown) => error)).to.be.instanceOf(Error);
      await responded;
      expect(entry.api.clock.pending()).to.deep.equal([]);
    });
  });
});
