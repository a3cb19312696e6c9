import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { GatewayError } from '../../../src/domain/errors.js';
import { HOP_HEADER, NodeAuth, type Rights } from '../../../src/gateway/cluster/node-auth.js';
import { isReady, makeReady } from './support/ready-session.js';
import { rightAnswer, rightRequest } from './support/route-cases.js';
import { HOP_CLOCK, HOP_KEY } from './support/test-server.js';
import {
  AUTHORIZED,
  deadNode,
  deferred,
  expectRefusal,
  JSON_TYPE,
  NOT_HERE,
  response,
  SEND,
  type TestNode,
  TwoNodes,
} from './support/two-nodes.js';
import { PIXEL, WEB_URL } from './support/web.js';

const MB = 1024 * 1024;

/** Their answers differ by nature: see the test below. */
const ONE_TIME = /^\/pair(-link$|\/)/;

describe('requests for a session', () => {
  let nodes: TwoNodes;
  let entry: TestNode;
  let holder: TestNode;

  // servers are costly to make
  before(async () => {
    nodes = await TwoNodes.start();
    ({ entry, holder } = nodes);
  });
  beforeEach(() => nodes.begin());
  afterEach(() => nodes.end());
  after(() => nodes.stop());

  describe('requests for a session on another node', () => {
    it('return the response of the owner, on every route', async () => {
      const direct = await nodes.another('holder');
      direct.owners.held.add('acme');
      direct.api.clock.advance(holder.api.clock.now() - direct.api.clock.now());
      for (const { api } of [direct, holder]) await makeReady(api);
      const targets = entry.api.server
        .table()
        .filter(({ path, settings }) => settings.app?.owner === 'session' && !ONE_TIME.test(path));
      expect(targets).to.have.length.greaterThan(30);
      for (const target of targets) {
        const { url, payload: body } = rightRequest(target, 'acme');
        const init = {
          method: target.method,
          headers: { ...AUTHORIZED, ...JSON_TYPE, 'x-own': 'kept' },
          body,
        };
        const asked = Promise.all([fetch(entry.url + url, init), fetch(direct.url + url, init)]);
        const isSlow = target.path === '/refresh-avatars';
        const [forwarded, own] = await (isSlow ? holder.api.passing(direct.api.passing(asked)) : asked);
        direct.api.clock.advance(Math.max(0, holder.api.clock.now() - direct.api.clock.now()));
        holder.api.clock.advance(Math.max(0, direct.api.clock.now() - holder.api.clock.now()));
        const [got, expected] = await Promise.all([shown(forwarded), shown(own)]);
        expect(got, target.path).to.deep.equal(expected);
        expect(got.status, target.path).to.equal(rightAnswer(target)[0]);
        for (const { api } of [direct, holder]) if (!(await isReady(api))) await makeReady(api);
      }
      expect(holder.handled).to.deep.equal(direct.handled);
      expect(holder.handled).to.have.lengthOf(targets.length);
      expect(entry.handled).to.deep.equal([]);
      expect(await nodes.outcomes()).to.deep.equal({ answered: targets.length });
      const lines = entry.api.lines.filter(({ msg }) => msg === 'request');
      expect(new Set(lines.map(({ node }) => node))).to.deep.equal(new Set(['holder']));
    });

    it('find the owner of a one-time address from any node', async () => {
      await holder.api.become('acme', 'qr');
      const created = await nodes.post('/pair-link', { clientId: 'acme' });
      const [path = ''] = /\/pair\/[^"]+/.exec(await created.text()) ?? [];
      for (const suffix of ['', '/state']) {
        const answer = await fetch(entry.url + path + suffix);
        expect(answer.status, suffix).to.equal(200);
        await answer.text();
      }
      expect((await fetch(`${entry.url}${path}x/state`)).status).to.equal(404);
      expect(entry.handled).to.deep.equal([]);
    });

    it('reuse a connection to the owner', async () => {
      for (let i = 0; i < 20; i++) await (await nodes.post('/send-message', SEND)).json();
      expect(holder.handled).to.have.lengthOf(20);
      expect(holder.taken.connections).to.be.at.most(1);
    });

    it('requests reach the owner with their body, compressed or not, or without one', async () => {
      const packed = await nodes.call('/send-message', {
        method: 'POST',
        headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
        body: gzipSync(JSON.stringify({ ...SEND, metaData: { text: 'ü\u2028' } })),
      });
      expect(packed.status).to.equal(200);
      const { status, lengths } = await withoutBody();
      expect([status, lengths]).to.deep.equal([200, ['0']]);
      expect(holder.handled.map(({ payload }) => payload)).to.deep.equal([
        { ...SEND, metaData: { text: 'ü\u2028' } },
        {},
      ]);
    });

    async function withoutBody() {
      const lengths: unknown[] = [];
      holder.api.server.ext('onPreHandler', ({ raw }, h) => {
        lengths.push(raw.req.headers['content-length']);
        return h.continue;
      });
      const { status } = await nodes.call('/start?clientId=acme', { method: 'POST' });
      return { status, lengths };
    }

    it('return the refusal of the owner unchanged', async () => {
      const invalid = await nodes.post('/send-message', { clientId: 'acme' });
      expect([invalid.status, await invalid.json()]).to.deep.equal([
        400,
        { error: 'to is required. body is required' },
      ]);
      holder.api.network.failure = new GatewayError('send_rejected', 'the network rejected it (463)');
      const failed = await nodes.post('/send-message', SEND);
      expect([failed.status, await failed.json()]).to.deep.equal([
        502,
        { error: 'the network rejected it (463)' },
      ]);
    });

    it('requests count as active at the owner until they are answered, each once', async () => {
      const requests: [string, object, number][] = [
        ['/send-message', SEND, 200],
        ['/send-message', { ...SEND, to: 7 }, 400],
        ['/set-webhook', { clientId: 'acme', webhookUrl: '' }, 200],
        ['/send-message', SEND, 500],
        ['/disconnect', { clientId: 'acme' }, 200],
        ['/send-message', SEND, 404],
      ];
      for (const [path, body, status] of requests) {
        holder.api.network.failure = status === 500 ? new Error('unforeseen') : undefined;
        const responded = response(holder);
        expect((await nodes.post(path, body)).status).to.equal(status);
        await responded;
        expect(holder.owners.underWay, `${path} ${status}`).to.equal(0);
      }
      expect(holder.owners.entered).to.equal(requests.length);
    });

    it('return the response unchanged', async () => {
      const seen: IncomingHttpHeaders[] = [];
      await nodes.standIn((incoming, response) => {
        seen.push(incoming.headers);
        response.writeHead(206, {
          'content-type': 'application/octet-stream',
          'content-range': 'bytes 2-4/9',
          'content-encoding': 'gzip',
          etag: '"a"',
          'x-more': 'kept',
        });
        response.end(gzipSync('cde'));
      });
      const headers = { range: 'bytes=2-4', 'if-range': '"a"' };
      const answer = await nodes.call('/qr?clientId=acme', { headers });
      expect(answer.status).to.equal(206);
      expect(await answer.text()).to.equal('cde');
      const { range, etag } = {
        range: answer.headers.get('content-range'),
        etag: answer.headers.get('etag'),
      };
      expect([range, etag, answer.headers.get('x-more')]).to.deep.equal(['bytes 2-4/9', '"a"', 'kept']);
      expect(seen[0]).to.include({ ...headers, 'x-forwarded-for': '127.0.0.1' });
      expect(seen[0]).to.not.have.any.keys('authorization', 'x-v3-secret');
      const head = await nodes.call('/qr?clientId=acme', { method: 'HEAD' });
      expect([head.status, head.headers.get('content-range')]).to.deep.equal([206, 'bytes 2-4/9']);
    });

    it("requests reach the owner without the caller's token and without headers of its connection", async () => {
      let seen: IncomingHttpHeaders = {};
      await nodes.standIn((incoming, response) => {
        seen = incoming.headers;
        response.end('{}');
      });
      const ofConnection = {
        'proxy-authorization': 'Basic eA==',
        'proxy-connection': 'keep-alive',
        'keep-alive': 'timeout=5',
        te: 'trailers',
      };
      const headers = { ...AUTHORIZED, ...ofConnection, 'x-v3-secret': 'one', 'x-own': 'kept' };
      const asked = request(`${entry.url}/qr?clientId=acme`, { headers }).end();
      const [answer]: IncomingMessage[] = await once(asked, 'response');
      expect([answer?.statusCode, answer && (await text(answer))]).to.deep.equal([200, '{}']);
      expect(seen).to.include({ 'x-own': 'kept' });
      expect(seen.host).to.not.equal(new URL(entry.url).host);
      expect(seen).to.not.have.any.keys('authorization', 'x-v3-secret', ...Object.keys(ofConnection));
    });
  });

  describe('forwarded requests with a file', () => {
    const PATH = '/send-media-message';
    const HEAD = [
      '--x\r\nContent-Disposition: form-data; name="to"\r\n\r\n+15550000002\r\n',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n',
      'Content-Type: application/octet-stream\r\n\r\n',
    ].join('');
    const TAIL = '\r\n--x--\r\n';

    /** Begins an upload; its body is up to the caller. */
    const begin = (headers: Record<string, string> = {}) =>
      request(`${entry.url}${PATH}?clientId=acme`, {
        method: 'POST',
        headers: { ...AUTHORIZED, 'content-type': 'multipart/form-data; boundary=x', ...headers },
      });

    it('forwarded uploads reach the owner while the client still sends', async () => {
      const spooled = new Promise<string>((resolve) => {
        const { spool } = holder.api.services.sending;
        holder.api.services.sending.spool = (clientId, stream) => {
          stream.once('data', (first: Buffer) => resolve(first.toString('utf8', 0, 5)));
          return spool.call(holder.api.services.sending, clientId, stream);
        };
      });
      const upload = begin({ expect: '100-continue', 'idempotency-key': 'once' });
      upload.flushHeaders();
      await once(upload, 'continue');
      upload.write(`${HEAD}first`);
      expect(await spooled).to.equal('first');
      for (let sent = 0; sent < 4 * MB; sent += MB) upload.write('a'.repeat(MB));
      upload.end(TAIL);
      const { status, body } = await answered(upload);
      expect([status, JSON.parse(body).status]).to.deep.equal([200, 'sent']);
      const [file] = holder.api.network.sent;
      expect(file?.made.documentMessage?.fileLength).to.equal('first'.length + 4 * MB);
      const claim = { key: 'once', fingerprint: '', messageId: 'another', answer: '', createdAt: 0 };
      const known = await holder.api.store.idempotency.claim('acme', claim);
      expect(known.messageId).to.equal(file?.messageId);
    });

    it('forwarded uploads are read at the pace of the owner', async () => {
      const body = deferred<string>();
      let go: () => void = () => undefined;
      await nodes.standIn((incoming, response) => {
        go = () => void text(incoming).then(body.resolve);
        void body.promise.then(() => response.end('{}'));
      });
      const upload = begin();
      let sent = 0;
      while (upload.write('a'.repeat(MB)) || (await drains(upload))) sent += 1;
      expect(sent).to.be.lessThan(64);
      go();
      upload.end(TAIL);
      expect((await answered(upload)).status).to.equal(200);
      expect((await body.promise).length).to.equal((sent + 1) * MB + TAIL.length);
    });

    it('name the session in the body when it is JSON', async () => {
      const { status } = await nodes.post(PATH, {
        clientId: 'acme',
        to: '+15550000002',
        downloadUrl: `${WEB_URL}/a.png`,
      });
      expect(status).to.equal(200);
      expect(holder.api.network.sent[0]?.made.imageMessage?.fileLength).to.equal(PIXEL.length);
      expect(entry.handled).to.deep.equal([]);
    });

    it('forwarded uploads are sent once only', async () => {
      let requests = 0;
      await nodes.standIn((incoming, response) => {
        requests += 1;
        incoming
          .resume()
          .once('end', () => response.writeHead(503, { [NOT_HERE]: 'elsewhere' }).end('{"error":"no"}'));
      });
      const upload = begin();
      upload.end(`${HEAD}a${TAIL}`);
      const { status, body, headers } = await answered(upload);
      expect([status, headers['retry-after'], requests]).to.deep.equal([503, '1', 1]);
      expect(JSON.parse(body).error).to.match(
        /^session acme is on its way to another node: nothing was done/,
      );
    });

    it('forwarded uploads wait unread while the owner accepts no connection', async () => {
      const absent = await deadNode();
      let looks = 0;
      entry.owners.script = () => ({ at: 'peer', node: looks++ === 0 ? absent : holder.owners.self });
      const upload = begin();
      upload.end(`${HEAD}${'a'.repeat(MB)}${TAIL}`);
      await entry.api.clock.scheduled(100);
      entry.api.clock.advance(100);
      expect((await answered(upload)).status).to.equal(200);
      expect(holder.api.network.sent[0]?.made.documentMessage?.fileLength).to.equal(MB);
    });
  });

  describe('the tokens of forwarded requests', () => {
    const SECRET = 'secret-of-the-session';

    beforeEach(async () => {
      for (const { api } of [entry, holder]) {
        await api.services.sessions.start('acme', {});
        await api.services.sessions.setApiSecret('acme', SECRET);
      }
    });

    it('name the node that refuses the proof of this one, instead of calling the caller’s token wrong', async () => {
      await nodes.standIn((_, response) =>
        response.writeHead(401).end('{"error":"a valid token is required"}'),
      );
      await expectRefusal(
        await nodes.post('/send-message', SEND),
        /^node stand-in, which holds session acme, does not accept what this node sends: nothing was done; set the clocks of both/,
      );
      expect(await nodes.outcomes()).to.include({ refused: 1 });
      const logged = entry.api.lines.filter(({ msg }) => msg === 'request failed').at(-1);
      expect(logged)
        .to.have.property('reason')
        .that.matches(/^node stand-in/);
    });

    it('tokens are verified at the node that received the request', async () => {
      const send = (authorization: string, body: object) =>
        nodes.call('/send-message', {
          method: 'POST',
          headers: { ...JSON_TYPE, authorization },
          body: JSON.stringify(body),
        });
      expect((await send('Bearer wrong', SEND)).status).to.equal(401);
      expect((await send(`Bearer ${SECRET}`, { ...SEND, clientId: 'other' })).status).to.equal(403);
      expect(holder.taken.requests).to.equal(0);
      expect((await send(`Bearer ${SECRET}`, SEND)).status).to.equal(200);
    });

    it('tokens are rejected when the request names no session, several, or an invalid one', async () => {
      for (const [path, body] of [
        ['/send-message', { to: 'Bob' }],
        ['/set-org-id?clientId=acme', { clientId: 'other', orgId: 'a' }],
        ['/send-message?clientId=ac-me', SEND],
        ['/set-org-id?clientId=acme', Object('acme')],
      ] as const) {
        expect((await nodes.post(path, body)).status, path).to.equal(400);
      }
      expect(holder.taken.requests).to.equal(0);
    });
  });

  describe('requests that claim to come from a node', () => {
    const from = 'id-of-another';
    const sign = (path: string, method = 'POST', to = entry.owners.self.nodeId, rights: Rights = {}) =>
      new NodeAuth(HOP_KEY, HOP_CLOCK).sign({ from, to, rights }, { method, path });
    const send = (hop: string) =>
      nodes.call('/send-message', {
        method: 'POST',
        headers: { ...JSON_TYPE, [HOP_HEADER]: hop },
        body: JSON.stringify(SEND),
      });

    it('node requests require a proof, and are forwarded with the proof of the forwarding node', async () => {
      const proofs = [
        'id-of-another',
        'id-of-another AAAA',
        sign('/qr?clientId=acme', 'GET'),
        new NodeAuth(new Uint8Array(32).fill(1), HOP_CLOCK).sign(
          { from, to: entry.owners.self.nodeId, rights: {} },
          { method: 'POST', path: '/send-message' },
        ),
      ];
      const seen: unknown[] = [];
      holder.api.server.ext('onPreHandler', ({ plugins, headers }, h) => {
        seen.push([plugins.hop?.from, headers[HOP_HEADER]]);
        return h.continue;
      });
      for (const proof of proofs) expect((await send(proof)).status).to.equal(200);
      expect(seen).to.deep.equal(proofs.map(() => [entry.owners.self.nodeId, undefined]));
    });

    it("node requests carry the caller's rights in place of its token", async () => {
      await holder.api.services.sessions.setApiSecret('acme', 'sixteen-characters');
      await entry.api.services.sessions.start('acme', {});
      await entry.api.services.sessions.setApiSecret('acme', 'sixteen-characters');
      const seen: unknown[] = [];
      holder.api.server.ext('onPreHandler', ({ plugins, headers, auth }, h) => {
        seen.push([
          plugins.hop?.rights,
          headers.authorization,
          headers['x-v3-secret'],
          auth.credentials.user,
        ]);
        return h.continue;
      });
      expect((await nodes.post('/send-message', SEND)).status).to.equal(200);
      const headers = { ...JSON_TYPE, authorization: '', 'x-v3-secret': 'sixteen-characters' };
      expect((await nodes.post('/send-message', SEND, { headers })).status).to.equal(200);
      const limited = { clientIds: ['acme'] };
      expect(seen).to.deep.equal([
        [{}, undefined, undefined, {}],
        [limited, undefined, undefined, limited],
      ]);
    });

    it('node requests have the rights in their proof, and no others', async () => {
      const call = (rights: Rights | undefined) =>
        fetch(`${entry.url}/set-org-id`, {
          method: 'POST',
          headers: {
            ...JSON_TYPE,
            [HOP_HEADER]: sign('/set-org-id', 'POST', entry.owners.self.nodeId, rights),
          },
          body: JSON.stringify({ clientId: 'acme', orgId: 'a' }),
        });
      expect((await call({ clientIds: ['other'] })).status).to.equal(403);
      expect((await call({ clientIds: [] })).status).to.equal(403);
      // `acme` is held by the other node, as a caller with the right to it learns
      expect((await call({ clientIds: ['acme'] })).status).to.equal(503);
    });

    it('node requests are accepted once, and only for a minute', async () => {
      const path = '/clients';
      const ask = (hop: string) => fetch(entry.url + path, { headers: { [HOP_HEADER]: hop } });
      const hop = sign(path, 'GET');
      expect((await ask(hop)).status).to.equal(200);
      expect((await ask(hop)).status, 'a second time').to.equal(401);
      const [early, late] = [sign(path, 'GET'), sign(path, 'GET')];
      await HOP_CLOCK.advance(60_000);
      expect((await ask(early)).status, 'after a minute').to.equal(200);
      await HOP_CLOCK.advance(1);
      expect((await ask(late)).status, 'after more than a minute').to.equal(401);
    });

    it('node requests are answered by the node that receives them, and not forwarded again', async () => {
      const answer = await send(sign('/send-message'));
      const { status, headers } = answer;
      expect([status, headers.get(NOT_HERE), headers.get('retry-after')]).to.deep.equal([
        503,
        'elsewhere',
        '1',
      ]);
      expect(await answer.json()).to.deep.equal({ error: 'session acme is not held by this node' });
      expect(holder.taken.requests).to.equal(0);
    });

    it('node requests are rejected on all routes when they are addressed to another node', async () => {
      for (const path of ['/clients', '/qr?clientId=acme', '/health/live']) {
        const hop = sign(path, 'GET', 'id-of-a-third');
        const { status, headers } = await nodes.call(path, { headers: { [HOP_HEADER]: hop } });
        expect([status, headers.get(NOT_HERE), headers.get('retry-after')]).to.deep.equal([
          503,
          'astray',
          '1',
        ]);
      }
      expect(entry.handled).to.deep.equal([]);
    });
  });
});

async function shown(answer: Response) {
  const headers = Object.fromEntries(answer.headers);
  delete headers.date;
  // ids that each node draws for itself
  const body = (await answer.text()).replaceAll(/3EB0[0-9A-F]{18}|[0-9A-Z]{26}|[0-9a-f-]{36}/g, '<id>');
  return { status: answer.status, headers, body };
}

async function answered(upload: ReturnType<typeof request>) {
  const [response]: IncomingMessage[] = await once(upload, 'response');
  if (!response) throw new Error('there was no answer');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** Whether a request with a full buffer drains within 300 ms; otherwise the server applies back-pressure. */
async function drains(upload: ReturnType<typeof request>): Promise<boolean> {
  const signal = AbortSignal.timeout(300);
  return once(upload, 'drain', { signal }).then(
    () => true,
    () => false,
  );
}
