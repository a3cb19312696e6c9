import { parseArgs } from 'node:util';
import { cluster } from './cluster.js';
import { groups } from './groups.js';
import { inbound } from './inbound.js';
import { inbox } from './inbox.js';
import { media } from './media.js';
import { memory } from './memory.js';
import { sends } from './sends.js';
import { startup } from './startup.js';
import { Lab } from './support/lab.js';
import type { Comparison, Measurement } from './support/measurement.js';
import { draw, judge, report, type Verdict } from './support/report.js';

const MEASUREMENTS: Record<string, Measurement> = {
  sends,
  groups,
  media,
  inbound,
  inbox,
  memory,
  startup,
  cluster,
};

const USAGE =
  'npm run bench -- [sends] [groups] [media] [inbound] [inbox] [memory] [startup] [cluster] [--json]';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !(name in MEASUREMENTS));
if (unknown.length > 0) throw new Error(`there is no measurement ${unknown.join(', ')}: ${USAGE}`);

const results: Verdict[] = [];
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.error(`measuring ${name} …`);
  results.push(...(await inLab(measure)).map(judge));
}
const measured = report(results);
console.log(values.json ? JSON.stringify(measured, undefined, 2) : draw(measured));

async function inLab(measure: Measurement): Promise<Comparison[]> {
  const lab = await Lab.open();
  try {
    return await measure(lab);
  } finally {
    await lab.close();
  }
}
