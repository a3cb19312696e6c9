import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { readAnswer } from '../../src/domain/json.js';
import type { DrillReport } from '../../src/local/drill/report.js';
import { MONGODB_URL } from '../gateway/store/support/mongo.js';
import { Chance } from '../support/chance.js';
import { CliProcess, runCli } from '../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

/** Minutes of each drill; a longer one is for a quiet evening. */
const MINUTES = process.env.DRILL_MINUTES ?? '2';
const PATIENCE_MS = Number(MINUTES) * 60_000 + 420_000;

/** The drill of the gate: with MongoDB three daemons, whose leases are short so that two minutes are enough. */
const PLACE = MONGODB_URL ? ['--store', MONGODB_URL, '--nodes', '3'] : [];
const KINDS = MONGODB_URL
  ? ['kill', 'node-lost', 'drain', 'store-cut-for-one', 'lock-and-move', 'receiver-closes']
  : ['kill', 'restart', 'disk-full', 'network-flaps', 'receiver-closes', 'broker-kill', 'torn-log'];
/** So many kinds are played at least: their lengths are drawn, and a busy machine needs time to break and mend. */
const MIN_KINDS = 4;

async function databases(): Promise<string[]> {
  if (!MONGODB_URL) return [];
  const client = new MongoClient(MONGODB_URL);
  try {
    const { databases: all } = await client.db().admin().listDatabases({ nameOnly: true });
    return all.map(({ name }) => name).filter((name) => name.startsWith('switchboard-drill-'));
  } finally {
    await client.close();
  }
}

describe('switchboard drill', function () {
  this.timeout(PATIENCE_MS);
  const { seed } = new Chance();
  let folder: TempDir;
  let trap: Server;
  let touched: string[];
  let config: string;
  let environment: Record<string, string>;

  /** The settings of an operator, of whose store, network and collectors a trap stands in place. */
  before(async () => {
    folder = await makeTempDir();
    touched = [];
    trap = createServer((socket) => {
      touched.push('a connection');
      socket.destroy();
    });
    const port = await new Promise<number>((resolve) => {
      trap.listen(0, '127.0.0.1', () => {
        const address = trap.address();
        resolve(address !== null && typeof address === 'object' ? address.port : 0);
      });
    });
    const at = `127.0.0.1:${port}`;
    const data = join(folder.path, 'of the operator');
    config = join(folder.path, 'switchboard.json');
    const others = { network: `ws://${at}/ws/chat`, otlpEndpoint: `http://${at}`, dataDir: data };
    const own = { leaseSeconds: 5, store: `mongodb://${at}/production`, ...others };
    await writeFile(config, JSON.stringify(own));
    environment = {
      TMPDIR: folder.path,
      SWITCHBOARD_DATA_DIR: data,
      SWITCHBOARD_STORE: own.store,
      SWITCHBOARD_NETWORK: own.network,
      SWITCHBOARD_URL: `http://${at}`,
      SWITCHBOARD_OTLP_ENDPOINT: own.otlpEndpoint,
      SWITCHBOARD_TOKEN: 'the token of the operator',
    };
  });
  after(async () => {
    trap.close();
    await folder.remove();
  });

  it(`loses and duplicates nothing, and never opens the data of the operator (seed ${seed})`, async () => {
    const junit = join(folder.path, 'drill.xml');
    const options = ['--minutes', MINUTES, '--seed', String(seed), '--config', config, '--junit', junit];
    const argv = ['drill', '--json', ...options, '--only', KINDS.join(','), ...PLACE];
    const { stdout, stderr, exitCode } = await runCli(argv, { env: environment });
    const report: DrillReport = readAnswer(stdout);
    const bad = report.findings.filter(({ breach }) => breach !== 'late');
    expect(bad, `seed ${seed}\n${stderr}`).to.deep.equal([]);
    expect(report.broken).to.deep.equal([]);
    expect(exitCode, stderr).to.equal(0);
    const played = report.faults.filter(({ runs }) => runs > 0);
    expect(played, stderr).to.have.length.at.least(MIN_KINDS);
    expect(report.totals.received).to.be.above(50);
    expect(report.totals.sent).to.be.above(20);
    expect(await readFile(junit, 'utf8')).to.contain('<testsuite name="drill"');
    expect(touched).to.deep.equal([]);
    expect(existsSync(environment.SWITCHBOARD_DATA_DIR ?? '')).to.equal(false);
  });

  it('leaves only its report', async () => {
    expect(await readdir(folder.path)).to.have.members(['switchboard.json', 'drill.xml']);
  });

  it('ends its processes and removes its files at Ctrl+C', async () => {
    const before = await databases();
    const argv = ['drill', '--only', 'freeze', '--keep', ...PLACE];
    const drill = new CliProcess(argv, { env: environment });
    await drill.printed('freeze for');
    const own = (await databases()).filter((name) => !before.includes(name));
    expect(own).to.have.lengthOf(MONGODB_URL ? 1 : 0);
    drill.signal('SIGINT');
    const { exitCode, stderr } = await drill.end();
    expect(exitCode, stderr).to.equal(130);
    expect(await databases()).not.to.include.members(own.length > 0 ? own : ['none']);
    const [, kept = ''] = /data and logs: (.+)/.exec(stderr) ?? [];
    const [, network = ''] =
      /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(await readFile(join(kept, 'logs', 'network.log'), 'utf8')) ??
      [];
    expect(await listens(Number(network))).to.equal(false);
  });

  it('refuses a fault that does not exist, and lists all', async () => {
    const { exitCode, stderr } = await runCli(['drill', '--only', 'flood']);
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('--only: there is no fault flood').and.to.contain('choose from: kill, freeze');
  });

  it('refuses to run when none of the faults can be played', async () => {
    const { exitCode, stderr } = await runCli(['drill', '--only', 'drain,store-cut']);
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('not run: drain: it needs --nodes 2 or more');
    expect(stderr).to.contain('none of these faults can be played here');
  });

  it('needs MongoDB for several daemons', async () => {
    const { exitCode, stderr } = await runCli(['drill', '--nodes', '2']);
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('--nodes: several daemons need --store mongodb://');
  });
});

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}
