import { expect } from 'chai';
import { MONGODB_URL } from '../store/support/mongo.js';
import { Chance } from '../support/chance.js';
import { ClusterLab } from './support/cluster-lab.js';
import { ClusterTraffic } from './support/cluster-traffic.js';

const SESSIONS = 6;
const LEASE_SECONDS = 12;
/** Messages each way. */
const PER_SECOND = 20;
const PATIENCE_MS = 240_000;

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('nodes that come and go in good order', () => {
    const chance = new Chance();
    let lab: ClusterLab;
    let traffic: ClusterTraffic;
    before(async function () {
      this.timeout(PATIENCE_MS);
      lab = await ClusterLab.start(server, { sessions: SESSIONS, leaseSeconds: LEASE_SECONDS });
      traffic = new ClusterTraffic(lab, chance, PER_SECOND);
    });
    after(() => lab.stop());

    it('share the sessions with every node that joins, and move no more than it takes', async () => {
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
    }).timeout(PATIENCE_MS);

    it(`are restarted one after the other under ${PER_SECOND} messages a second each way (seed ${chance.seed})`, async () => {
      traffic.start();
      for (const node of lab.nodes) {
        await node.stop();
        await node.start();
      }
      await lab.balanced();
      await traffic.end();
    }).timeout(PATIENCE_MS);

    it('lose nothing, send nothing twice, and never log a session in twice', async () => {
      expect(traffic.answers).to.have.property('size').that.is.above(0);
      await traffic.check();
    });
  });
}
