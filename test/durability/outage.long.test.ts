import { expect } from 'chai';
import { systemClock, wait } from '../../src/domain/clock.js';
import { Chance } from '../support/chance.js';
import { Inbound } from '../support/inbound.js';
import { breakStore } from '../support/store-place.js';
import { ALICE, BOB, linkSession, startKillableWorld, startWorld, type World } from '../support/world.js';

const OUTAGE_MS = 20_000;
/** Milliseconds between two requests during the outage. */
const PACE_MS = 400;
const PATIENCE_MS = 60_000;

describe('a gateway whose store is down under traffic', () => {
  let world: World;
  let inbound: Inbound;
  before(async () => {
    world = await startKillableWorld({ breakableStore: true });
    inbound = new Inbound(world);
  });
  after(() => world.stop());

  const send = (body: string) => world.api.post('/send-message', { clientId: 'acme', to: BOB.number, body });
  const ready = () => world.api.get('/health/ready');
  const unfinished = async () => {
    const { body } = await world.api.get('/health/clients');
    const rows = Array.isArray(body.clients) ? body.clients : [];
    return rows.reduce((sum, { openJournal }) => sum + openJournal, 0);
  };

  it(`reports the outage for ${OUTAGE_MS / 1000} s, acknowledges nothing, and loses nothing`, async () => {
    expect((await send('before')).status).to.equal(200);
    await inbound.write('before');
    await inbound.arrived();

    const restore = breakStore(world);
    const end = performance.now() + OUTAGE_MS;
    const refused: string[] = [];
    for (let round = 0; performance.now() < end; round++) {
      await inbound.write(`during ${round}`);
      const { status, body } = await ready();
      expect(status).to.equal(503);
      expect(body).to.include({ status: 'unavailable', database: false });
      const answer = await send(`refused ${round}`);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(503);
      expect(answer.body.error).to.match(/database|store/i);
      refused.push(`refused ${round}`);
      await wait(systemClock, PACE_MS);
    }
    expect(refused).to.have.length.above(1);
    const { waitingOffline, unacknowledged } = await world.phones.stats();
    expect(waitingOffline + unacknowledged).to.be.at.least(refused.length);

    restore();
    await inbound.write('after');
    await inbound.arrived();
    const bodies = inbound.bodies();
    for (const [id, text] of inbound.written) expect(bodies.get(id), text).to.include(text);
    expect((await ready()).status).to.equal(200);
    expect((await send('after')).status).to.equal(200);
    await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'after');
  }).timeout(PATIENCE_MS);

  it('sends no message that it refused, and has no open work at the end', async () => {
    // what the outage held up is finished, not broken off by the stop
    while ((await unfinished()) > 0);
    await world.stopDaemon();
    expect(await world.inspect((store) => store.journal.countOpen())).to.equal(0);
    expect(await world.inspect((store) => store.sends.open('acme'))).to.deep.equal([]);
    await world.startDaemon();
    await world.connected();
    expect((await send('at last')).status).to.equal(200);
    await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'at last');
    const texts = (await world.phones.messages(BOB.number)).filter(({ fromMe }) => !fromMe);
    expect(texts.map(({ text }) => text)).to.deep.equal(['before', 'after', 'at last']);
  });
});

const MESSAGES = 300;
const CUTS = 15;
/** Events between two cuts, at most. */
const MAX_STEPS = 25;

describe('a gateway whose link is cut at random instants', () => {
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
