import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { BSON, MongoClient } from 'mongodb';
import { found } from '../gateway/store/support/secrets.js';
import { Inbound } from '../support/inbound.js';
import { answering } from '../support/receiver.js';
import { BOB, startKillableWorld, TOKEN, WEBHOOK_TOKEN, type World } from '../support/world.js';

const MAX_BYTES = 64 * 1024 * 1024;
/** A key of 32 bytes, and one with its type byte, in base64. */
const KEYS = /[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{44}/g;
/** Message texts, and secrets that were given to the gateway. */
const TOLD = {
  token: TOKEN,
  webhookToken: WEBHOOK_TOKEN,
  apiSecret: 'api-secret-of-one-session',
  inbound: 'what Bob said in confidence',
  outbound: 'what Alice said in confidence',
  metaData: 'meta-data-in-confidence',
  undelivered: 'what nobody would take',
};

describe('the database after a real run', () => {
  let world: World;
  before(async () => {
    world = await startKillableWorld();
    await talk();
  });
  after(() => world.stop());

  it('contains no text, token or secret in clear, while a daemon runs and afterwards', async () => {
    const running = await rawDatabase();
    await world.stopDaemon();
    const secrets = [...Object.values(TOLD), world.encryptionKey.toString('hex')];
    for (const raw of [running, await rawDatabase()]) {
      expect(raw.includes('acme'), 'the search does find what is there').to.equal(true);
      expect(found(raw, secrets)).to.deep.equal([]);
      expect(raw.includes(world.encryptionKey)).to.equal(false);
    }
  });

  it('contains no key of the network in clear', async () => {
    const keys = await world.inspect(async (store) => {
      const credentials = await store.keys.credentials('acme');
      const preKeys = await store.keys.get('acme', 'pre-key', ['1', '2', '3']);
      const texts = [credentials, ...preKeys.values()].map((bytes) => Buffer.from(bytes ?? []).toString());
      return texts.flatMap((text) => text.match(KEYS) ?? []);
    });
    expect(keys).to.have.length.above(10);
    const raw = await rawDatabase();
    const leaked = keys.filter((key) => {
      const bytes = Buffer.from(key, 'base64');
      return [key, bytes, bytes.toString('hex')].some((writing) => raw.includes(writing));
    });
    expect(leaked).to.deep.equal([]);
  });

  /** Leaves something of everything that a store keeps. */
  async function talk(): Promise<void> {
    const inbound = new Inbound(world);
    await world.api.post('/set-api-secret', { clientId: 'acme', secret: TOLD.apiSecret });
    await inbound.write(TOLD.inbound);
    await inbound.arrived();
    const { status } = await world.api.post(
      '/send-message',
      { clientId: 'acme', to: BOB.number, body: TOLD.outbound, metaData: { note: TOLD.metaData } },
      { 'idempotency-key': 'one' },
    );
    expect(status).to.equal(200);
    world.receiver.respond(answering(400));
    await inbound.write(TOLD.undelivered);
    await world.tail.next(({ kind }) => kind === 'dropped');
  }

  async function rawDatabase(): Promise<Buffer> {
    if (world.place.setting !== 'sqlite') return rawDocuments(world.place.setting);
    const names = (await readdir(world.dataDir)).filter((name) => name.startsWith('switchboard.'));
    // in another process: closing a file that SQLite has open here would drop SQLite's locks on it
    return execFileSync(
      'cat',
      names.map((name) => join(world.dataDir, name)),
      { maxBuffer: MAX_BYTES },
    );
  }
});

/** Every document of a MongoDB database, as its server keeps it. */
async function rawDocuments(url: string): Promise<Buffer> {
  const client = new MongoClient(url);
  try {
    const collections = await client.db().collections();
    const documents = await Promise.all(collections.map((collection) => collection.find().toArray()));
    return Buffer.concat(documents.flat().map((document) => BSON.serialize(document)));
  } finally {
    await client.close();
  }
}
