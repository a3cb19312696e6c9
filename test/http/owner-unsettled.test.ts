import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError } from '../../src/domain/errors.js';
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

describe('requests on their way to another node', () => {
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

  describe('that is not what it was', () => {
    it('are tried again where it says that it does not hold the session', async () => {
      const stale = await nodes.another('stale');
      let looks = 0;
      entry.owners.script = () => ({ at: 'peer', node: (looks++ < 2 ? stale : holder).owners.self });
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait(STEPS_MS.slice(0, 2));
      expect((await answer).status).to.equal(200);
      expect(holder.api.services.sending.sent).to.have.lengthOf(1);
      expect(stale.handled).to.deep.equal([]);
      expect(await nodes.outcomes()).to.deep.equal({ elsewhere: 2, answered: 1 });
      // what was found is forgotten before each new look
      expect(entry.owners.calls.join(' ')).to.match(/^find (distrust )+find (distrust )+find$/);
    });

    it('are never passed on twice: two nodes that each take the other for it answer soon', async () => {
      holder.owners.held.clear();
      holder.owners.script = () => ({ at: 'peer', node: entry.owners.self });
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait();
      await expectRefusal(await answer, /^session acme is on its way to another node/);
      expect(await nodes.outcomes()).to.deep.equal({ elsewhere: STEPS_MS.length + 1 });
      expect(entry.api.lines.filter(({ msg }) => msg === 'request')).to.have.lengthOf(1);
    });

    it('are answered soon when it takes no connections', async () => {
      const node = await deadNode();
      entry.owners.script = () => ({ at: 'peer', node });
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait();
      await expectRefusal(
        await answer,
        /^node dead, which holds session acme, cannot be reached: nothing was done/,
      );
    });

    it('do not go round when the address that it tells is that of the node that asks', async () => {
      entry.owners.script = () => ({ at: 'peer', node: { ...holder.owners.self, url: entry.url } });
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait();
      await expectRefusal(await answer, /^node holder, which holds session acme, cannot be reached/);
      expect(entry.taken.requests).to.equal(1 + STEPS_MS.length + 1);
    });

    it('do not go round when the address that it tells is that of the node that asks', async () => {
      entry.owners.script = () => ({ at: 'peer', node: { ...holder.owners.self, url: entry.url } });
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait();
      await expectRefusal(await answer, /^node holder, which holds session acme, cannot be reached/);
      expect(entry.taken.requests).to.equal(1 + STEPS_MS.length + 1);
    });

    it('are not tried again when it is lost on the way', async () => {
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

    it('break off where it breaks off', async () => {
      await nodes.standIn((_incoming, response) => {
        response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
      });
      const answer = await nodes.call('/qr?clientId=acme');
      expect(await answer.text().catch((error: unknown) => error)).to.be.instanceOf(Error);
    });

    it('are given up when another has the session while it stands still', async () => {
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

  describe('for a session that nobody holds', () => {
    beforeEach(() => {
      entry.owners.script = () => ({ at: 'nobody' });
    });

    it('wait for the node that will', async () => {
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

    it('do not wait for long', async () => {
      entry.owners.known.add('acme');
      const answer = nodes.post('/send-message', SEND);
      await nodes.outwait();
      await expectRefusal(await answer, /^session acme is on its way to another node/);
      expect(entry.handled).to.deep.equal([]);
    });

    it('are answered 404 when there is no such session', async () => {
      expect((await nodes.post('/send-message', SEND)).status).to.equal(404);
    });

    it('make it where they come to, when they start it', async () => {
      entry.owners.takes = () => true;
      const answer = await nodes.call('/start?clientId=acme', { method: 'POST' });
      expect(await answer.json()).to.include({ podName: 'entry' });
      expect(entry.owners.entered).to.equal(1);
    });

    it('start it where somebody was quicker', async () => {
      entry.owners.takes = () => {
        entry.owners.script = () => ({ at: 'peer', node: holder.owners.self });
        return false;
      };
      const answer = await nodes.call('/start?clientId=acme', { method: 'POST' });
      expect(await answer.json()).to.include({ podName: 'holder' });
    });

    it('start it on another node when theirs takes no more', async () => {
      entry.owners.peers = [holder.owners.self];
      holder.owners.takes = () => true;
      const answer = await nodes.call('/start?clientId=fresh', { method: 'POST' });
      expect(await answer.json()).to.include({ clientId: 'fresh', podName: 'holder' });
    });

    it('say so while the store does not answer', async () => {
      entry.owners.failure = new GatewayError('store_unavailable', 'the store cannot be reached');
      await expectRefusal(await nodes.post('/send-message', SEND), /^the store cannot be reached$/);
    });
  });

  describe('whose caller goes away', () => {
    for (const [what, path, init] of [
      ['without a body', '/qr?clientId=acme', {}],
      ['with one', '/send-message', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(SEND) }],
    ] as const) {
      it(`leave their node, ${what}`, async () => {
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

    it('leave their node while its answer flows', async () => {
      const left = deferred<void>();
      await nodes.standIn((incoming, response) => {
        incoming.socket.once('close', () => left.resolve());
        response.writeHead(200).write('the first of many');
      });
      const answer = await nodes.call('/qr?clientId=acme');
      await answer.body?.cancel();
      await left.promise;
    });

    it('are under way on it until their work is done', async () => {
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

    it('wait for nobody', async () => {
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
