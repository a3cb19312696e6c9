import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { EXTRA_EVENT_TYPES, MESSAGE_EVENT_TYPES } from '../../src/contract/events/catalogue.js';
import { CONTRACT } from '../../src/contract/index.js';
import { SETTINGS } from '../../src/gateway/config/schema.js';

const ROOT = new URL('../../', import.meta.url);
const PAGES = ['coming-from-evolution', 'coming-from-waha'];

const calls = CONTRACT.flatMap(({ operations }) =>
  Object.values(operations).map(({ method, path }) => `${method} ${path}`),
);
const flags = Object.values(SETTINGS).map(({ flag }) => `--${flag}`);
const types: readonly string[] = [...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES];

for (const page of PAGES) {
  describe(`docs/${page}.md`, () => {
    const text = readFileSync(new URL(`docs/${page}.md`, ROOT), 'utf8');
    /** What is said of Switchboard: everything but the first column of the tables. */
    const own = text
      .split('\n')
      .map((line) => (line.startsWith('|') ? cellsOf(line).slice(1).join(' ') : line))
      .join('\n');
    const quoted = [...own.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code ?? []);

    it('names only calls of the API that exist', () => {
      const named = quoted.filter((code) => /^(GET|POST|PUT|DELETE) \//.test(code));
      expect(named).to.have.lengthOf.above(60);
      expect(calls.map((call) => call.replace('?}', '}'))).to.include.members(named);
    });

    it('names only settings and commands that exist', () => {
      const settings = quoted.filter((code) => code.startsWith('--'));
      expect(settings).to.have.lengthOf.above(6);
      expect(flags).to.include.members(settings);
      const commands = quoted.filter((code) => code.startsWith('switchboard '));
      expect(commands).to.have.lengthOf.above(5);
      for (const command of commands) {
        const [, ...words] = command.split(' ').filter((word) => /^[a-z-]+$/.test(word));
        expect(existsSync(new URL(`commands/${words.join('/')}.ts`, ROOT)), command).to.equal(true);
      }
    });

    it('names only types of events that exist, and all of them', () => {
      const rows = (text.split('## Events')[1] ?? '').split('## Settings')[0]?.split('\n') ?? [];
      const cells = rows.filter((line) => line.startsWith('| ')).map((line) => cellsOf(line)[1] ?? '');
      const named = cells.flatMap((cell) =>
        [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code ?? []),
      );
      expect(types).to.include.members(named);
      expect(named).to.include.members([...types]);
    });
  });
}

function cellsOf(row: string): string[] {
  return row.split('|').slice(1, -1);
}
