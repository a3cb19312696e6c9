import { startWorld } from '../support/world.js';
import { expectOneLookUp } from './support/outdated.js';

describe('a client version that the network no longer accepts', () => {
  it('the client version is looked up once for twenty sessions, which reconnect without an operator', async () => {
    const world = await startWorld();
    try {
      await expectOneLookUp(world, 20);
    } finally {
      await world.stop();
    }
  }).timeout(120_000);
});
