import { join } from 'node:path';
import { createClient } from '@redis/client';
import { expect } from 'chai';
import postgres from 'pg';
import AdoptEvolution from '../../commands/adopt/evolution.js';
import AdoptFazer from '../../commands/adopt/fazer.js';
import { readBaileysFolders } from '../../src/terminal/cli/adopt/baileys-folder.js';
import { FileDevice } from '../support/file-device.js';
import { eventOf } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { startPostgres, startRedis, type TestServer } from '../support/servers.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { ALICE, BOB, CAROL, startWorld, TOKEN, WEBHOOK_TOKEN, type World } from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
/** Names of fazer-ai/baileys-api. */
const STATE = `@baileys-api:connections:${ALICE.number}:authState`;
const LEASE = `@baileys-api:cluster:lease:${ALICE.number}`;
/** What is read of the tables of Evolution API, as its `prisma/postgresql-schema.prisma` makes them. */
const TABLES = `
  CREATE SCHEMA evolution_api;
  SET search_path TO evolution_api;
  CREATE TABLE "Instance" (id text PRIMARY KEY, name varchar(255) UNIQUE, integration varchar(100));
  CREATE TABLE "Session" (id text PRIMARY KEY, "sessionId" text UNIQUE, creds text);
  CREATE TABLE "Webhook" (id text PRIMARY KEY, url varchar(500), enabled boolean, "instanceId" text UNIQUE);`;

const redisAt = (url: string) => createClient({ url }).connect();

describe('numbers in the stores of other programs', function () {
  this.timeout(60_000);
  let world: World;
  let folder: TempDir;
  const servers: TestServer[] = [];
  before(async () => {
    world = await startWorld();
    folder = await makeTempDir();
    await world.phones.addPhone(BOB);
  });
  after(async () => {
    await world.stop();
    for (const server of servers) await server.stop();
    await folder.remove();
  });

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]) =>
    runCommand(command, argv, { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN });
  const fromBob = async ({ number }: { number: string }, text: string) =>
    (await world.phones.write(BOB.number, { to: number, text })).messageId;

  /** Links a number with the real library, which reads one message and ends; what it stored. */
  const linkElsewhere = async (person: { number: string; name: string }) => {
    const path = join(folder.path, person.name);
    const device = await FileDevice.link(world, path, person);
    await fromBob(person, 'before');
    await device.read('before');
    await device.stop();
    const [number] = await readBaileysFolders(path);
    if (!number) throw new Error('unreachable: it is there');
    return { path, number };
  };
  const arrived = async (clientId: string, messageId: string) =>
    expect(await eventOf(world.receiver, messageId)).to.include({
      clientId,
      body: 'while nobody was connected',
    });

  describe('numbers in a store of fazer-ai/baileys-api', () => {
    let redis: TestServer;
    let client: Awaited<ReturnType<typeof redisAt>>;
    before(async () => {
      redis = await startRedis();
      servers.push(redis);
      client = await redisAt(redis.url);
      const { number } = await linkElsewhere(ALICE);
      const metadata = { webhookUrl: world.receiver.url, webhookVerifyToken: WEBHOOK_TOKEN };
      await client.hSet(STATE, {
        creds: JSON.stringify(number.credentials),
        metadata: JSON.stringify(metadata),
      });
      for await (const { type, id, value } of number.keys()) {
        await client.hSet(STATE, `${type}-${id}`, JSON.stringify(value));
      }
      await client.set(LEASE, '{}');
    });
    after(() => client.destroy());

    it('are refused while their store has a lease', async () => {
      const { stderr, exitCode } = await run(AdoptFazer, '--redis', redis.url);
      expect(stderr).to.contain('it has a lease, so another program uses it');
      expect(exitCode).to.equal(6);
    });

    it('continue without pairing and with their webhook, and their store is not changed', async () => {
      await client.del(LEASE);
      const stored = await client.hGetAll(STATE);
      const waiting = await fromBob(ALICE, 'while nobody was connected');
      const { stdout, exitCode } = await run(AdoptFazer, '--redis', redis.url, '--watch', '0');
      expect({ stdout, exitCode }).to.deep.equal({
        stdout: '1 of 1  15550000001  +15550000001 connected\n',
        exitCode: 0,
      });
      await arrived('15550000001', waiting);
      expect(await client.hGetAll(STATE)).to.deep.equal(stored);
    });
  });

  describe('numbers in a store of Evolution API', () => {
    let database: TestServer;
    /** As Evolution API has it in its settings. */
    let address: string;
    let client: InstanceType<typeof postgres.Client>;
    before(async () => {
      database = await startPostgres();
      servers.push(database);
      client = new postgres.Client({ connectionString: database.url });
      await client.connect();
      await client.query(TABLES);
      address = `${database.url}?schema=evolution_api`;
    });

    /** Writes an instance; credentials are JSON of a text that is JSON. */
    const insert = async (id: string, name: string, credentials: object) => {
      const creds = JSON.stringify(JSON.stringify(credentials));
      await client.query('INSERT INTO "Instance" VALUES ($1, $2, $3)', [id, name, 'WHATSAPP-BAILEYS']);
      await client.query('INSERT INTO "Session" VALUES ($1, $1, $2)', [id, creds]);
      await client.query('INSERT INTO "Webhook" VALUES ($1, $2, true, $1)', [id, world.receiver.url]);
    };

    it('are refused while another connection to its database is open', async () => {
      const { number } = await linkElsewhere(CAROL);
      await insert('c1', 'sales-team', number.credentials);
      await client.query(`INSERT INTO "Instance" VALUES ('c0', 'never-scanned', 'WHATSAPP-BAILEYS')`);
      const { stderr, exitCode } = await run(AdoptEvolution, '--postgres', address, '--only', 'salesteam');
      expect(stderr).to.contain('another connection to its database is open, so another program uses it');
      expect(exitCode).to.equal(6);
    });

    it('continue without pairing when their keys are in Redis', async () => {
      const redis = await startRedis();
      servers.push(redis);
      const cache = await redisAt(redis.url);
      const [number] = await readBaileysFolders(join(folder.path, CAROL.name));
      for await (const { type, id, value } of number?.keys() ?? []) {
        const written = JSON.stringify(JSON.stringify(value));
        await cache.hSet('evolution-cache:instance:c1', `${type}-${id}`, written);
      }
      cache.destroy();
      await client.end();
      const waiting = await fromBob(CAROL, 'while nobody was connected');
      const place = ['--postgres', address, '--redis', redis.url];
      const { stdout, stderr } = await run(AdoptEvolution, ...place, '--watch', '0');
      expect(stderr).to.contain('instance never-scanned: its pairing was not finished; it is left out');
      expect(stdout).to.equal('1 of 1  salesteam  +15550000003 connected\n');
      await arrived('salesteam', waiting);
    });

    it('continue without pairing when their keys are in files', async () => {
      const { number, path } = await linkElsewhere(DAVE);
      client = new postgres.Client({ connectionString: database.url });
      await client.connect();
      await client.query('SET search_path TO evolution_api');
      await client.query('DELETE FROM "Instance"');
      await insert('Dave', 'dave', number.credentials);
      await client.end();
      const waiting = await fromBob(DAVE, 'while nobody was connected');
      const place = ['--postgres', address, '--instances', join(path, '..')];
      const { stdout } = await run(AdoptEvolution, ...place, '--watch', '0', '--force');
      expect(stdout).to.equal('1 of 1  dave  +15550000004 connected\n');
      await arrived('dave', waiting);
    });
  });

  it('are not found where no server answers', async () => {
    const noRedis = await run(AdoptFazer, '--redis', 'redis://127.0.0.1:1');
    expect(noRedis.stderr).to.contain('no Redis answers at this address');
    expect(noRedis.exitCode).to.equal(3);
    const noDatabase = await run(AdoptEvolution, '--postgres', 'postgresql://127.0.0.1:1/evolution');
    expect(noDatabase.stderr).to.contain('the database of Evolution API cannot be read');
    expect(noDatabase.exitCode).to.equal(3);
  });
});
