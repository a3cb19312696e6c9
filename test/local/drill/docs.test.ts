import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Need } from '../../../src/local/drill/faults/fault.js';
import { FAULT_KINDS } from '../../../src/local/drill/faults/kinds.js';

const PAGE = fileURLToPath(new URL('../../../docs/drill.md', import.meta.url));
const BETWEEN = /(<!-- faults -->\n)[\s\S]*(<!-- \/faults -->)/;

const NEEDS: Readonly<Record<Need, string>> = {
  sqlite: 'SQLite',
  mongodb: 'MongoDB',
  'store-relay': 'one server without TLS',
  'several-nodes': '`--nodes` 2 or more',
  broker: '`redis-server` or `nats-server`',
  prlimit: '`prlimit`',
};

function table(): string {
  const rows = FAULT_KINDS.map(
    ({ name, summary, needs, lasts: [least, most] }) =>
      `| \`${name}\` | ${summary} | ${least} to ${most} s | ${needs.map((need) => NEEDS[need]).join(', ')} |`,
  );
  return ['| fault | the drill | for | needs |', '|---|---|---|---|', ...rows, ''].join('\n');
}

describe('the page of the drill', () => {
  it('describes every fault as the table of the program does', async () => {
    const text = await readFile(PAGE, 'utf8');
    const wanted = text.replace(BETWEEN, (_, begin: string, end: string) => `${begin}${table()}${end}`);
    if (process.env.SWITCHBOARD_UPDATE_DOCS) await writeFile(PAGE, wanted);
    else expect(text).to.equal(wanted);
  });
});
