import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect } from 'chai';
import { MONGODB_URL } from '../gateway/store/support/mongo.js';
import { Chance } from '../support/chance.js';
import { Inbound } from '../support/inbound.js';
import { until } from '../support/until.js';
import { BOB, startKillableWorld, type World } from '../support/world.js';

/** Cuts of the log; `LOG_CUTS=50` for a longer run. */
const CUTS = Number(process.env.LOG_CUTS ?? 4);
/** Messages each way before each cut. */
const MESSAGES = 12;
const PATIENCE_MS = 60_000 + CUTS * 45_000;

// what a cut leaves of the log of MongoDB is MongoDB's own matter
if (!MONGODB_URL) {
  describe('a daemon whose write-ahead log lost its last commits', function () {
    this.timeout(PATIENCE_MS);
    const chance = new Chance();
    let world: World;
    let inbound: Inbound;

    before(async () => {
      world = await startKillableWorld();
      inbound = new Inbound(world);
      // a clean stop writes the paired session into the database file: a cut takes messages and keys, never the session
      await world.stopDaemon();
      await world.startDaemon();
      await world.connected();
    });
    after(() => world.stop());

    const send = async (text: string) => {
      const request = { clientId: 'acme', to: BOB.number, body: text };
      const { status, body } = await world.api.post('/send-message', request, { 'idempotency-key': text });
      expect(status, JSON.stringify(body)).to.equal(200);
      return String(body.messageId);
    };

    it(`starts on a consistent database, and sends and receives again (${CUTS} cuts, seed ${chance.seed})`, async () => {
      for (let round = 0; round < CUTS; round++) {
        for (let count = 0; count < MESSAGES; count++) {
          await inbound.write(`before cut ${round}, ${count}`);
          await send(`sent before cut ${round}, ${count}`);
        }
        await inbound.arrived();
        await world.killDaemon();
        const file = join(world.dataDir, 'switchboard.db');
        const { size } = await stat(`${file}-wal`);
        await truncate(`${file}-wal`, chance.between(0, size));
        const database = new SqliteDatabase(file);
        expect(database.pragma('integrity_check', { simple: true }), `cut ${round}`).to.equal('ok');
        database.close();
        await world.startDaemon();
        await world.connected();
        const id = await inbound.write(`after cut ${round}`);
        await until('the next message', async () => inbound.bodies().has(id));
        const sent = await send(`sent after cut ${round}`);
        await world.phones.waitForMessage(BOB.number, ({ messageId }) => messageId === sent, 30_000);
      }
    });

    it('sends nothing to the phone twice', async () => {
      const held = (await world.phones.messages(BOB.number)).filter(({ fromMe }) => !fromMe);
      const texts = held.map(({ text }) => text);
      expect(new Set(texts).size).to.equal(texts.length);
    });
  });
}
