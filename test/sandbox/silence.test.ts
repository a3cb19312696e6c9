import { expect } from 'chai';
import { ManualClock } from '../support/manual-clock.js';
import { ALICE, BOB, pnJid, SandboxWorld } from './support/world.js';

const SILENCE_MS = 90_000;
/** Milliseconds between two looks of the network at who is silent. */
const TICK_MS = SILENCE_MS / 4;

describe('Sandbox: a client that falls silent', () => {
  const world = new SandboxWorld();
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock();
    await world.open({ clock });
  });
  afterEach(() => world.close());

  it('is dropped after 90 seconds, and its next login is no conflict', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    const closed = alice.closed();
    for (let tick = 0; tick < 5; tick++) {
      expect((await world.client.stats()).dropped).to.equal(0);
      clock.advance(TICK_MS);
      await bob.socket.query({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } });
    }
    expect(await closed).to.equal(428);
    await alice.connect();
    await bob.say(pnJid(ALICE), 'after the silence');
    await alice.text('after the silence');
    const stats = await world.client.stats();
    expect(stats).to.include({ dropped: 1, conflicts: 0, repeated: 0 });
    expect(stats.loginsByDevice).to.deep.equal({ [`${ALICE}:1`]: 2, [`${BOB}:1`]: 1 });
  });

  it('keeps what comes meanwhile', async () => {
    const alice = await world.linked(ALICE);
    const closed = alice.closed();
    clock.advance(2 * SILENCE_MS);
    await closed;
    await world.client.write(BOB, { to: ALICE, text: 'during the silence' });
    expect((await world.client.stats()).waitingOffline).to.equal(1);
    await alice.connect();
    await alice.text('during the silence');
  });
});
