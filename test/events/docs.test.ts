import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { EXTRA_EVENT_TYPES, MESSAGE_EVENT_TYPES } from '../../src/events/catalogue.js';
import { sampleEvent } from '../../src/events/sample.js';

const PAGE = new URL('../../docs/events.md', import.meta.url);
const TYPES = [...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES];
const MESSAGE_ID = '3A054E6C14DDDB81819F';
const CONTEXT = {
  clientId: 'acme',
  orgId: '',
  myLid: '90000000000001',
  at: Date.parse('2026-11-21T10:33:48Z'),
};

function exampleOf(type: (typeof TYPES)[number]): string {
  const event = sampleEvent(type, CONTEXT);
  // every sample has an id of its own
  const shown = 'messageId' in event ? { ...event, messageId: MESSAGE_ID } : event;
  return `\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\`\n`;
}

/** The parts of the page, from one heading to the next. */
function sectionsOf(page: string): string[] {
  return page.split(/^(?=##)/m);
}

/** A section with the example at its end. */
function withExample(section: string): string {
  const type = TYPES.find((name) => section.startsWith(`### \`${name}\`\n`));
  if (!type) return section;
  const prose = section.replace(/\n```json\n[\s\S]*?\n```\n/, '').trimEnd();
  return `${prose}\n\n${exampleOf(type)}\n`;
}

describe('the page of the events', () => {
  const page = readFileSync(PAGE, 'utf8');
  const updated = sectionsOf(page).map(withExample).join('');
  if (process.env.SWITCHBOARD_UPDATE_DOCS) writeFileSync(PAGE, updated);

  it('has a section for each type, and only for these', () => {
    const described = [...page.matchAll(/^### `(.+)`$/gm)].map(([, name]) => name);
    expect(described).to.deep.equal(TYPES);
  });

  it('shows what a receiver gets, to the letter (SWITCHBOARD_UPDATE_DOCS=1 writes the examples anew)', () => {
    expect(readFileSync(PAGE, 'utf8')).to.equal(updated);
  });
});
