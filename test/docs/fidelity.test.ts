import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { VERDICTS } from '../witnesses/stanzas/verdicts.js';

const DOCS = new URL('../../docs/', import.meta.url);
const WITNESSES = new URL('../witnesses/', import.meta.url);
const HEADING = ['behaviour', 'known from', 'sandbox', 'gateway', 'tests', 'witnesses'];
const CELLS = 6;
/** The section whose table is about what clients send, and not about what the network does. */
const SENT = 'What clients send';
const SENT_CELLS = 4;

const WITNESS = /([\w-]+): \[([^\]]+)\]\(([^)]+)\)/;
const WITNESS_CELL = new RegExp(`^(–|${WITNESS.source}(; ${WITNESS.source})*)$`);

/** A test that a row names. */
interface NamedTest {
  title: string;
  file: string;
}

/** A row of the table: its behaviour, whether sandbox and gateway have it, and the tests that it names. */
interface Row {
  behaviour: string;
  source: string;
  sandbox: string;
  gateway: string;
  tests: NamedTest[];
  /** The cell as it is written. */
  written: string;
  witnesses: (NamedTest & { family: string })[];
}

describe('docs/fidelity.md', () => {
  const sections = readSections(readFileSync(new URL('fidelity.md', DOCS), 'utf8'));
  const rows = sections.filter(({ title }) => title !== SENT).flatMap(({ table }) => readRows(table));

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

  describe('the column of witnesses', () => {
    it('has links, each after the family of its client, or a dash', () => {
      const wrong = rows.filter(({ written }) => !WITNESS_CELL.test(written));
      expect(wrong.map(({ behaviour, written }) => `${behaviour}: ${written}`)).to.deep.equal([]);
    });

    it('names only tests that exist, each in the folder of its family', () => {
      const wrong = rows.flatMap(({ behaviour, witnesses }) =>
        witnesses
          .map((one) => ({ ...one, folder: `../test/witnesses/${one.family}/` }))
          .filter((one) => !one.file.startsWith(one.folder) || !exists(one))
          .map(({ family, title, file }) => `${behaviour}: ${family}: ${title} (${file})`),
      );
      expect(wrong).to.deep.equal([]);
    });

    it('is the only one that names them', () => {
      const wrong = rows.flatMap(({ behaviour, tests }) =>
        tests.filter(({ file }) => file.includes('/witnesses/')).map(({ title }) => `${behaviour}: ${title}`),
      );
      expect(wrong).to.deep.equal([]);
    });

    it('names each file of a witness', () => {
      const named = new Set(rows.flatMap(({ witnesses }) => witnesses.map(({ file }) => file)));
      const files = readdirSync(WITNESSES, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.witness.ts'))
        .map((file) => `../test/witnesses/${file}`);
      expect(files.length).to.be.greaterThan(1);
      expect(files.filter((file) => !named.has(file))).to.deep.equal([]);
    });
  });

  describe('the table of what clients send', () => {
    const table = sections.find(({ title }) => title === SENT)?.table.slice(1) ?? [];
    const behind = VERDICTS.filter(({ verdict }) => verdict === 'ours is behind');

    it('has a row for each verdict that ours is behind, and no other', () => {
      const judged = table.map(([difference = '']) => {
        const facts = [...difference.matchAll(/`([^`]+)`/g)].map(([, fact = '']) => fact);
        const verdicts = facts.flatMap((fact) => behind.filter((verdict) => verdict.fact.test(fact)));
        return { difference, about: new Set(verdicts), isWhole: verdicts.length === facts.length };
      });
      const wrong = judged.filter(({ about, isWhole }) => about.size !== 1 || !isWhole);
      expect(
        wrong.map(({ difference }) => difference),
        'rows that are not about one verdict',
      ).to.deep.equal([]);
      const listed = judged.flatMap(({ about }) => [...about]);
      const missing = behind.filter((verdict) => !listed.includes(verdict));
      expect(
        missing.map(({ fact, why }) => `${fact}: ${why}`),
        'verdicts without a row',
      ).to.deep.equal([]);
      expect(listed, 'rows').to.have.lengthOf(behind.length);
    });

    it('says in each row why, where it would be mended, and what it may cost', () => {
      for (const cells of table) {
        expect(cells, `cells of "${cells[0]}"`).to.have.lengthOf(SENT_CELLS);
        expect(cells, `cells of "${cells[0]}"`).not.to.include('');
      }
    });
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

/** The parts of the page, each with the cells of its table; the first line of a table is its heading. */
function readSections(text: string): { title: string; table: string[][] }[] {
  return text.split(/^## /m).map((section) => {
    const [title = '', ...lines] = section.split('\n');
    return { title, table: lines.filter((line) => line.startsWith('| ')).map(cellsOf) };
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split(' | ')
    .map((cell) => cell.trim());
}

function readRows([heading, ...lines]: string[][]): Row[] {
  if (heading) expect(heading).to.deep.equal(HEADING);
  return lines.map((cells) => {
    const [behaviour = '', source = '', sandbox = '', gateway = '', tests = '', witnesses = ''] = cells;
    expect(cells, `cells of "${behaviour}"`).to.have.lengthOf(CELLS);
    const named = [...tests.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)];
    const met = [...witnesses.matchAll(new RegExp(WITNESS, 'g'))];
    return {
      ...{ behaviour, source, sandbox, gateway, written: witnesses },
      tests: named.map(([, title = '', file = '']) => ({ title, file })),
      witnesses: met.map(([, family = '', title = '', file = '']) => ({ family, title, file })),
    };
  });
}

/** True when the file of the tests has a title with that text. */
function exists({ title, file }: NamedTest): boolean {
  const path = fileURLToPath(new URL(file, DOCS));
  if (!existsSync(path)) return false;
  const titles = readFileSync(path, 'utf8').matchAll(/\bit\(\s*(['"`])(.*?)\1,/gs);
  return [...titles].some(([, , found = '']) => found.includes(title));
}
