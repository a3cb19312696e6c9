import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { systemClock, wait } from '../../../src/domain/clock.js';
import { MONGODB_URL } from '../../gateway/store/support/mongo.js';
import { Chance } from '../../support/chance.js';
import { until } from '../../support/until.js';
import { MarkedDrill } from './support/marked-drill.js';

const PATIENCE_MS = 180_000;
/** Milliseconds for the reaper to end after the drill. */
const REAP_MS = 20_000;
/** Between two impatient presses of Ctrl+C. */
const IMPATIENCE_MS = 30;
const PLACE = MONGODB_URL ? ['--store', MONGODB_URL] : [];
const ARGV = ['--only', 'receiver-500', '--minutes', '1', ...PLACE];
/** Printed once everything runs. */
const RUNS = 'receivers webhook';
/** The process, its reaper and the network. */
const FIRST_PROGRAMS = 3;
/** Milliseconds in which a drill starts, on a machine without other work. */
const START_MS = 6_000;

/** The databases of drills; those of other tests are among them. */
async function databases(): Promise<string[]> {
  if (!MONGODB_URL) return [];
  const client = new MongoClient(MONGODB_URL);
  try {
    const { databases: all } = await client.db().admin().listDatabases({ nameOnly: true });
    return all.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

describe('a drill that ends early', function () {
  this.timeout(PATIENCE_MS);
  const chance = new Chance();
  const anyMomentMs = chance.between(0, START_MS);
  let drill: MarkedDrill;

  beforeEach(async () => {
    drill = await MarkedDrill.start(ARGV);
  });
  afterEach(() => drill.clear());

  const begins = () =>
    until('the first programs', async () => (await drill.processes()).length >= FIRST_PROGRAMS);

  const leavesNothing = async (folder: string) => {
    await drill.isGone(REAP_MS);
    expect(await databases()).not.to.include(folder);
  };

  it('leaves nothing when its output is closed', async () => {
    await drill.printed(RUNS);
    const folder = await drill.folder();
    drill.closeOutput();
    await drill.end();
    await leavesNothing(folder);
  });

  it('leaves nothing at SIGHUP, as when a terminal closes', async () => {
    await drill.printed(RUNS);
    const folder = await drill.folder();
    drill.signalGroup('SIGHUP');
    await drill.end();
    await leavesNothing(folder);
  });

  it('leaves nothing at SIGKILL', async () => {
    await drill.printed(RUNS);
    const folder = await drill.folder();
    if (MONGODB_URL) expect(await databases()).to.include(folder);
    drill.signal('SIGKILL');
    await drill.end();
    await leavesNothing(folder);
  });

  it('leaves nothing at SIGKILL while its programs start', async () => {
    const folder = await drill.folder();
    await begins();
    drill.signal('SIGKILL');
    await drill.end();
    await leavesNothing(folder);
  });

  it('ends with 130 at Ctrl+C while its programs start', async () => {
    const folder = await drill.folder();
    await begins();
    drill.signalGroup('SIGINT');
    expect(await drill.end(), drill.stderr).to.equal(130);
    expect(drill.stderr).to.contain('error: interrupted');
    await leavesNothing(folder);
  });

  it('leaves nothing at Ctrl+C when its reaper was killed', async () => {
    await drill.printed(RUNS);
    const folder = await drill.folder();
    await drill.kill('--reap');
    drill.signal('SIGINT');
    expect(await drill.end(), drill.stderr).to.equal(130);
    await leavesNothing(folder);
  });

  for (const [moment, reached] of [
    ['while its programs start', begins],
    [`${anyMomentMs} ms later`, async () => [await begins(), await wait(systemClock, anyMomentMs)]],
    ['under traffic', () => drill.printed(RUNS)],
  ] satisfies [string, () => Promise<unknown>][]) {
    it(`leaves nothing at two Ctrl+C ${moment} (seed ${chance.seed})`, async () => {
      const folder = await drill.folder();
      await reached();
      drill.signalGroup('SIGINT');
      await wait(systemClock, IMPATIENCE_MS);
      drill.signalGroup('SIGINT');
      await drill.end();
      await leavesNothing(folder);
    });
  }
});
