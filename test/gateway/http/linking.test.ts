import { expect } from 'chai';
import { sessionOfPairToken } from '../../../src/domain/ids.js';
import { reason } from '../../../src/domain/reasons.js';
import type { PasskeyState } from '../../../src/gateway/services/services.js';
import { ASSERTION, ASSERTION_NEEDED } from './support/route-cases.js';
import {
  type Answer,
  closeServers,
  createTestServer,
  STARTED_AT,
  type TestServer,
} from './support/test-server.js';

const MINUTE_MS = 60_000;
const NOBODY = { token: null } as const;
const GONE = { error: 'this address is not valid; ask for a new one' };

let api: TestServer;

async function start(): Promise<void> {
  api = await createTestServer();
  await api.services.sessions.start('acme', {});
}

const confirmations = () => api.network.asked.filter(([name]) => name === 'confirmPasskey').length;

describe('/passkey', () => {
  beforeEach(start);
  afterEach(closeServers);
  const states: [PasskeyState['step'], Partial<PasskeyState>][] = [
    ['assertion_needed', { options: { challenge: 'abc' } }],
    ['sending', {}],
    ['confirm_code', { code: 'ABCD-EFGH' }],
    ['finishing', {}],
  ];

  it('reports that no passkey is requested', async () => {
    const { status, body } = await api.get('/passkey?clientId=acme');
    expect([status, body]).to.deep.equal([200, { clientId: 'acme', step: 'none', secondsLeft: 0 }]);
  });

  for (const [step, fields] of states) {
    it(`shows the step ${step}`, async () => {
      await api.askPasskey('acme', { step, ...fields, expiresAt: STARTED_AT + 90_500 });
      const { status, body } = await api.get('/passkey?clientId=acme');
      expect([status, body]).to.deep.equal([200, { clientId: 'acme', step, ...fields, secondsLeft: 91 }]);
    });
  }

  it('accepts an assertion as browsers write it, and the confirmation', async () => {
    await api.askPasskey('acme', ASSERTION_NEEDED);
    const assertion = { ...ASSERTION, authenticatorAttachment: 'platform', clientExtensionResults: {} };
    expect((await api.post('/passkey', { clientId: 'acme', assertion })).status).to.equal(200);
    expect(api.network.assertions).to.deep.equal([assertion]);
    expect((await api.post('/passkey/confirm', { clientId: 'acme' })).status).to.equal(200);
    expect(confirmations()).to.equal(1);
  });

  it('refuses an unexpected answer with 409, and an unknown session with 404', async () => {
    for (const [path, body] of [
      ['/passkey', { assertion: ASSERTION }],
      ['/passkey/confirm', {}],
    ] as const) {
      const answer = await api.post(path, { clientId: 'acme', ...body });
      expect([answer.status, answer.headers['x-sn-error']]).to.deep.equal([409, 'passkey_not_asked']);
      expect((await api.post(path, { clientId: 'nobody', ...body })).status).to.equal(404);
    }
    expect((await api.get('/passkey?clientId=nobody')).status).to.equal(404);
  });

  it('refuses an invalid assertion, without repeating it', async () => {
    await api.askPasskey('acme', ASSERTION_NEEDED);
    const { response } = ASSERTION;
    const wrong: unknown[] = [
      undefined,
      'text',
      {},
      { ...ASSERTION, type: 'password' },
      { ...ASSERTION, id: 'se cret' },
      { ...ASSERTION, rawId: '' },
      { ...ASSERTION, response: { ...response, signature: 'se+cret' } },
      { ...ASSERTION, response: { ...response, clientDataJSON: 7 } },
      { ...ASSERTION, response: { ...response, authenticatorData: 'a'.repeat(16_385) } },
    ];
    for (const assertion of wrong) {
      const answer = await api.post('/passkey', { clientId: 'acme', assertion });
      expect(answer.status, JSON.stringify(assertion)?.slice(0, 200)).to.equal(400);
      expect(JSON.stringify(answer.body)).to.not.contain('cret');
    }
    expect(api.network.assertions).to.deep.equal([]);
  });
});

describe('a one-time address', () => {
  beforeEach(start);
  afterEach(closeServers);
  const create = async (clientId = 'acme'): Promise<string> => {
    const { status, body } = await api.post('/pair-link', { clientId });
    expect(status).to.equal(200);
    expect(body.clientId).to.equal(clientId);
    return new URL(String(body.url)).pathname;
  };
  const state = (path: string): Promise<Answer> => api.get(`${path}/state`, NOBODY);
  const post = (path: string, body: object = {}): Promise<Answer> => api.post(path, body, NOBODY);
  /** Everything that can be done at an address. */
  const all = (path: string) => [
    state(path),
    post(`${path}/start`),
    post(`${path}/code`, { phone: '15550000001' }),
    post(`${path}/passkey`, { assertion: ASSERTION }),
    post(`${path}/passkey/confirm`),
  ];

  async function expectGone(path: string): Promise<void> {
    for (const { status, body } of await Promise.all(all(path))) {
      expect([status, body]).to.deep.equal([404, GONE]);
    }
    const page = await api.server.inject(path);
    expect(page.statusCode).to.equal(404);
    expect(page.payload).to.contain('no longer valid').and.not.contain('<script');
  }

  it('a one-time address consists of 256 random bits at the public address, valid for 15 minutes', async () => {
    const { body } = await api.post('/pair-link', { clientId: 'acme' });
    expect(body.url).to.match(/^https:\/\/gateway\.example\.com\/pair\/acme\.[A-Za-z0-9_-]{43}$/);
    expect(body.expiresAt).to.equal(new Date(STARTED_AT + 15 * MINUTE_MS).toISOString());
    const again = await api.post('/pair-link', { clientId: 'acme' });
    expect(again.body.url).to.not.equal(body.url);
  });

  it('a one-time address is refused for a session that is linked or does not exist', async () => {
    expect((await api.post('/pair-link', { clientId: 'nobody' })).status).to.equal(404);
    await api.become('acme', 'connected');
    const answer = await api.post('/pair-link', { clientId: 'acme' });
    expect([answer.status, answer.headers['x-sn-error']]).to.deep.equal([409, 'session_already_paired']);
  });

  it('serves a page without external resources, which forbids indexing, caching and framing', async () => {
    const path = await create();
    const { statusCode, headers, payload } = await api.server.inject(`${path}?utm_source=mail`);
    expect(statusCode).to.equal(200);
    expect(headers['content-type']).to.match(/^text\/html/);
    expect(headers).to.include({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['x-robots-tag']).to.contain('noindex');
    expect(headers['content-security-policy'])
      .to.contain("default-src 'none'")
      .and.contain("script-src 'self';")
      .and.contain("style-src 'self';");
    const files = [...payload.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file = '']) => file);
    const own = files.filter((file) => !file.startsWith('https://web.whatsapp.com'));
    expect(own).to.have.length.greaterThan(2);
    for (const file of own) {
      expect((await api.server.inject(new URL(file, `http://host${path}`).pathname)).statusCode).to.equal(
        200,
      );
    }
    expect(payload)
      .to.not.contain('acme')
      .and.not.match(/ on[a-z]+="|style="/);
    expect((await api.server.inject('/pair-page/package.json')).statusCode).to.equal(400);
  });

  it('shows each state of a pairing and nothing else of the session', async () => {
    const path = await create();
    const shown = async () => (await state(path)).body;
    const left = { secondsLeft: 900 };
    expect(await shown()).to.deep.equal({ status: 'waiting', reason: '', ...left });
    await api.become('acme', 'qr', { qr: '2@abc,def' });
    const { qr, ...rest } = await shown();
    expect(rest).to.deep.equal({ status: 'qr', reason: '', ...left });
    expect(qr).to.match(/^data:image\/svg\+xml;base64,/);
    await api.become('acme', 'initializing', { why: reason('qr_expired') });
    expect(await shown()).to.deep.equal({
      ...{ status: 'stopped', reason: 'No phone scanned the QR code in time.', reasonCode: 'qr_expired' },
      ...left,
    });
    await api.become('acme', 'qr', { qr: '2@abc,def' });
    await api.askPasskey('acme', ASSERTION_NEEDED);
    const { passkey, ...besides } = await shown();
    expect(besides).to.deep.equal({
      status: 'passkey',
      reason: "passkey: WhatsApp asks the account's owner for a passkey.",
      reasonCode: 'passkey',
      ...left,
    });
    expect(passkey).to.deep.include({ step: 'assertion_needed', secondsLeft: 300 });
    expect(JSON.stringify(passkey)).to.contain('navigator.credentials.get').and.contain(path);
    await api.askPasskey('acme', { step: 'confirm_code', code: 'ABCD-EFGH', expiresAt: STARTED_AT + 5_000 });
    expect((await shown()).passkey).to.deep.equal({
      step: 'confirm_code',
      code: 'ABCD-EFGH',
      secondsLeft: 5,
    });
    await api.become('acme', 'connected');
    expect(await shown()).to.deep.equal({ status: 'linked', reason: '', ...left });
  });

  it('creates a code for a phone number and shows it for three minutes', async () => {
    const path = await create();
    await api.become('acme', 'qr', { qr: '2@abc,def' });
    for (const phone of ['letters', '', '0155', 7]) {
      expect((await post(`${path}/code`, { phone })).status).to.equal(400);
    }
    expect((await post(`${path}/code`, { phone: '+15550000001' })).body).to.deep.equal({ code: 'ABCD-EFGH' });
    expect((await state(path)).body.code).to.equal('ABCD-EFGH');
    await api.clock.advance(3 * MINUTE_MS);
    expect((await state(path)).body).to.not.have.property('code');
  });

  it('passes on the assertion and the confirmation', async () => {
    const path = await create();
    expect((await post(`${path}/passkey`, { assertion: ASSERTION })).status).to.equal(409);
    await api.askPasskey('acme', ASSERTION_NEEDED);
    expect((await post(`${path}/passkey`, { assertion: { id: 'x' } })).status).to.equal(400);
    expect((await post(`${path}/passkey`, { assertion: ASSERTION })).body).to.deep.equal({ ok: true });
    expect(api.network.assertions).to.deep.equal([ASSERTION]);
    expect((await post(`${path}/passkey/confirm`)).body).to.deep.equal({ ok: true });
    expect(confirmations()).to.equal(1);
  });

  it('a one-time address expires after 15 minutes', async () => {
    const path = await create();
    await api.clock.advance(15 * MINUTE_MS - 1);
    expect((await state(path)).body.secondsLeft).to.equal(1);
    await api.clock.advance(1);
    await expectGone(path);
  });

  it('a one-time address expires when a newer one is created', async () => {
    const path = await create();
    expect((await state(await create())).status).to.equal(200);
    await expectGone(path);
  });

  it('a one-time address expires with its session, also when another session takes the name', async () => {
    const path = await create();
    await api.post('/disconnect', { clientId: 'acme' });
    await expectGone(path);
    await api.services.sessions.start('acme', {});
    await expectGone(path);
  });

  it('refuses everything once the number is linked, even if the link ends again', async () => {
    const path = await create();
    await api.become('acme', 'connected');
    expect((await state(path)).body.status).to.equal('linked');
    for (const status of ['connected', 'logged_out', 'qr'] as const) {
      await api.become('acme', status, { qr: '2@abc,def' });
      expect((await state(path)).body).to.not.have.any.keys('qr', 'code', 'passkey');
      const [, ...deeds] = await Promise.all(all(path));
      expect(deeds.map((answer) => answer.status)).to.deep.equal([404, 404, 404, 404]);
    }
  });

  it('opens its own session only, and cannot be guessed', async () => {
    await api.services.sessions.start('other', {});
    const path = await create();
    const secret = path.split('.')[1] ?? '';
    const wrong = [
      'acme',
      'acme.',
      `acme.${'A'.repeat(43)}`,
      `other.${secret}`,
      `nobody.${secret}`,
      secret,
      '...',
    ];
    for (const token of [...wrong, `acme.${secret}x`, `acme.${secret.slice(1)}`, 'a'.repeat(80)]) {
      await expectGone(`/pair/${token}`);
    }
    expect((await state(path)).status).to.equal(200);
  });

  it('grants access to nothing else', async () => {
    const token = (await create()).slice('/pair/'.length);
    for (const path of ['/qr?clientId=acme', '/clients', '/passkey?clientId=acme']) {
      expect((await api.get(path, { token })).status).to.equal(401);
    }
    await api.services.sessions.setApiSecret('acme', 'secret-of-acme-0123456789');
    const other = { token: 'secret-of-acme-0123456789' };
    expect((await api.post('/pair-link', { clientId: 'other' }, other)).status).to.equal(403);
    expect((await api.post('/pair-link', { clientId: 'acme' }, other)).status).to.equal(200);
  });

  it('keeps the token and the assertion out of the log', async () => {
    const path = await create();
    await api.become('acme', 'qr');
    await api.askPasskey('acme', ASSERTION_NEEDED);
    await Promise.all(all(path));
    await api.server.inject(path);
    const log = JSON.stringify(api.lines);
    expect(log).to.contain('/pair/{token}/state').and.contain('created a one-time address');
    for (const secret of [
      path.split('.')[1] ?? path,
      ASSERTION.response.signature,
      ASSERTION.rawId,
      'ABCD-EFGH',
    ]) {
      expect(log).to.not.contain(secret);
    }
  });
});

describe('sessionOfPairToken', () => {
  it('returns the session that a token names, and nothing for other texts', () => {
    const cases: [string, string | undefined][] = [
      ['acme.abc', 'acme'],
      ['acme', 'acme'],
      ['.abc', undefined],
      ['ac-me.abc', undefined],
      ['', undefined],
    ];
    for (const [token, clientId] of cases) expect(sessionOfPairToken(token), token).to.equal(clientId);
  });
});
