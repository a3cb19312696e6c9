import { expect } from 'chai';
import { Chance } from '../support/chance.js';
import { Inbound } from '../support/inbound.js';
import { ALICE, BOB, linkSession } from '../support/pairing.js';
import { startWorld, type World } from '../support/world.js';

const MESSAGES = 300;
const CUTS = 15;
/** Events between two cuts, at most. */
const MAX_STEPS = 25;
const PATIENCE_MS = 60_000;

describe('a connection that is cut at random instants', () => {
  const chance = new Chance();
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
  });
  after(() => world.stop());

  it(`loses none of ${MESSAGES} messages (seed ${chance.seed})`, async () => {
    const inbound = new Inbound(world);
    const cut = cutAtRandom();
    await inbound.stream(MESSAGES);
    cut.stop();
    expect(cut.count()).to.equal(CUTS);
    const bodies = inbound.bodies();
    for (const [id, text] of inbound.written) expect(bodies.get(id), text).to.include(text);
  }).timeout(PATIENCE_MS);

  it('leaves nothing in the journal', async () => {
    await world.stopDaemon();
    expect(await world.inspect((store) => store.journal.countOpen())).to.equal(0);
    expect(await world.phones.stats()).to.include({ waitingOffline: 0 });
    await world.startDaemon();
  });

  /** Cuts after a random number of things that the network sees, until it has done so often enough. */
  function cutAtRandom(): { count(): number; stop(): void } {
    const watching = new AbortController();
    let cuts = 0;
    const watch = async () => {
      let left = chance.between(1, MAX_STEPS);
      for await (const _ of world.phones.watch(watching.signal)) {
        if (--left > 0 || cuts === CUTS) continue;
        left = chance.between(1, MAX_STEPS);
        cuts += 1;
        await world.phones.fault({ kind: 'disconnect', number: ALICE.number, count: 1 });
      }
    };
    void watch();
    return { count: () => cuts, stop: () => watching.abort() };
  }
});
