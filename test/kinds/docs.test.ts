import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { sendableKinds } from '../../src/kinds/index.js';
import { fieldNames } from './support/example.js';

const PAGE = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
/** Described once for all routes. */
const SHARED = ['clientId', 'to', 'quotedMessageId', 'mentions', 'metaData'];

function sectionOf(path: string): string {
  const sections = PAGE.split(/^(?=##)/m);
  return sections.find((section) => section.startsWith(`### \`${path}\``)) ?? '';
}

describe('the page of the API', () => {
  for (const { path, payload, answer } of sendableKinds()) {
    it(`describes the fields of ${path}, and says whether it takes the shared ones`, () => {
      const [heading = '', ...lines] = sectionOf(path).split('\n');
      for (const name of fieldNames(payload)) {
        if (!SHARED.includes(name)) expect(lines.join('\n'), name).to.contain(`\`${name}\``);
      }
      expect(heading.includes('✉')).to.equal(fieldNames(payload).includes('mentions'));
    });

    it(`has an example for ${path} that is right`, () => {
      const [, example = ''] = /```json\n([\s\S]*?)\n```/.exec(sectionOf(path)) ?? [];
      const { error } = payload.validate(JSON.parse(example), { convert: false });
      expect(error?.message).to.equal(undefined);
    });

    if (!answer) continue;

    it(`says what ${path} answers`, () => {
      const answered = answer({ clientId: 'acme', to: '+15550000002', ...{ messageId: 'A1' } });
      for (const name of Object.keys(answered)) {
        expect(sectionOf(path)).to.match(new RegExp(`Answer: .*${name}`));
      }
    });
  }
});
