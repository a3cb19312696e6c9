import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const DOCS = new URL('../../docs/', import.meta.url);
const CELLS = 5;

/** A row of the table: its behaviour, whether sandbox and gateway have it, and the tests that it names. */
interface Row {
  behaviour: string;
  source: string;
  sandbox: string;
  gateway: string;
  tests: { title: string; file: string }[];
}

describe('docs/fidelity.md', () => {
  const rows = readRows(readFileSync(new URL('fidelity.md', DOCS), 'utf8'));

  it('describes each behaviour once, with its source, the sandbox and the gateway', () => {
    expect(rows.length).to.be.greaterThan(50);
    const behaviours = rows.map(({ behaviour }) => behaviour);
    expect(new Set(behaviours).size).to.equal(behaviours.length);
    for (const { behaviour, source, sandbox, gateway } of rows) {
      expect(source, behaviour).not.to.equal('');
      expect(sandbox, behaviour).to.match(/^(played|501|no|–)/);
      expect(gateway, behaviour).to.match(/^(yes|no|–)/);
    }
  });

  it('names a test for each behaviour that is played or followed', () => {
    const untested = rows.filter(
      ({ sandbox, gateway, tests }) =>
        (/^played/.test(sandbox) || /^yes/.test(gateway)) && tests.length === 0,
    );
    expect(untested.map(({ behaviour }) => behaviour)).to.deep.equal([]);
  });

  it('names only tests that exist', () => {
    const missing = rows.flatMap(({ tests }) => tests.filter((test) => !exists(test)));
    expect(missing).to.deep.equal([]);
  });
});

describe('docs/security.md', () => {
  it('names only test files that exist', () => {
    const text = readFileSync(new URL('security.md', DOCS), 'utf8');
    const named = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).to.be.greaterThan(8);
    expect(named.filter((path) => !existsSync(new URL(`../${path}`, DOCS)))).to.deep.equal([]);
  });
});

function readRows(text: string): Row[] {
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.flatMap((line) => {
    const cells = line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim());
    const [behaviour = '', source = '', sandbox = '', gateway = '', tests = ''] = cells;
    if (behaviour === 'behaviour') return [];
    expect(cells, `cells of "${behaviour}"`).to.have.lengthOf(CELLS);
    const named = [...tests.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)];
    return [
      {
        ...{ behaviour, source, sandbox, gateway },
        tests: named.map(([, title = '', file = '']) => ({ title, file })),
      },
    ];
  });
}

/** True when the file of the tests has a title with that text. */
function exists({ title, file }: Row['tests'][number]): boolean {
  const path = fileURLToPath(new URL(file, DOCS));
  if (!existsSync(path)) return false;
  const titles = readFileSync(path, 'utf8').matchAll(/\bit\(\s*(['"`])(.*?)\1,/gs);
  return [...titles].some(([, , found = '']) => found.includes(title));
}
