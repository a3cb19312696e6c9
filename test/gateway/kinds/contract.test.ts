import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Schema } from 'joi';
import { MESSAGE_EVENT_TYPES } from '../../../src/contract/events/catalogue.js';
import { SEND_REQUESTS } from '../../../src/contract/sends/index.js';
import type { SendPayload } from '../../../src/contract/sends/send-request.js';
import { readContext } from '../../../src/gateway/kinds/context-info.js';
import { KINDS, readContent, sendableKinds } from '../../../src/gateway/kinds/index.js';
import type { KindSend, MessageKey, Reading } from '../../../src/gateway/kinds/kind.js';
import { SEND_REFUSALS } from '../../support/send-refusals.js';
import { CHAT, CONTEXT, MENTIONED, overTheWire } from './support/wire.js';

const TARGET_ID = '3EB0A9253D5F6C2B1E7A90';
const TARGET: MessageKey = { remoteJid: CHAT, id: TARGET_ID, fromMe: true };

const vcard =
  'BEGIN:VCARD\nVERSION:3.0\nN:;Ada Example;;;\nFN:Ada Example\n' +
  'TEL;type=CELL;type=VOICE;waid=15550000003:+15550000003\nEND:VCARD';

/** By route: what the example reads as when it comes back. */
const COMES_BACK: Record<string, Reading> = {
  '/send-message': { type: 'text', body: 'Hello' },
  '/send-poll-message': {
    type: 'poll_creation',
    body: 'Lunch?',
    extra: { poll: { name: 'Lunch?', options: ['Pizza', 'Soup', 'Salad'], selectableCount: 1 } },
  },
  '/send-interactive-message': {
    type: 'text',
    body: 'Are you coming?\nPlease answer by Friday',
    extra: {
      buttons: [
        { type: 'quick_reply', displayText: 'Yes', id: 'yes' },
        { type: 'cta_url', displayText: 'The menu', url: 'https://example.com/menu' },
        { type: 'cta_call', displayText: 'Call us', phoneNumber: '+15550000001' },
        { type: 'cta_copy', displayText: 'Copy the code', id: 'code', copyCode: 'LUNCH-10' },
      ],
    },
  },
  '/send-list-message': {
    type: 'text',
    body: 'Lunch\nWhat would you like?\nUntil eleven',
    extra: {
      list: {
        buttonText: 'The menu',
        sections: [
          {
            title: 'Warm',
            rows: [
              { id: 'pizza', title: 'Pizza', description: 'With mushrooms' },
              { id: 'soup', title: 'Soup', description: '' },
            ],
          },
          { title: 'Cold', rows: [{ id: 'salad', title: 'Salad', description: '' }] },
        ],
      },
    },
  },
  '/pin-message': {
    type: 'text',
    body: '[pinned message]',
    extra: { pin: { targetId: TARGET_ID, pinned: true, duration: 604_800 } },
  },
  '/send-contact': {
    type: 'contact',
    body: 'Ada Example',
    extra: { contact: { displayName: 'Ada Example', phone: '+15550000003', vcard } },
  },
  '/send-location': {
    type: 'location',
    body: 'Berlin office',
    extra: {
      location: {
        latitude: 52.520008,
        longitude: 13.404954,
        name: 'Berlin office',
        address: 'Alexanderplatz 1, Berlin',
        live: false,
      },
    },
  },
  '/send-reaction': {
    type: 'reaction',
    body: '👍',
    extra: { reaction: { targetId: TARGET_ID, targetFromMe: true, emoji: '👍' } },
  },
  '/edit-message': {
    type: 'edit',
    body: 'Hello, Ada!',
    extra: { edit: { targetId: TARGET_ID, body: 'Hello, Ada!' } },
  },
};

function validate(kind: KindSend, payload: object) {
  const { value, error } = kind.payload.validate(payload, {
    convert: false,
    errors: { wrap: { label: false } },
  });
  return { value, error: error?.message };
}

/** The example without optional fields. */
function required(kind: KindSend): Record<string, unknown> {
  const names = requiredFields(kind.payload);
  const kept = kind.path === '/send-contact' ? [...names, 'phone'] : names;
  return Object.fromEntries(
    Object.entries(examplePayload(kind.payload)).filter(([name]) => kept.includes(name)),
  );
}

describe('every kind', () => {
  it('every kind has a unique name and an event type of the catalogue', () => {
    const names = KINDS.map(({ name }) => name);
    expect(names).to.have.lengthOf(new Set(names).size);
    for (const { type } of Object.values(COMES_BACK)) expect(MESSAGE_EVENT_TYPES).to.include(type);
  });

  it('does not read an empty content', () => {
    expect(readContent({}).kind).to.equal(undefined);
  });
});

describe('every kind that is sent', () => {
  it('every kind that is sent has a unique route, and an example below', () => {
    const paths = sendableKinds().map(({ path }) => path);
    expect(paths).to.have.lengthOf(new Set(paths).size);
    expect(SEND_REQUESTS.map(({ path }) => path)).to.have.members(paths);
    expect(Object.keys(SEND_REFUSALS)).to.have.members(paths);
    expect(Object.keys(COMES_BACK)).to.have.members(paths);
  });

  for (const kind of sendableKinds()) {
    describe(kind.path, () => {
      const example = examplePayload(kind.payload);

      it('the kind has an example of each field, valid together', () => {
        expect(Object.keys(example)).to.have.members(fieldNames(kind.payload));
        expect(validate(kind, example).error).to.equal(undefined);
      });

      it('the kind requires its required fields, and names a missing one', () => {
        const least = required(kind);
        expect(validate(kind, least).error).to.equal(undefined);
        for (const name of Object.keys(least)) {
          const { [name]: _, ...rest } = least;
          expect(validate(kind, rest).error, name).to.contain(name);
        }
      });

      it('refuses invalid values of every field, and names the field', () => {
        const refused = SEND_REFUSALS[kind.path] ?? {};
        expect(Object.keys(refused)).to.have.members(fieldNames(kind.payload));
        for (const [name, field] of Object.entries(refused)) {
          const values = 'tooLong' in field ? [...field.wrong, field.tooLong] : field.wrong;
          for (const value of values) {
            const { error } = validate(kind, { ...example, [name]: value });
            expect(error, `${name}: ${JSON.stringify(value)?.slice(0, 50)}`).to.match(new RegExp(`^${name}`));
          }
        }
      });

      it('refuses an unknown field', () => {
        expect(validate(kind, { ...example, colour: 'red' }).error).to.equal('colour is not allowed');
      });

      it('the kind can be read as it was composed', async () => {
        const content = await compose(kind, example);
        const { kind: readBy, reading } = readContent(content);
        expect(reading).to.deep.equal(COMES_BACK[kind.path]);
        expect(readBy?.send?.path).to.equal(kind.path);
      });

      it('the kind is composed without its optional fields', async () => {
        const { reading } = readContent(await compose(kind, required(kind)));
        expect(reading.type).to.equal(COMES_BACK[kind.path]?.type);
      });

      it('returns the id of its target, if it has one', () => {
        const payload: SendPayload = validate(kind, example).value;
        const target = kind.target?.(payload);
        expect(kind.answer?.(payload)).to.deep.equal(target && { targetId: TARGET_ID });
        expect(kind.namesTarget === true).to.equal(target !== undefined);
        if (target) expect(target.messageId).to.equal(TARGET_ID);
      });

      if (!fieldNames(kind.payload).includes('mentions')) return;

      it('mentions people and quotes', async () => {
        const content = await compose(kind, example, [MENTIONED], 'what it answers');
        const context = readContext(content, (quoted) => readContent(quoted).reading);
        expect(context).to.deep.equal({
          mentions: ['90000000000003'],
          isForwarded: false,
          quoted: {
            messageId: 'QUOTED',
            participant: '90000000000002',
            body: 'what it answers',
            type: 'text',
          },
        });
      });
    });
  }

  async function compose(kind: KindSend, example: object, mentionedJids: string[] = [], quoted?: string) {
    const payload: SendPayload = validate(kind, example).value;
    const context = { ...CONTEXT, mentionedJids, ...(kind.target && { target: TARGET }) };
    return overTheWire(kind.compose(payload, context), quoted ? { conversation: quoted } : undefined);
  }
});

const PAGE = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
/** Described once for all routes. */
const SHARED = ['clientId', 'to', 'quotedMessageId', 'mentions', 'metaData', 'whenAllowed'];

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

    it(`the page has a correct example for ${path}`, () => {
      const [, example = ''] = /```json\n([\s\S]*?)\n```/.exec(sectionOf(path)) ?? [];
      const { error } = payload.validate(JSON.parse(example), { convert: false });
      expect(error?.message).to.equal(undefined);
    });

    if (!answer) continue;

    it(`documents the answer of ${path}`, () => {
      const answered = answer({ clientId: 'acme', to: '+15550000002', ...{ messageId: 'A1' } });
      for (const name of Object.keys(answered)) {
        expect(sectionOf(path)).to.match(new RegExp(`Answer: .*${name}`));
      }
    });
  }
});

/** A payload made of a schema's own examples; fields without one are left out. */
function examplePayload(schema: Schema): Record<string, unknown> {
  const fields = fieldsOf(schema).flatMap(([name, { examples = [] }]) =>
    examples.length > 0 ? [[name, examples[0]]] : [],
  );
  return Object.fromEntries(fields);
}

/** Names of the fields that a schema takes. */
function fieldNames(schema: Schema): string[] {
  return fieldsOf(schema).map(([name]) => name);
}

/** Names of the fields that a schema needs. */
function requiredFields(schema: Schema): string[] {
  return fieldsOf(schema).flatMap(([name, { flags }]) => (flags?.presence === 'required' ? [name] : []));
}

interface Field {
  examples?: unknown[];
  flags?: { presence?: string };
}

interface ObjectDescription extends Field {
  keys?: Record<string, Field>;
}

function fieldsOf(schema: Schema): [string, Field][] {
  const { keys = {} }: ObjectDescription = schema.describe();
  return Object.entries(keys);
}
