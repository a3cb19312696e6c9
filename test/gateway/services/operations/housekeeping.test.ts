import { expect } from 'chai';
import { Housekeeping } from '../../../../src/gateway/services/operations/housekeeping.js';
import type { SessionRegistry } from '../../../../src/gateway/services/sessions/registry.js';
import { playedLink } from '../../../support/rig/link.js';
import { Rig } from '../../../support/rig/rig.js';

describe('Housekeeping', () => {
  let rig: Rig;
  let sessions: SessionRegistry;
  beforeEach(async () => {
    rig = await Rig.start();
    ({ sessions } = rig.sessions(playedLink({})));
    for (const clientId of ['second', 'third', 'fourth']) await sessions.start(clientId, {});
  });
  afterEach(() => rig.close());

  /** @param watch called for each session */
  const housekeeping = (watch: () => void) => {
    const { store, clock, log } = rig;
    return new Housekeeping({
      ...{ store, sessions, clock, log },
      keptEvents: { prune: async () => undefined },
      held: { watch: async () => watch() },
      retentionDays: 0,
    });
  };

  it('lets other work run between two sessions', async () => {
    const seen: number[] = [];
    let iterations = 0;
    let counting = setImmediate(function count() {
      iterations += 1;
      counting = setImmediate(count);
    });
    try {
      await housekeeping(() => seen.push(iterations)).clean();
      expect(seen).to.have.length(sessions.views().length);
      expect(new Set(seen).size).to.equal(seen.length);
    } finally {
      clearImmediate(counting);
    }
  });

  it('touches no further session after the stop', async () => {
    let touched = 0;
    const stopped = housekeeping(() => {
      touched += 1;
      stopped.stop();
    });
    await stopped.clean();
    expect(touched).to.equal(1);
  });
});
