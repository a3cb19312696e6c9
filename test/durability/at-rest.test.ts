import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { BSON, MongoClient } from 'mongodb';
import { found } from '../store/support/secrets.js';
import { Inbound } from '../support/inbound.js';
import { BOB, WEBHOOK_TOKEN } from '../support/pairing.js';
import { answering } from '../support/receiver.js';
import { TOKEN } from '../support/world.js';
import { Lab } from './support/lab.js';

const MAX_BYTES = 64 * 1024 * 1024;
/** A key of 32 bytes, and one with the byte that tells its kind, in base64. */
const KEYS = /[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{44}/g;
/** What was said, and what was given to the gateway in confidence. */
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
  let lab: Lab;
  before(async () => {
    lab = await Lab.start();
    await talk();
  });
  after(() => lab.stop());

  it('holds no text, token or secret in clear, while a daemon runs and after', async () => {
    const running = await rawDatabase();
    await lab.stopDaemon();
    const secrets = [...Object.values(TOLD), lab.encryptionKey.toString('hex')];
    for (const raw of [running, await rawDatabase()]) {
      expect(raw.includes('acme'), 'the search does find what is there').to.equal(true);
      expect(found(raw, secrets)).to.deep.equal([]);
      expect(raw.includes(lab.encryptionKey)).to.equal(false);
    }
  });

  it('holds no key of the network in clear', async () => {
    const keys = await lab.inspect(async (store) => {
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
    const inbound = new Inbound(lab);
    await lab.api.post('/set-api-secret', { clientId: 'acme', secret: TOLD.apiSecret });
    await inbound.write(TOLD.inbound);
    await inbound.arrived();
    const { status } = await lab.api.post(
      '/send-message',
      { clientId: 'acme', to: BOB.number, body: TOLD.outbound, metaData: { note: TOLD.metaData } },
      { 'idempotency-key': 'one' },
    );
    expect(status).to.equal(200);
    lab.receiver.respond(answering(400));
    await inbound.write(TOLD.undelivered);
    await lab.tail.next(({ kind }) => kind === 'dropped');
  }

  async function rawDatabase(): Promise<Buffer> {
    if (lab.place.setting !== 'sqlite') return rawDocuments(lab.place.setting);
    const names = (await readdir(lab.dataDir)).filter((name) => name.startsWith('switchboard.'));
    // in another process: closing a file that SQLite has open here would drop SQLite's locks on it
    return execFileSync(
      'cat',
      names.map((name) => join(lab.dataDir, name)),
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
