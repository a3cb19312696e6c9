import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { EXTRA_EVENT_TYPES, MESSAGE_EVENT_TYPES } from '../../src/contract/events/catalogue.js';
import { sampleEvent } from '../../src/contract/events/sample.js';
import { CONTRACT } from '../../src/contract/index.js';
import { apiPage, operationsOn } from '../../src/contract/print/api-page.js';
import { breakingChanges, unannounced } from '../../src/contract/print/breaking.js';
import { exampleOf, type OpenApiDocument, openApiDocument } from '../../src/contract/print/openapi.js';
import { printedFiles } from '../../src/contract/print/write.js';
import { EVENT_TYPES } from '../../src/contract/webhooks.js';
import { createTestServer } from '../gateway/http/support/test-server.js';

const ROOT = new URL('../../', import.meta.url);
const RELEASED = 'docs/releases/openapi-2026-11.json';
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const released = (): OpenApiDocument => JSON.parse(read(RELEASED));
const DOCUMENT = openApiDocument('2026-11');
const OPERATIONS = CONTRACT.flatMap(({ operations }) => Object.entries(operations));
const current = () => structuredClone(DOCUMENT);

describe('the generated files of the contract', () => {
  it('are committed as `npm run openapi` writes them', () => {
    for (const [path, text] of Object.entries(printedFiles())) {
      expect(read(path) === text, `${path} is not what the contract says: npm run openapi`).to.equal(true);
    }
  });

  it('break no caller of the last release, unless the changelog names the change under Unreleased, Breaking', () => {
    const changes = breakingChanges(released(), current());
    expect(unannounced(changes, read('CHANGELOG.md'))).to.deep.equal([]);
  });

  it('have one JSON Schema for each event type, selected by its type', () => {
    const { components } = current();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'doc', components });
    const validate = ajv.compile({ $ref: 'doc#/components/schemas/WebhookEvent' });
    const { discriminator } = components.schemas.WebhookEvent ?? {};
    expect(discriminator?.propertyName).to.equal('type');
    for (const { type, name } of EVENT_TYPES) {
      const event = sampleEvent(type, { clientId: 'acme', orgId: '', myLid: '', at: 0 });
      expect(validate(event), `${type}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
      expect(discriminator?.mapping[type]).to.equal(`#/components/schemas/${name}`);
    }
    expect(validate({ type: 'text' })).to.equal(false);
  });
});

/** A change of the released document. */
type Change = (document: OpenApiDocument) => void;

function schemaOf({ components }: OpenApiDocument, name: string) {
  const schema = components.schemas[name];
  if (!schema?.properties) throw new Error(`no ${name} with fields`);
  return { ...schema, properties: schema.properties, required: schema.required ?? [] };
}

function bodyOf({ paths }: OpenApiDocument, path: string) {
  const schema = paths[path]?.post?.requestBody?.content['application/json']?.schema;
  if (!schema?.properties) throw new Error(`no body of ${path}`);
  return { schema, properties: schema.properties };
}

describe('breakingChanges', () => {
  const changed = (change: Change) => {
    const after = current();
    change(after);
    return breakingChanges(current(), after);
  };

  const breaking: [string, Change, RegExp][] = [
    ['a path that is gone', ({ paths }) => delete paths['/start'], /^POST \/start is gone$/],
    [
      'a field of an answer that is gone',
      (document) => delete schemaOf(document, 'Client').properties.jid,
      /^GET \/clients: clients\[\] has no jid now$/,
    ],
    [
      'a field of an answer that may be absent',
      (document) => schemaOf(document, 'Client').required.splice(0, 1),
      /clients\[\] may lack clientId now/,
    ],
    [
      'a new value in an answer',
      (document) => schemaOf(document, 'Client').properties.status?.enum?.push('asleep'),
      /status may be "asleep" now/,
    ],
    [
      'a field of an answer with another type',
      (document) =>
        Object.assign(schemaOf(document, 'ChatRoom').properties.unreadCount ?? {}, { type: 'string' }),
      /unreadCount was integer and is string/,
    ],
    [
      'a field that a request needs now',
      (document) => bodyOf(document, '/send-message').schema.required?.push('mentions'),
      /^POST \/send-message needs mentions now$/,
    ],
    [
      'a field that a request does not take now',
      (document) => delete bodyOf(document, '/send-message').properties.metaData,
      /does not take metaData now/,
    ],
    [
      'a value that a request may not have now',
      (document) => bodyOf(document, '/delete-message').properties.mode?.enum?.pop(),
      /mode must not be "me" now/,
    ],
    [
      'a narrower bound of a request',
      (document) => Object.assign(bodyOf(document, '/send-message').properties.body ?? {}, { maxLength: 10 }),
      /body has the maxLength 10 now/,
    ],
    [
      'a field of an event that is gone',
      (document) => delete schemaOf(document, 'TextEvent').properties.remotePhone,
      /has no remotePhone now/,
    ],
    [
      'another name of a method of the client',
      ({ paths }) => Object.assign(paths['/qr']?.get ?? {}, { operationId: 'fetchQr' }),
      /was getQr and is fetchQr/,
    ],
  ];
  for (const [what, change, line] of breaking) {
    it(`finds ${what}`, () => {
      const changes = changed(change);
      expect(
        changes.some((found) => line.test(found)),
        changes.join('\n'),
      ).to.equal(true);
    });
  }

  const harmless: [string, Change][] = [
    ['an unchanged document', () => undefined],
    ['a new path', ({ paths }) => Object.assign(paths, { '/new': paths['/start'] })],
    [
      'a new field of an answer',
      (document) => Object.assign(schemaOf(document, 'Client').properties, { colour: { type: 'string' } }),
    ],
    [
      'a new optional field of a request',
      (document) =>
        Object.assign(bodyOf(document, '/send-message').properties, { silent: { type: 'boolean' } }),
    ],
    [
      'a new value that a request may have',
      (document) => bodyOf(document, '/delete-message').properties.mode?.enum?.push('phone'),
    ],
    [
      'a new value of an answer that only callers who opted in see',
      (document) => {
        const { status } = schemaOf(document, 'Client').properties;
        status?.enum?.push('asleep');
        Object.assign(status ?? {}, { 'x-opt-in': ['asleep'] });
      },
    ],
    [
      'a new event type',
      ({ components }) =>
        components.schemas.WebhookEvent?.oneOf?.push({ $ref: '#/components/schemas/Error' }),
    ],
  ];
  for (const [what, change] of harmless) {
    it(`accepts ${what}`, () => {
      expect(changed(change)).to.deep.equal([]);
    });
  }

  it('accepts a change that the changelog names under Unreleased, Breaking', () => {
    const changes = ['POST /start is gone', 'GET /qr has no qr now'];
    const changelog =
      '## [Unreleased]\n\n### Breaking\n\n- `/start` is gone.\n\n### Added\n\n- /qr\n\n## [2026.11.0]\n';
    expect(unannounced(changes, changelog)).to.deep.equal(['GET /qr has no qr now']);
    expect(
      unannounced(changes, '## [Unreleased]\n\n## [1]\n\n### Breaking\n\n- `/start`, `/qr`\n'),
    ).to.deep.equal(changes);
  });
});

/** Operations that the page of the API does not describe, with the reason. */
const NOT_ON_PAGE: Record<string, string> = {
  getPairState: 'only the page for linking uses it',
  startPair: 'only the page for linking uses it',
  requestPairCode: 'only the page for linking uses it',
  answerPairPasskey: 'only the page for linking uses it',
  confirmPairPasskey: 'only the page for linking uses it',
  getPairPageFile: 'only the page for linking loads it',
  getDocsFile: 'only the page /docs loads it',
};

describe('the page of the API', () => {
  const page = read('docs/api.md');

  it('describes each operation of the contract once, but those that only pages use', () => {
    const described = [...operationsOn(page), ...Object.keys(NOT_ON_PAGE)];
    expect(described).to.have.members(OPERATIONS.map(([id]) => id));
    expect(new Set(described).size).to.equal(described.length);
  });

  it('refuses a printed part that names no operation of the contract', () => {
    const part = (id: string) => `<!-- contract: ${id} -->\n<!-- /contract -->`;
    expect(() => apiPage(part('getNothing'))).to.throw('the contract has no operation getNothing');
    expect(apiPage(part('getLive'))).to.contain('`GET /health/live`');
  });

  it('has each place once that a link of the docs names', () => {
    const places = placesOn(page);
    expect(new Set(places).size).to.equal(places.length);
    const links = [...(page.match(/\]\(#[^)]*\)/g) ?? []), ...linksToApi()].map(
      (link) => link.split('#')[1]?.replace(')', '') ?? '',
    );
    expect(places).to.include.members(links);
  });
});

/** The anchors of a page, and those that its headings get. */
function placesOn(page: string): string[] {
  const anchors = [...page.matchAll(/<a id="([^"]*)">/g)].map(([, id = '']) => id);
  const headings = (page.replace(/^```[\s\S]*?^```/gm, '').match(/^#+ .*$/gm) ?? []).map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...anchors, ...headings];
}

/** The links to the page of the API in the other pages. */
function linksToApi(): string[] {
  const pages = readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && path !== 'api.md')
    .map((path) => `docs/${path}`);
  return ['README.md', 'CHANGELOG.md', 'SECURITY.md', ...pages].flatMap(
    (path) => read(path).match(/\bapi\.md#[^)\s]*/g) ?? [],
  );
}

describe('the contract', () => {
  it('names each operation once, and each has a route, and each route an operation', async () => {
    const api = await createTestServer();
    const routes = api.server.table().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const operations = OPERATIONS.map(([, { method, path }]) => `${method} ${path}`);
    await api.close();
    expect(routes).to.have.members(operations);
    const ids = OPERATIONS.map(([id]) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  for (const [id, { body, answer, example }] of OPERATIONS) {
    it(`shows examples of ${id} that its schemas accept`, () => {
      if (typeof answer !== 'string' && id !== 'getOpenApi') {
        const { error } = answer.validate(example, { convert: false, presence: 'required' });
        expect(error?.message).to.equal(undefined);
      }
      const { error } = body?.validate(exampleOf(body) ?? {}, { convert: false }) ?? {};
      if (body && exampleOf(body)) expect(error?.message).to.equal(undefined);
    });
  }
});

describe('the schemas of events', () => {
  it('cover the catalogue', () => {
    const types = EVENT_TYPES.map(({ type }) => type);
    expect(types).to.have.members([...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES]);
  });

  for (const { type, schema } of EVENT_TYPES) {
    it(`accept a sample of ${type}, and no other type`, () => {
      const event = sampleEvent(type, { clientId: 'acme', orgId: '', myLid: '', at: 0 });
      expect(schema.validate(event, { convert: false }).error?.message).to.equal(undefined);
      for (const other of EVENT_TYPES.filter((candidate) => candidate.type !== type)) {
        expect(other.schema.validate(event, { convert: false }).error, other.type).to.be.an('error');
      }
    });
  }
});
