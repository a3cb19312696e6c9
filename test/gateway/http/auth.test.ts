import type { RequestRoute, Server } from '@hapi/hapi';
import { expect } from 'chai';
import { isReady, makeReady } from './support/ready-session.js';
import { FILE_ID, fileOf, operationAt, rightAnswer, rightRequest } from './support/route-cases.js';
import {
  type Answer,
  closeServers,
  createTestServer,
  type TestServer,
  TOKEN,
} from './support/test-server.js';

const SECRET = 'secret-of-acme-0123456789';
const OTHER_SECRET = 'secret-of-other-0123456789';
/** Routes of the contract that need no token: a health check, or an address that grants access by itself. */
const isOpen = ({ method, path }: RequestRoute) => operationAt(method, path).access === 'open';
const isForMaster = ({ method, path }: RequestRoute) => operationAt(method, path).access === 'master';
const HEALTH = ['/health/live', '/health/ready', '/health/clients'];
/** Routes that change or delete the session. */
const CHANGING = [
  '/disconnect',
  '/give-back',
  '/export',
  '/set-api-secret',
  '/set-webhook',
  '/receivers/remove',
  '/failed-deliveries/{id}/resend',
  '/replay',
];
const BASIC =
  'Basic realm="Switchboard: leave the user name empty, the password is the API token", charset="UTF-8"';

type Headers = Record<string, string>;

describe('authentication', () => {
  let api: TestServer;
  let targets: RequestRoute[];
  /** Requests so far: each comes from another address, because wrong tokens from one address are slowed down. */
  let sent = 0;

  beforeEach(async () => {
    api = await prepare();
    targets = api.server.table().filter((route) => !isOpen(route));
  });

  afterEach(closeServers);

  /** Two sessions with a secret. */
  async function prepare(): Promise<TestServer> {
    const fresh = await createTestServer();
    await makeSession(fresh, 'acme', SECRET);
    await makeSession(fresh, 'other', OTHER_SECRET);
    return fresh;
  }

  async function makeSession(at: TestServer, clientId: string, secret: string): Promise<void> {
    await makeReady(at, clientId);
    await at.services.sessions.setApiSecret(clientId, secret);
  }

  /** Sends a right request to a route that names the session wherever it can be named. */
  async function send(target: RequestRoute, clientId: string, headers: Headers): Promise<Answer> {
    const { method, path } = target;
    const remoteAddress = `10.${(++sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`;
    const answer = api.server.inject({ method, headers, remoteAddress, ...rightRequest(target, clientId) });
    if (path === '/events') await endStreamOnce(handled(api.server), answer);
    const response = await api.passing(answer);
    const json = String(response.headers['content-type']).startsWith('application/json');
    const body = json ? JSON.parse(response.payload) : {};
    return { status: response.statusCode, headers: response.headers, body };
  }

  /** Like `send`, but resets the changes of the call afterwards. */
  async function statusOf(target: RequestRoute, headers: Headers): Promise<number> {
    const { status } = await send(target, 'acme', headers);
    if (target.path === '/events') {
      await closeServers();
      api = await prepare();
    } else if (CHANGING.includes(target.path) || !(await isReady(api))) {
      await makeSession(api, 'acme', SECRET);
    }
    return status;
  }

  /** A stream that is let in would never end by itself. */
  async function endStreamOnce(open: Promise<void>, answer: Promise<unknown>): Promise<void> {
    await Promise.race([open, answer]);
    await api.server.stop();
  }

  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

  /** Only the pages for people make a browser ask for the token. */
  const challengeOf = ({ path }: RequestRoute) =>
    /^\/(docs|openapi)/.test(path) ? ['Bearer', BASIC] : 'Bearer';

  it('covers every route but the health checks, the public files and one-time addresses', () => {
    const paths = targets.map(({ path }) => path);
    expect(paths).to.include.members(['/start', '/clients', '/config', '/events', '/metrics']);
    expect(paths).to.have.lengthOf(api.server.table().filter((route) => !isOpen(route)).length);
    expect(paths).to.include('/pair-link');
  });

  it('accepts the master token on every route, in either header', async () => {
    const ways = [bearer(TOKEN), { authorization: `bearer ${TOKEN}` }, { 'x-v3-secret': TOKEN }];
    for (const headers of ways) {
      for (const target of targets) {
        expect(await statusOf(target, headers), target.path).to.equal(rightAnswer(target)[0]);
      }
    }
  });

  it('answers the same 401 for no token and for a wrong one, whether the session exists or not', async () => {
    const wrong: Headers[] = [
      {},
      bearer('wrong'),
      bearer(''),
      { authorization: 'Basic YTpi' },
      { authorization: TOKEN },
      { authorization: `Digest Bearer ${TOKEN}` },
      { 'x-v3-secret': 'wrong' },
      { 'x-v3-secret': `${TOKEN}x` },
    ];
    const error = 'a valid token is required: Authorization: Bearer <token>, or X-V3-Secret: <token>';
    for (const target of targets) {
      for (const headers of wrong) {
        for (const clientId of ['acme', 'nobody']) {
          const answer = await send(target, clientId, headers);
          expect([answer.status, answer.headers['www-authenticate']]).to.deep.equal([
            401,
            challengeOf(target),
          ]);
          expect(answer.body).to.deep.equal({ error });
        }
      }
    }
  });

  it("accepts a session's secret for its session, in either header", async () => {
    for (const headers of [bearer(SECRET), { 'x-v3-secret': SECRET }]) {
      for (const target of targets) {
        const status = await statusOf(target, headers);
        expect(status, target.path).to.equal(isForMaster(target) ? 403 : rightAnswer(target)[0]);
      }
    }
  });

  it('accepts a secret that two sessions have for each of them, and lists both', async () => {
    // an earlier release allowed it
    const { sessions } = api.services;
    await sessions.find('other').update({ apiSecretHash: sessions.find('acme').record.apiSecretHash });
    for (const clientId of ['acme', 'other']) {
      const answer = await api.post('/set-org-id', { clientId, orgId: 'x' }, { token: SECRET });
      expect(answer.status, clientId).to.equal(200);
    }
    expect((await api.get('/clients', { token: SECRET })).body.clients).to.have.lengthOf(2);
    const unnamed = await api.get('/failed-deliveries', { token: SECRET });
    expect([unnamed.status, unnamed.body]).to.deep.equal([
      400,
      { error: 'clientId is required: this secret opens acme, other' },
    ]);
    expect((await api.get('/failed-deliveries?clientId=other', { token: SECRET })).status).to.equal(200);
    await api.services.sessions.setApiSecret('other', '');
  });

  it("refuses a session's secret for any other session with the same 403, whether that session exists or not", async () => {
    for (const target of targets) {
      // requests of one secret are spread over time
      await api.clock.advance(1_000);
      const existing = await send(target, 'other', bearer(SECRET));
      const missing = await send(target, 'nobody', bearer(SECRET));
      expect(existing.status, target.path).to.equal(403);
      expect([missing.status, missing.body]).to.deep.equal([existing.status, existing.body]);
    }
    expect(api.services.sessions.has('other')).to.equal(true);
  });

  it("refuses a session's secret when only one of query and body names its session", async () => {
    for (const [query, body] of [
      ['acme', 'other'],
      ['other', 'acme'],
    ]) {
      const answer = await api.post(
        `/set-org-id?clientId=${query}`,
        { clientId: body, orgId: 'x' },
        { token: SECRET },
      );
      expect(answer.status).to.equal(403);
    }
  });

  it('names the session of a request in the log: the session in the request, or else the session of its secret', async () => {
    const named = async (path: string, token = TOKEN) => {
      await api.get(path, { token });
      const line = api.lines.filter(({ msg }) => msg === 'request').at(-1);
      return [line?.path, line?.clientId];
    };
    expect(await named('/qr?clientId=acme')).to.deep.equal(['/qr', 'acme']);
    expect(await named('/clients', OTHER_SECRET)).to.deep.equal(['/clients', 'other']);
    expect(await named('/clients')).to.deep.equal(['/clients', undefined]);
    expect(await named('/qr?clientId=%0Aacme')).to.deep.equal(['/qr', undefined]);
  });

  it('checks the token before it validates the body', async () => {
    const answer = await api.post('/set-org-id', { clientId: 'other' }, { token: SECRET });
    expect(answer.status).to.equal(403);
  });

  it('tries both headers, so that a proxy can use Authorization', async () => {
    const headers = { authorization: 'Basic YTpi', 'x-v3-secret': TOKEN };
    expect((await api.get('/clients', { token: null, headers })).status).to.equal(200);
    const wrongFirst = { authorization: 'Bearer wrong', 'x-v3-secret': SECRET };
    expect((await api.get('/clients', { token: null, headers: wrongFirst })).status).to.equal(200);
  });

  it('opens the page of the API and what it loads with a password, and no other route', async () => {
    for (const password of [TOKEN, SECRET]) {
      const authorization = `Basic ${Buffer.from(`:${password}`).toString('base64')}`;
      for (const target of targets) {
        const { status, headers } = await send(target, 'acme', { authorization });
        const isPage = ['/docs', '/docs/{file}', '/openapi.json'].includes(target.path);
        expect(status, `${target.method} ${target.path}`).to.equal(isPage ? 200 : 401);
        if (!isPage) expect(headers['www-authenticate']).to.equal('Bearer');
      }
    }
  });

  it("shows a session's secret its own session and deliveries only", async () => {
    const { body } = await api.get('/clients', { token: SECRET });
    expect(body.clients).to.be.an('array').with.lengthOf(1);
    expect(body.clients).to.have.nested.property('[0].clientId', 'acme');
    const list = await api.get('/failed-deliveries', { token: SECRET });
    expect(list.body.failedDeliveries).to.be.an('array').with.lengthOf(1);
    const foreign = await api.get('/failed-deliveries/delivery-of-other', { token: SECRET });
    const missing = await api.get('/failed-deliveries/no-such-delivery', { token: SECRET });
    expect([foreign.status, missing.status]).to.deep.equal([404, 404]);
    expect(String(foreign.body.error).replace('delivery-of-other', 'no-such-delivery')).to.equal(
      missing.body.error,
    );
  });

  it("refuses a session's secret that was removed", async () => {
    await api.post('/set-api-secret', { clientId: 'acme', secret: '' }, { token: SECRET });
    expect((await api.get('/clients', { token: SECRET })).status).to.equal(401);
  });

  it('requires no token on the health checks', async () => {
    for (const path of HEALTH) expect((await api.get(path, { token: null })).status, path).to.equal(200);
  });

  it('requires no token for a file id, and ignores a wrong one', async () => {
    for (const headers of [{}, bearer('wrong'), bearer(OTHER_SECRET)]) {
      const { statusCode, payload } = await api.server.inject({ url: `/media/${FILE_ID}`, headers });
      expect([statusCode, payload]).to.deep.equal([200, 'acme']);
    }
  });

  it("shows a session's secret the links to its own files only", async () => {
    const linkOf = (id: string) => api.get(`/media-files/${id}/url`, { token: SECRET });
    expect((await linkOf(fileOf('acme'))).status).to.equal(200);
    expect((await linkOf(fileOf('other'))).status).to.equal(403);
    expect((await linkOf(FILE_ID.replace('7', '8'))).status).to.equal(404);
    const claimed = await api.get(`/media-files/${fileOf('other')}/url?clientId=acme`, { token: SECRET });
    expect(claimed.status).to.equal(403);
  });
});

/** Resolves when a handler has done its work. */
function handled(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.ext('onPostHandler', (_request, h) => {
      resolve();
      return h.continue;
    });
  });
}
