import { expect } from 'chai';
import { Housekeeping } from '../../src/services/housekeeping.js';
import { playedLink } from '../support/rig/link.js';
import { Rig } from '../support/rig/rig.js';

describe('Housekeeping', () => {
  it('lets other work go on between two sessions', async () => {
    const rig = await Rig.start();
    const { store, clock, log } = rig;
    const { sessions } = rig.sessions(playedLink({}));
    const seen: number[] = [];
    let iterations = 0;
    let counting = setImmediate(function count() {
      iterations += 1;
      counting = setImmediate(count);
    });
    try {
      for (const clientId of ['second', 'third', 'fourth']) await sessions.start(clientId, {});
      const housekeeping = new Housekeeping({
        ...{ store, sessions, clock, log },
        keptEvents: { prune: async () => undefined },
        held: { watch: async () => void seen.push(iterations) },
        retentionDays: 0,
      });
      await housekeeping.clean();
      expect(seen).to.have.length(sessions.views().length);
      expect(new Set(seen).size).to.equal(seen.length);
    } finally {
      clearImmediate(counting);
      await rig.close();
    }
  });
});
