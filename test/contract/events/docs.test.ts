import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import {
  EXTRA_EVENT_TYPES,
  type ExtraEventType,
  MESSAGE_EVENT_TYPES,
  type MessageEventType,
} from '../../../src/contract/events/catalogue.js';
import { type SampleFields, sampleEvent } from '../../../src/contract/events/sample.js';
import { isGatewayError } from '../../../src/domain/errors.js';
import { composeVcard } from '../../../src/domain/vcard.js';
import { readContent } from '../../../src/gateway/kinds/index.js';
import type { Content } from '../../../src/gateway/kinds/kind.js';
import { encryptFile } from '../../../src/gateway/link/baileys/media/cipher.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

const PAGE = new URL('../../../docs/events.md', import.meta.url);
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

  it('has the exact events that a receiver gets (SWITCHBOARD_UPDATE_DOCS=1 rewrites the examples)', () => {
    expect(readFileSync(PAGE, 'utf8')).to.equal(updated);
  });
});

const EXAMPLE_PAGE = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');

/** What the page shows, with the network's media host in place of `fetch`. */
interface Example {
  run(fetch: (url: string) => Promise<Response>, media: object): Promise<Buffer>;
}

describe('the download example in the page of the events', () => {
  let folder: TempDir;

  beforeEach(async () => {
    folder = await makeTempDir();
  });

  afterEach(() => folder.remove());

  it('decrypts the file', async () => {
    const { run } = await shownExample();
    const path = join(folder.path, 'file');
    const bytes = randomBytes(100_000);
    await writeFile(path, bytes);
    for (const mediaType of ['image', 'video', 'audio', 'document', 'sticker'] as const) {
      const { mediaKey, body } = await encryptFile(mediaType, path, new AbortController().signal);
      const encrypted = await buffer(body());
      const asked: string[] = [];
      const fetch = async (url: string) => {
        asked.push(url);
        return new Response(Uint8Array.from(encrypted));
      };
      const download = { mediaKey: Buffer.from(mediaKey).toString('base64'), directPath: '/v/file.enc' };
      expect((await run(fetch, { mediaType, download })).equals(bytes), mediaType).to.equal(true);
      expect(asked).to.deep.equal(['https://mmg.whatsapp.net/v/file.enc']);
    }
  });

  async function shownExample(): Promise<Example> {
    const [, code = ''] = /```js\n([\s\S]*?)\n```/.exec(EXAMPLE_PAGE) ?? [];
    const [, imports = '', rest = ''] = /^((?:import .*\n)*)([\s\S]*)$/.exec(code) ?? [];
    const path = join(folder.path, 'example.mjs');
    await writeFile(
      path,
      `${imports}export function run(fetch, media) {\n${rest}\nreturn fetchFile(media);\n}\n`,
    );
    return import(pathToFileURL(path).href);
  }
});

const ENVELOPE_CONTEXT = { clientId: 'acme', orgId: '', myLid: '90000000000001', at: 1_795_000_000_000 };
const key = { id: 'EARLIER', fromMe: true };
const size = { width: 640, height: 480 };

/** A content of each type, as phones write it. */
const CONTENTS: Record<MessageEventType, Content> = {
  text: { conversation: 'hi' },
  image: { imageMessage: size },
  video: { videoMessage: { ...size, seconds: 5 } },
  audio: { audioMessage: { seconds: 5, ptt: true } },
  document: { documentMessage: { fileName: 'a.pdf' } },
  sticker: { stickerMessage: size },
  poll_creation: { pollCreationMessageV3: { name: '?', options: [{ optionName: 'a' }] } },
  vote_update: { pollUpdateMessage: { pollCreationMessageKey: key } },
  interactive_reply: { buttonsResponseMessage: { selectedButtonId: 'yes', contextInfo: { stanzaId: 'A1' } } },
  contact: { contactMessage: { displayName: 'Ada', vcard: composeVcard('Ada', '15550000003') } },
  location: { locationMessage: { degreesLatitude: 1, degreesLongitude: 1 } },
  reaction: { reactionMessage: { key, text: '👍' } },
  edit: { protocolMessage: { type: 14, key, editedMessage: { conversation: 'better' } } },
  revoke: { protocolMessage: { type: 0, key } },
};

const ENVELOPE = new Set(Object.keys(sampleEvent('text', ENVELOPE_CONTEXT)));

/** The fields that an event has beside the envelope, and what kind of value each holds. */
function extraOf(type: MessageEventType): object {
  return Object.fromEntries(
    Object.entries(sampleEvent(type, ENVELOPE_CONTEXT)).filter(([name]) => !ENVELOPE.has(name)),
  );
}

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

describe('the sample of each event type', () => {
  for (const type of MESSAGE_EVENT_TYPES) {
    it(`${type} has the fields of a real event`, () => {
      const { reading } = readContent(CONTENTS[type]);
      expect(reading.type).to.equal(type);
      expect(shapeOf(extraOf(type))).to.deep.equal(shapeOf(reading.extra ?? {}));
    });
  }
});

const FIELD_CONTEXT = { clientId: 'acme', orgId: '', myLid: '90000000000001', at: 1_795_000_000_000 };

describe('a sample event with fields of its own', () => {
  const sample = (type: MessageEventType | ExtraEventType, fields: SampleFields) =>
    sampleEvent(type, { ...FIELD_CONTEXT, fields });

  it('has the chosen body wherever it is repeated', () => {
    expect(sample('text', { body: 'Hi' })).to.include({ body: 'Hi' });
    expect(sample('image', { body: 'Look' })).to.nested.include({ body: 'Look', 'media.caption': 'Look' });
    expect(sample('edit', { body: 'Hi!' })).to.nested.include({ body: 'Hi!', 'edit.body': 'Hi!' });
    expect(sample('reaction', { body: '🎉' })).to.nested.include({ body: '🎉', 'reaction.emoji': '🎉' });
    expect(sample('poll_creation', { body: 'When?' })).to.nested.include({ 'poll.name': 'When?' });
  });

  it('has the chosen sender', () => {
    const fields = { remoteName: 'Ada', remotePhone: '+15550000009', pushName: 'ada', messageId: '3EB0AA' };
    expect(sample('sticker', fields)).to.include(fields);
  });

  it('refuses fields that its type does not have', () => {
    const refusal = (type: MessageEventType | ExtraEventType, fields: SampleFields) => {
      try {
        sample(type, fields);
      } catch (error) {
        return isGatewayError(error, 'invalid_request') ? error.message : String(error);
      }
      return 'none';
    };
    expect(refusal('sticker', { body: 'Hi' }))
      .to.contain('sticker')
      .and.contain('body');
    expect(refusal('session_status', { pushName: 'Ada' }))
      .to.contain('session_status')
      .and.contain('pushName');
  });
});
