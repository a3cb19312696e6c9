import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect } from 'chai';
import { systemClock, wait } from '../../src/domain/clock.js';
import { Inbound } from '../support/inbound.js';
import { BOB } from '../support/pairing.js';
import { Lab } from './support/lab.js';

const OUTAGE_MS = 20_000;
/** Milliseconds between two requests during the outage. */
const PACE_MS = 400;
const PATIENCE_MS = 60_000;

describe('a store that is down under traffic', () => {
  let lab: Lab;
  let inbound: Inbound;
  before(async () => {
    lab = await Lab.start({ breakableStore: true });
    inbound = new Inbound(lab);
  });
  after(() => lab.stop());

  const send = (body: string) => lab.api.post('/send-message', { clientId: 'acme', to: BOB.number, body });
  const ready = () => lab.api.get('/health/ready');
  const unfinished = async () => {
    const { body } = await lab.api.get('/health/clients');
    const rows = Array.isArray(body.clients) ? body.clients : [];
    return rows.reduce((sum, { openJournal }) => sum + openJournal, 0);
  };

  it(`says so for ${OUTAGE_MS / 1000} s, acknowledges nothing, and loses nothing`, async () => {
    expect((await send('before')).status).to.equal(200);
    await inbound.write('before');
    await inbound.arrived();

    const restore = breakStore();
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
    const { waitingOffline, unacknowledged } = await lab.phones.stats();
    expect(waitingOffline + unacknowledged).to.be.at.least(refused.length);

    restore();
    await inbound.write('after');
    await inbound.arrived();
    const bodies = inbound.bodies();
    for (const [id, text] of inbound.written) expect(bodies.get(id), text).to.include(text);
    expect((await ready()).status).to.equal(200);
    expect((await send('after')).status).to.equal(200);
    await lab.phones.waitForMessage(BOB.number, ({ text }) => text === 'after');
  }).timeout(PATIENCE_MS);

  it('sends nothing of what it refused, and has nothing left to do', async () => {
    // what the outage held up is finished, not broken off by the stop
    while ((await unfinished()) > 0);
    await lab.stopDaemon();
    expect(await lab.inspect((store) => store.journal.countOpen())).to.equal(0);
    expect(await lab.inspect((store) => store.sends.open('acme'))).to.deep.equal([]);
    await lab.startDaemon();
    await lab.connected();
    expect((await send('at last')).status).to.equal(200);
    await lab.phones.waitForMessage(BOB.number, ({ text }) => text === 'at last');
    const texts = (await lab.phones.messages(BOB.number)).filter(({ fromMe }) => !fromMe);
    expect(texts.map(({ text }) => text)).to.deep.equal(['before', 'after', 'at last']);
  });

  /** Cuts the server off; or holds the SQLite file, as a tool that is left open does. @returns what mends it */
  function breakStore(): () => void {
    const { proxy } = lab.place;
    if (proxy) {
      proxy.cut();
      return () => proxy.restore();
    }
    const holder = new SqliteDatabase(join(lab.dataDir, 'switchboard.db'));
    holder.exec('BEGIN IMMEDIATE');
    return () => {
      holder.exec('ROLLBACK');
      holder.close();
    };
  }
});
