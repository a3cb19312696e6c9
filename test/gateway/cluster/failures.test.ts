import { expect } from 'chai';
import { Chance } from '../../support/chance.js';
import { answering, type ReceivedCall, startReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';
import { BOB, WEBHOOK_TOKEN } from '../../support/world.js';
import { MONGODB_URL } from '../store/support/mongo.js';
import { ClusterLab, type ClusterNode } from './support/cluster-lab.js';
import { ClusterTraffic } from './support/cluster-traffic.js';

const SESSIONS = 3;
/** A message is larger on the wire than this, and what only acknowledges or asks is smaller. */
const MESSAGE_BYTES = 150;
const LEASE_SECONDS = 8;
/** Messages each way. */
const PER_SECOND = 10;
/** Messages in each of two chats that wait for their receiver. */
const KEPT_EACH = 6;
/** Milliseconds: twice the documented limit, for slow machines. */
const TAKE_OVER_MS = 2 * (LEASE_SECONDS + 5) * 1_000;
const PATIENCE_MS = 180_000;

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('nodes that fail', () => {
    const chance = new Chance();
    let lab: ClusterLab;
    let traffic: ClusterTraffic;
    before(async function () {
      this.timeout(PATIENCE_MS);
      lab = await ClusterLab.start(server, { sessions: SESSIONS, leaseSeconds: LEASE_SECONDS });
      await lab.startAll();
      traffic = new ClusterTraffic(lab, chance, PER_SECOND);
    });
    after(() => lab.stop());
    /** The node that holds `s0`, and the number of the session, before something happens to it under traffic. */
    async function victim() {
      await lab.balanced();
      traffic.start();
      const { clientId, number } = lab.session(0);
      const [node, { nodeId, epoch }] = await Promise.all([lab.ownerOf(clientId), lab.lease(clientId)]);
      return { clientId, number, node, nodeId, epoch };
    }

    /** Resolves when the network sees a connection of a session by another node; what makes it move is done first. */
    async function connectsElsewhere(number: string, act: () => Promise<unknown>): Promise<void> {
      let gone = false;
      await lab.phones.waitFor(
        (event) => {
          if (event.type !== 'device' || event.number !== number) return false;
          gone ||= event.change === 'disconnected';
          return gone && event.change === 'connected';
        },
        TAKE_OVER_MS,
        act,
      );
    }

    async function allIsWell(): Promise<void> {
      await lab.connected();
      await traffic.end();
      await traffic.check();
      await countsAreRight();
    }

    /** The node that holds a session counts for its policy what all nodes have sent. */
    async function countsAreRight(): Promise<void> {
      for (const { clientId } of lab.sessions)
        await until(`the counts of ${clientId}`, async () => {
          const { api } = lab.nodes.find(({ runs }) => runs) ?? lab.node(0);
          const [policy, past] = await Promise.all([
            api.get(`/policy?clientId=${clientId}`),
            api.get(`/policy/sends?clientId=${clientId}&days=1`),
          ]);
          const sends: unknown = past.body.sends;
          const { messages } = policy.body;
          const counted =
            typeof messages === 'object' && messages && 'lastDay' in messages && messages.lastDay;
          return Array.isArray(sends) && sends.length > 0 && counted === sends.length;
        });
    }

    it(`lose their sessions to others when they are killed during a send (seed ${chance.seed})`, async () => {
      const { node, number } = await victim();
      await connectsElsewhere(number, () => killedWhileSending(node));
      await node.start();
      await allIsWell();
    }).timeout(PATIENCE_MS);

    it('lose their sessions to others when they are killed during a delivery', async () => {
      const { node, clientId, number } = await victim();
      await connectsElsewhere(number, () => killedWhileDelivering(node, clientId));
      await node.start();
      await allIsWell();
    }).timeout(PATIENCE_MS);

    it('deliver and write nothing when they wake up after their lease has expired', async () => {
      const { node, clientId, number, nodeId, epoch } = await victim();
      const { dropped } = await lab.phones.stats();
      await connectsElsewhere(number, async () => node.pause());
      const taken = await lab.lease(clientId);
      expect(taken.epoch).to.be.above(epoch);
      // it gets no session back before all that it does has been seen
      await lab.cluster.nodes.drain(nodeId, true);
      node.wake();
      expect((await node.api.get('/health/live')).status).to.equal(200);
      await allIsWell();
      expect((await lab.phones.stats()).dropped).to.be.above(dropped);
      expect(await lab.heldBy(node)).to.deep.equal([]);
      await lab.cluster.nodes.drain(nodeId, false);
      await takesPart(node);
    }).timeout(PATIENCE_MS);

    it('release their sessions in time when they alone cannot reach the store', async () => {
      const { node, clientId, number, epoch } = await victim();
      await connectsElsewhere(number, async () => node.store.freeze());
      expect((await lab.lease(clientId)).epoch).to.be.above(epoch);
      node.store.restore();
      await allIsWell();
      await takesPart(node);
    }).timeout(PATIENCE_MS);

    it('lose no durable delivery and keep the order of each chat, when one is killed and another gives the session away', async () => {
      await lab.balanced();
      const { clientId, number } = lab.session(0);
      const other = lab.session(1).number;
      const { api } = await lab.ownerOf(clientId);
      const webhook = { clientId, webhookUrl: lab.receiver.url, webhookToken: WEBHOOK_TOKEN };
      await api.post('/set-webhook', { ...webhook, retry: 'durable' });
      const from = lab.receiver.calls.length;
      const accepted: string[] = [];
      const isKept = ({ headers, body }: ReceivedCall) =>
        headers['x-sn-event'] === 'text' && body.includes(`"clientId":"${clientId}"`);
      // accepts none before all are written, and does that when so many have been accepted
      const acts = new Map<number, () => Promise<unknown>>();
      let isUp = false;
      lab.receiver.respond((response, call, index) => {
        if (!isKept(call)) return answering(200)(response, call, index);
        if (!isUp) return answering(503)(response, call, index);
        accepted.push(String(call.headers['x-sn-delivery']));
        const act = acts.get(accepted.length);
        if (act) void act();
        return answering(200)(response, call, index);
      });
      const write = async (count: number) => {
        for (let n = 0; n < count; n++)
          await lab.phones.write(BOB.number, { to: number, text: `from Bob ${n}` });
        for (let n = 0; n < count; n++)
          await lab.phones.write(other, { to: number, text: `from another ${n}` });
      };
      const waiting = () => lab.store.waitingDeliveries.list(clientId);
      const allWait = (count: number) =>
        until('all events to wait', async () => (await waiting()).length === count);

      await write(KEPT_EACH);
      await allWait(2 * KEPT_EACH);
      const killed = await lab.ownerOf(clientId);
      await connectsElsewhere(number, async () => {
        await killed.kill();
        // they come when nobody holds the session
        await write(1);
      });
      await allWait(2 * KEPT_EACH + 2);
      await killed.start();
      await lab.connected();
      const kept = await waiting();
      const drained = await lab.lease(clientId);
      acts.set(3, () => lab.cluster.nodes.drain(drained.nodeId, true));
      isUp = true;
      await until('an event to be accepted', async () => accepted.length >= 3);
      await until('the session to move', async () => (await lab.lease(clientId)).epoch > drained.epoch);
      await until('everything to be delivered', async () => (await waiting()).length === 0);

      expect(lab.receiver.calls.slice(from).filter(isKept)).to.have.length.above(kept.length);
      const order = [...new Set(accepted)];
      for (const chat of new Set(kept.map((event) => event.chat))) {
        const ofChat = kept.filter((event) => event.chat === chat).map(({ id }) => id);
        expect(ofChat).to.have.length(KEPT_EACH + 1);
        expect(order.filter((id) => ofChat.includes(id))).to.deep.equal(ofChat);
      }
      expect(order).to.have.members(kept.map(({ id }) => id));
      expect(await lab.store.failedDeliveries.list({ clientId, limit: 99 })).to.deep.equal([]);
      lab.receiver.respond(answering(200));
      await api.post('/set-webhook', { ...webhook, retry: 'contract' });
      await lab.cluster.nodes.drain(drained.nodeId, false);
    }).timeout(PATIENCE_MS);

    it('hand receivers and their waiting events over to the next node, which delivers them under the same ids', async () => {
      await lab.balanced();
      const { clientId, number } = lab.session(0);
      const archive = await startReceiver(answering(503));
      const { api } = await lab.ownerOf(clientId);
      const soon = { retry: 'durable', schedule: { pauses: [1] } };
      const added = await api.post('/receivers', { clientId, url: archive.url, ...soon });
      expect(added.status, JSON.stringify(added.body)).to.equal(200);
      const ids: string[] = [];
      for (let n = 0; n < KEPT_EACH; n++) {
        const { messageId } = await lab.phones.write(BOB.number, { to: number, text: `archived ${n}` });
        ids.push(messageId);
      }
      const waiting = async () =>
        (await lab.store.waitingDeliveries.list(clientId)).filter(({ receiver }) => receiver !== undefined);
      await until('all events to wait', async () => (await waiting()).length === KEPT_EACH);
      const kept = await waiting();
      expect(kept.map(({ messageId }) => messageId)).to.have.members(ids);
      const drained = await lab.lease(clientId);
      const accepted: string[] = [];
      await connectsElsewhere(number, () => lab.cluster.nodes.drain(drained.nodeId, true));
      archive.respond((response, call, index) => {
        accepted.push(String(call.headers['x-sn-delivery']));
        answering(200)(response, call, index);
      });
      await until('everything to be delivered', async () => (await waiting()).length === 0);
      expect([...new Set(accepted)]).to.deep.equal(kept.map(({ id }) => id));
      await lab.cluster.nodes.drain(drained.nodeId, false);
      const owner = await lab.ownerOf(clientId);
      const removed = await owner.api.post('/receivers/remove', { clientId, id: '2' });
      expect(removed.status, JSON.stringify(removed.body)).to.equal(200);
      await archive.stop();
    }).timeout(PATIENCE_MS);

    async function takesPart(node: ClusterNode): Promise<void> {
      await until('the node to take part again', async () => (await lab.heldBy(node)).length > 0);
    }

    async function killedWhileSending(node: ClusterNode): Promise<void> {
      const lastWord = chance.pick('pass' as const, 'cut' as const);
      await new Promise<void>((resolve, reject) => {
        let struck = false;
        node.wire.watch(({ length }) => {
          if (struck || length < MESSAGE_BYTES) return 'pass';
          struck = true;
          node.kill().then(resolve, reject);
          return lastWord;
        });
      });
    }

    async function killedWhileDelivering(node: ClusterNode, clientId: string): Promise<void> {
      await new Promise<void>((resolve, reject) => {
        lab.receiver.respond((response, call, index) => {
          if (!call.body.includes(`for ${clientId}`)) return answering(200)(response, call, index);
          lab.receiver.respond(answering(200));
          node.kill().then(resolve, reject);
          response.destroy();
        });
      });
    }
  });
}

const RESTARTED_SESSIONS = 6;
const LEASE_SECONDS_OF_RESTART = 12;
/** Messages each way. */
const PER_SECOND_OF_RESTART = 20;
const RESTART_MS = 240_000;

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('nodes that join and leave normally', () => {
    const chance = new Chance();
    let lab: ClusterLab;
    let traffic: ClusterTraffic;
    before(async function () {
      this.timeout(RESTART_MS);
      lab = await ClusterLab.start(server, {
        sessions: RESTARTED_SESSIONS,
        leaseSeconds: LEASE_SECONDS_OF_RESTART,
      });
      traffic = new ClusterTraffic(lab, chance, PER_SECOND_OF_RESTART);
    });
    after(() => lab.stop());

    it('share the sessions with each new node, and move no more than necessary', async () => {
      const [first, second, third] = lab.nodes;
      if (!first || !second || !third) throw new Error('the lab has three nodes');
      await first.start();
      await lab.balanced();
      const before = await lab.takenUp();
      await second.start();
      await lab.balanced();
      expect(await lab.takenUp()).to.equal(before + 3);
      await third.start();
      await lab.balanced();
      expect(await lab.takenUp()).to.equal(before + 3 + 2);
    }).timeout(RESTART_MS);

    it(`restart one after the other under ${PER_SECOND_OF_RESTART} messages a second in each direction (seed ${chance.seed})`, async () => {
      traffic.start();
      for (const node of lab.nodes) {
        await node.stop();
        await node.start();
      }
      await lab.balanced();
      await traffic.end();
    }).timeout(RESTART_MS);

    it('lose nothing, send nothing twice, and never log a session in twice', async () => {
      expect(traffic.answers).to.have.property('size').that.is.above(0);
      await traffic.check();
    });
  });
}
