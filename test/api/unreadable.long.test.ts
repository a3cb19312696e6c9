import { checkMixedTraffic } from '../support/mixed-traffic.js';
import { startWorld } from '../support/world.js';

describe('a gateway in mixed traffic', () => {
  it('announces each of 1,000 messages once among 1,000 statuses and posts, including unreadable ones, across restarts', async () => {
    const world = await startWorld();
    try {
      await checkMixedTraffic(world, 1_000, 3);
    } finally {
      await world.stop();
    }
  }).timeout(300_000);
});
