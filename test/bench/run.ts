import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readAnswer } from '../../src/domain/json.js';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/compiled.js';
import { cluster } from './cluster.js';
import { conversation } from './conversation.js';
import { groups } from './groups.js';
import { inbound } from './inbound.js';
import { inbox } from './inbox.js';
import { media } from './media.js';
import { memory } from './memory.js';
import { peers } from './peers.js';
import { policy } from './policy.js';
import { scale } from './scale.js';
import { screen } from './screen.js';
import { sends } from './sends.js';
import { soak } from './soak.js';
import { startup } from './startup.js';
import { stores } from './stores.js';
import { drawChart } from './support/charts.js';
import { Lab } from './support/lab.js';
import {
  type Comparison,
  draw,
  judge,
  type Measurement,
  type Report,
  report,
  type Verdict,
} from './support/report.js';
import { tenants } from './tenants.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    /** Of `scale`. */
    sessions: { type: 'string', default: '1000,5000' },
    /** Of `soak`. */
    minutes: { type: 'string', default: '20' },
    /** Of `peers`: `ADAPTER=FOLDER`, once for each other gateway, the texts of a round, and how many rounds. */
    peer: { type: 'string', multiple: true, default: [] },
    messages: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    /** Writes the results as JSON to this file too. */
    out: { type: 'string' },
    /** Draws charts into this folder, of the results, or of `--from`. */
    charts: { type: 'string' },
    /** Writes a CPU profile of each gateway that ends by itself into this folder; the figures are then those of a profiled gateway. */
    profile: { type: 'string' },
    /** Measures nothing, and draws charts of this file, which `--out` wrote. */
    from: { type: 'string' },
  },
});

const MEASUREMENTS: Record<string, Measurement> = {
  sends,
  groups,
  media,
  inbound,
  inbox,
  memory,
  conversation,
  startup,
  screen,
  cluster,
  stores,
  tenants,
  policy,
  ...Object.fromEntries(
    values.sessions
      .split(',')
      .map((count, index) => [index === 0 ? 'scale' : `scale ${count}`, scale(Number(count))]),
  ),
  soak: soak(Number(values.minutes)),
  peers: peers(values.peer, Number(values.messages), Number(values.rounds)),
};

/** Parts that take longer than all the others together, and run only when they are named. */
const NAMED_ONLY = /^(scale|soak|peers)/;

const USAGE =
  'npm run bench -- [sends] [groups] [media] [inbound] [inbox] [memory] [conversation] [startup] [screen] [cluster] [stores] [tenants] [policy] ' +
  '[scale [--sessions 1000,5000]] [soak [--minutes 20]] [peers --peer ADAPTER=FOLDER [--messages 1000] [--rounds 5]] ' +
  '[--json] [--out FILE] [--charts FOLDER] [--from FILE] [--profile FOLDER]';

const unknown = positionals.filter((name) => !(name in MEASUREMENTS));
if (unknown.length > 0) throw new Error(`there is no measurement ${unknown.join(', ')}: ${USAGE}`);

const measured = values.from ? await readReport(values.from) : report(await measureAll());
if (values.out) await writeFile(values.out, `${JSON.stringify(measured, undefined, 2)}\n`);
if (values.charts) await writeCharts(measured, values.charts);
console.log(values.json ? JSON.stringify(measured, undefined, 2) : draw(measured));

async function measureAll(): Promise<Verdict[]> {
  const results: Verdict[] = [];
  console.error('compiling …');
  await mochaGlobalSetup();
  try {
    for (const [name, measure] of Object.entries(MEASUREMENTS)) {
      const [part = ''] = name.split(' ');
      if (positionals.length > 0 ? !positionals.includes(part) : NAMED_ONLY.test(part)) continue;
      console.error(`measuring ${name} …`);
      results.push(...(await inLab(measure)).map(judge));
    }
  } finally {
    await mochaGlobalTeardown();
  }
  return results;
}

/** What `--out` wrote. */
async function readReport(path: string): Promise<Report> {
  return readAnswer<Report>(await readFile(path, 'utf8'));
}

async function writeCharts(drawn: Report, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [name = 'benchmark'] = [positionals[0] ?? values.from?.replace(/^.*\/|\.json$/g, '')];
  for (const theme of ['light', 'dark'] as const) {
    await writeFile(join(folder, `${name}-${theme}.svg`), drawChart(drawn, theme));
  }
}

async function inLab(measure: Measurement): Promise<Comparison[]> {
  const lab = await Lab.open(values.profile);
  try {
    return await measure(lab);
  } finally {
    await lab.close();
  }
}
