import { expect } from 'chai';
import { MONGODB_URL } from '../store/support/mongo.js';
import { Chance } from '../support/chance.js';
import { answering } from '../support/receiver.js';
import { ClusterLab, until } from './support/cluster-lab.js';
import type { ClusterNode } from './support/cluster-node.js';
import { ClusterTraffic } from './support/cluster-traffic.js';

const SESSIONS = 3;
/** A message is larger on the wire than this, and what only acknowledges or asks is smaller. */
const MESSAGE_BYTES = 150;
const LEASE_SECONDS = 8;
/** Messages each way. */
const PER_SECOND = 10;
/** Milliseconds: what is promised, and as much again for a slow machine. */
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
    }

    it(`are replaced when they are killed in the middle of a send (seed ${chance.seed})`, async () => {
      const { node, number } = await victim();
      await connectsElsewhere(number, () => killedWhileSending(node));
      await node.start();
      await allIsWell();
    }).timeout(PATIENCE_MS);

    it('are replaced when they are killed in the middle of a delivery', async () => {
      const { node, clientId, number } = await victim();
      await connectsElsewhere(number, () => killedWhileDelivering(node, clientId));
      await node.start();
      await allIsWell();
    }).timeout(PATIENCE_MS);

    it('say and write nothing any more when they wake up after their lease has run out', async () => {
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

    it('let go of their sessions in time when they alone cannot reach the store', async () => {
      const { node, clientId, number, epoch } = await victim();
      await connectsElsewhere(number, async () => node.store.freeze());
      expect((await lab.lease(clientId)).epoch).to.be.above(epoch);
      node.store.restore();
      await allIsWell();
      await takesPart(node);
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
