import { expect } from 'chai';
import { verifyWebhook } from '../../../src/client/verify.js';
import { HOP_HEADER, NodeAuth } from '../../../src/gateway/cluster/node-auth.js';
import { ApiSecretHasher } from '../../../src/gateway/services/sessions/api-secret.js';
import {
  closeServers,
  createTestServer,
  HOP_CLOCK,
  HOP_KEY,
  type TestServer,
  TOKEN,
} from './support/test-server.js';

const SECRET = 'secret-of-acme-0123456789';

/** What somebody guesses who knows a part of a secret: of its length and of others, wrong at its beginning or at its end. */
function guesses(secret: string): string[] {
  const other = (character: string) => (character === 'x' ? 'y' : 'x');
  return [
    other(secret.slice(0, 1)) + secret.slice(1),
    secret.slice(0, -1) + other(secret.slice(-1)),
    'x'.repeat(secret.length),
    secret.slice(0, -1),
    secret.slice(0, 1),
    `${secret}x`,
    secret + secret,
    'x'.repeat(3 * secret.length),
  ];
}

// docs/security.md lists the doors
describe('a wrong secret', () => {
  let api: TestServer;
  let sent: number;
  beforeEach(async () => {
    sent = 0;
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
    await api.services.sessions.setApiSecret('acme', SECRET);
  });
  afterEach(closeServers);

  /** Status, headers and body of an answer. Each request has another address: wrong tokens are slowed down by address. */
  async function answerTo(url: string, headers: Record<string, string>): Promise<object> {
    sent += 1;
    const answer = await api.server.inject({ url, headers, remoteAddress: `192.0.2.${sent}` });
    const { date: _date, ...rest } = answer.headers;
    return { status: answer.statusCode, headers: rest, body: answer.payload };
  }

  /** All guesses get one answer; the right secret gets another one. */
  async function expectAlike(secret: string, ask: (guess: string) => Promise<unknown>): Promise<void> {
    const [first, ...others] = await Promise.all(guesses(secret).map(ask));
    for (const other of others) expect(other).to.deep.equal(first);
    expect(await ask(secret)).to.not.deep.equal(first);
  }

  for (const [whose, secret] of [
    ['the master token', TOKEN],
    ['the secret of a session', SECRET],
  ] as const) {
    it(`gets the same answer, whatever part of ${whose} is right`, async () => {
      const url = '/qr?clientId=acme';
      await expectAlike(secret, (guess) => answerTo(url, { authorization: `Bearer ${guess}` }));
      await expectAlike(secret, (guess) => answerTo(url, { 'x-v3-secret': guess }));
      const basic = (guess: string) => `Basic ${Buffer.from(`:${guess}`).toString('base64')}`;
      await expectAlike(secret, (guess) => answerTo('/openapi.json', { authorization: basic(guess) }));
    });
  }

  it('gets the same answer, whatever part of a one-time address is right', async () => {
    const { body } = await api.post('/pair-link', { clientId: 'acme' });
    const [, token = ''] = /\/pair\/acme\.(.+)$/.exec(String(body.url)) ?? [];
    await expectAlike(token, (guess) => answerTo(`/pair/acme.${guess}/state`, {}));
  });

  it('gets the same answer, whatever part of the proof of a request between nodes is right', async () => {
    const hop = { method: 'GET', path: '/qr?clientId=acme' };
    const claim = { from: 'node-2', to: 'node-1', rights: {} };
    const [text = '', proof = ''] = new NodeAuth(HOP_KEY, HOP_CLOCK).sign(claim, hop).split('.');
    await expectAlike(proof, (guess) => answerTo(hop.path, { [HOP_HEADER]: `${text}.${guess}` }));
  });

  it('gets the same answer, whatever part of the token of a webhook call is right', async () => {
    const call = { headers: { authorization: '', 'webhook-signature': 'v1,x' }, body: '{}', now: 0 };
    const faultOf = (headers: object, token = SECRET) => {
      try {
        return verifyWebhook({ ...call, headers: { ...call.headers, ...headers }, token });
      } catch (error) {
        return String(error);
      }
    };
    await expectAlike(SECRET, async (guess) => faultOf({ authorization: `Bearer ${guess}` }));
  });

  it('matches no stored secret, whatever part of it is right', () => {
    const secrets = new ApiSecretHasher(Buffer.alloc(32, 1));
    const kept = secrets.hash(SECRET);
    expect(guesses(SECRET).filter((guess) => secrets.matcher(guess)(kept))).to.deep.equal([]);
    expect(secrets.matcher(SECRET)(kept)).to.equal(true);
  });
});
