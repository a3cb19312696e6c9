import { expect } from 'chai';
import { request } from 'undici';
import type { SandboxErrorCode } from '../../src/client/sandbox/client.js';
import { ALICE, BOB, SandboxWorld } from './support/world.js';

const UNUSED = '+15559999999';

interface Row {
  why: string;
  method: string;
  path: string;
  body?: unknown;
  status: number;
  /** `invalid_request` unless named. */
  code?: SandboxErrorCode;
  error: RegExp;
}

const phone = `/phones/${ALICE}`;
const messages = `${phone}/messages`;
const post = { method: 'POST' };

const REFUSED: Row[] = [
  {
    why: 'a number that is taken',
    ...post,
    path: '/phones',
    body: { number: ALICE },
    status: 409,
    code: 'phone_taken',
    error: /has a phone already/,
  },
  {
    why: 'a number without +',
    ...post,
    path: '/phones',
    body: { number: '15550000009' },
    status: 400,
    error: /E\.164/,
  },
  { why: 'no number', ...post, path: '/phones', body: {}, status: 400, error: /"number" is required/ },
  {
    why: 'an unknown field',
    ...post,
    path: '/phones',
    body: { number: UNUSED, age: 4 },
    status: 400,
    error: /"age" is not allowed/,
  },
  { why: 'malformed JSON', ...post, path: '/phones', body: '{', status: 400, error: /JSON/ },
  {
    why: 'an unknown phone',
    method: 'GET',
    path: `/phones/${UNUSED}`,
    status: 404,
    code: 'phone_unknown',
    error: /no phone has the number/,
  },
  { why: 'a malformed phone', method: 'GET', path: '/phones/bob', status: 400, error: /E\.164/ },
  {
    why: 'messages of an unknown phone',
    method: 'GET',
    path: `/phones/${UNUSED}/messages`,
    status: 404,
    code: 'phone_unknown',
    error: /no phone/,
  },
  { why: 'an empty profile', method: 'PATCH', path: phone, body: {}, status: 400, error: /at least 1/ },
  {
    why: 'a scan without a QR',
    ...post,
    path: `${phone}/scan`,
    body: {},
    status: 400,
    error: /"qr" is required/,
  },
  {
    why: 'text to nobody',
    ...post,
    path: messages,
    body: { to: UNUSED, text: 'x' },
    status: 404,
    code: 'phone_unknown',
    error: /no phone/,
  },
  { why: 'no content', ...post, path: messages, body: { to: BOB }, status: 400, error: /text/ },
  { why: 'empty text', ...post, path: messages, body: { to: BOB, text: '' }, status: 400, error: /"text"/ },
  {
    why: 'content of a kind that phones do not know',
    ...post,
    path: messages,
    body: { to: BOB, story: {} },
    status: 400,
    error: /"story" is not allowed/,
  },
  {
    why: 'a poll without options',
    ...post,
    path: messages,
    body: { to: BOB, poll: { name: 'When?' } },
    status: 400,
    error: /"poll\.options" is required/,
  },
  {
    why: 'a file without bytes',
    ...post,
    path: messages,
    body: { to: BOB, media: { kind: 'image', mimeType: 'image/png' } },
    status: 400,
    error: /base64, size, file/,
  },
  {
    why: 'to forget what a phone does not hold',
    method: 'DELETE',
    path: `${messages}/A`,
    status: 404,
    code: 'message_unknown',
    error: /holds no message A/,
  },
  {
    why: 'a quote of nothing',
    ...post,
    path: messages,
    body: { to: BOB, text: 'x', quotedMessageId: 'A' },
    status: 404,
    code: 'message_unknown',
    error: /holds no message A/,
  },
  {
    why: 'a mention of nobody',
    ...post,
    path: messages,
    body: { to: BOB, text: 'x', mentions: [UNUSED] },
    status: 404,
    code: 'phone_unknown',
    error: /no phone/,
  },
  {
    why: 'reading nothing',
    ...post,
    path: `${phone}/read`,
    body: { messageIds: [] },
    status: 400,
    error: /messageIds/,
  },
  {
    why: 'an unknown fault',
    ...post,
    path: '/faults',
    body: { kind: 'earthquake' },
    status: 400,
    error: /"kind" must be one of/,
  },
  {
    why: 'a fault of an unknown phone',
    ...post,
    path: '/faults',
    body: { kind: 'ban', number: UNUSED },
    status: 404,
    code: 'phone_unknown',
    error: /no phone/,
  },
  {
    why: 'a delay of no length',
    ...post,
    path: '/faults',
    body: { kind: 'delay' },
    status: 400,
    error: /"ms" is required/,
  },
  {
    why: 'a refused upgrade of one number',
    ...post,
    path: '/faults',
    body: { kind: 'refuse-upgrade', number: ALICE },
    status: 400,
    error: /"number" is not allowed/,
  },
  {
    why: 'an unknown route',
    method: 'GET',
    path: '/nowhere',
    status: 404,
    code: 'route_unknown',
    error: /Not Found/,
  },
];

describe('Sandbox: control API', () => {
  const world = new SandboxWorld();

  before(() => world.open());
  after(() => world.close());

  for (const { why, method, path, body, status, code = 'invalid_request', error } of REFUSED) {
    it(`refuses ${why} with ${status} ${code}`, async () => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const { answer, ...response } = await call(method, path, text);
      expect(response.status).to.equal(status);
      expect(answer).to.have.all.keys('error', 'code');
      expect(answer.code).to.equal(code);
      expect(answer.error).to.match(error);
    });
  }

  it('shows people with a phone number and a LID that have no digits in common', async () => {
    const alice = await world.client.phone(ALICE);
    expect(alice).to.deep.include({
      number: ALICE,
      name: 'Alice',
      jid: '15550000001@s.whatsapp.net',
      devices: [],
    });
    expect(alice.lid).to.match(/^[0-9]{15}@lid$/);
    expect(alice.lid).not.to.contain('15550000001');
    expect((await world.client.phones()).map(({ number }) => number)).to.include.members([ALICE, BOB]);
  });

  it('answers a new phone with 201 and its addresses', async () => {
    const body = JSON.stringify({ number: '+4915112345678', name: 'Dora' });
    const { status, answer } = await call('POST', '/phones', body);
    expect(status).to.equal(201);
    expect(Object.keys(answer)).to.have.members(['number', 'name', 'jid', 'lid']);
  });

  it('serves its root key and its counters', async () => {
    expect(await world.client.rootKey()).to.deep.equal(Buffer.from(world.sandbox.rootKey));
    expect(await world.client.stats()).to.have.all.keys(
      'connections',
      'logins',
      'conflicts',
      'dropped',
      'repeated',
      'resent',
      'senderKeys',
      'outdated',
      'versionLookups',
      'pairErrors',
      'retryReceipts',
      'messageRefusals',
      'firstContacts',
      'resumed',
      'loginsByDevice',
      'stanzasIn',
      'stanzasOut',
      'queries',
      'waitingOffline',
      'unacknowledged',
      'phones',
      'devices',
    );
  });

  it('streams events', async () => {
    const { messageId } = await world.client.write(ALICE, { to: BOB, text: 'before' });
    const seen: string[] = [];
    await world.client.waitFor(
      (event) => {
        if (event.type === 'message') seen.push(`${event.number} ${event.message.text}`);
        return event.type === 'receipt' && event.from === BOB && event.messageId !== messageId;
      },
      undefined,
      () => world.client.write(ALICE, { to: BOB, text: 'after' }),
    );
    expect(seen).to.include.members([`${ALICE} after`, `${BOB} after`]);
    expect(seen).not.to.include(`${BOB} before`);
  });

  describe('pages of other sites in a browser', () => {
    const { host } = new URL('http://127.0.0.1');
    const json = { 'content-type': 'application/json' };
    const text = JSON.stringify({ number: UNUSED });
    const ask = (path: string, headers: Record<string, string>, body?: string) =>
      // fetch sets these headers by itself
      request(`${world.sandbox.url}${path}`, { method: body === undefined ? 'GET' : 'POST', headers, body });

    for (const [what, headers, body, status, code] of [
      ['a form', { 'content-type': 'text/plain' }, text, 415, 'content_type_unsupported'],
      ['a body without a type', {}, text, 415, 'content_type_unsupported'],
      ['a request of another site', { ...json, 'sec-fetch-site': 'cross-site' }, text, 403, 'cross_site'],
      ['a request of another port', { ...json, 'sec-fetch-site': 'same-site' }, text, 403, 'cross_site'],
      ['a request of another origin', { ...json, origin: 'http://evil.example' }, text, 403, 'cross_site'],
      ['a post of another origin without a body', { origin: 'http://evil.example' }, '', 403, 'cross_site'],
      ['a name that leads to loopback', { host: 'rebind.evil.example' }, undefined, 403, 'host_unknown'],
    ] as const) {
      it(`refuses ${what}`, async () => {
        const answer = await ask('/phones', headers, body);
        expect(answer.statusCode).to.equal(status);
        expect(await answer.body.json())
          .to.have.all.keys('error', 'code')
          .and.have.property('code', code);
      });
    }

    it('refuses files in the form of a form, and takes requests of programs', async () => {
      const form = { 'content-type': 'multipart/form-data; boundary=x' };
      expect((await ask('/files', form, 'x')).statusCode).to.equal(415);
      expect((await ask('/files', { 'content-type': 'application/octet-stream' }, 'x')).statusCode).to.equal(
        201,
      );
      expect((await ask('/phones', { host: `${host}:1` })).statusCode).to.equal(200);
      expect((await ask('/phones', { host: 'localhost' })).statusCode).to.equal(200);
    });

    it("takes requests of clients under the names of WhatsApp's hosts", async () => {
      const client = { host: 'web.whatsapp.com', origin: 'https://web.whatsapp.com' };
      expect((await ask('/sw.js', client)).statusCode).to.equal(200);
      expect((await ask('/mms/image/x', client, 'x')).statusCode).to.equal(400);
    });
  });

  async function call(method: string, path: string, body?: string) {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${world.sandbox.url}${path}`, { method, headers, ...(body && { body }) });
    return { status: response.status, answer: JSON.parse(await response.text()) };
  }
});
