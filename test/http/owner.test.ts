import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type RequestListener, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Request } from '@hapi/hapi';
import { expect } from 'chai';
import { HOP_HEADER, Hops } from '../../src/cluster/hops.js';
import type { PeerNode } from '../../src/cluster/owners.js';
import { GatewayError } from '../../src/domain/errors.js';
import { answeringServer } from './support/fake-cluster.js';
import { FakeSending } from './support/fake-services.js';
import { failedDelivery, rightRequest } from './support/right-requests.js';
import { ScriptedOwners } from './support/scripted-owners.js';
import { createTestServer, HOP_KEY, type TestServer, TOKEN } from './support/test-server.js';

const SEND = { clientId: 'acme', to: '+15550000002', body: 'Hello' };
const JSON_TYPE = { 'content-type': 'application/json' };
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
const MB = 1024 * 1024;
const NOT_HERE = 'x-switchboard-not-here';
/** How long a request waits between its looks for a node. */
const STEPS_MS = [100, 200, 300, 400, 500, 700, 800];

/** A node that listens, with what its handlers were given. */
interface Node {
  api: TestServer;
  owners: ScriptedOwners;
  url: string;
  handled: Handled[];
  /** Connections and requests that it has taken. */
  taken: { connections: number; requests: number };
}

interface Handled {
  method: string;
  path: string;
  query: object;
  payload: unknown;
  headers: Record<string, unknown>;
}

describe('requests for a session of another node', () => {
  let entry: Node;
  let holder: Node;
  const cleanup: (() => Promise<unknown>)[] = [];

  // servers are costly to make
  before(async () => {
    [entry, holder] = await Promise.all([createNode('entry'), createNode('holder')]);
  });

  beforeEach(async () => {
    for (const node of [entry, holder]) await reset(node);
    holder.owners.held.add('acme');
    await prepare(holder);
    entry.owners.script = (clientId) =>
      clientId === 'acme' ? { at: 'peer', node: holder.owners.self } : { at: 'nobody' };
  });

  afterEach(async () => {
    await Promise.all(cleanup.splice(0).map((end) => end()));
    for (const { owners } of [entry, holder]) expect(owners.underWay, owners.self.name).to.equal(0);
  });

  after(() => Promise.all([entry, holder].map(({ api }) => api.server.stop())));

  /** As it was at first, but for connections that are still open. */
  async function reset({ api, owners, handled, taken }: Node): Promise<void> {
    const { sessions, sending } = api.services;
    for (const { clientId } of sessions.views()) await sessions.disconnect(clientId);
    Object.assign(sending, new FakeSending(sessions));
    Object.assign(taken, { connections: 0, requests: 0 });
    api.registry.resetMetrics();
    owners.reset();
    handled.length = 0;
    api.lines.length = 0;
  }

  /** One more node, for one test. */
  async function anotherNode(name: string): Promise<Node> {
    const node = await createNode(name);
    cleanup.push(() => node.api.server.stop());
    return node;
  }

  async function createNode(name: string): Promise<Node> {
    const owners = new ScriptedOwners(name);
    const api = await createTestServer(owners);
    const handled: Handled[] = [];
    const taken = { connections: 0, requests: 0 };
    api.server.ext('onPreHandler', (request, h) => {
      handled.push(seenBy(request));
      return h.continue;
    });
    api.server.listener.on('connection', () => {
      taken.connections += 1;
    });
    api.server.listener.on('request', () => {
      taken.requests += 1;
    });
    await api.server.start();
    const url = api.server.info.uri;
    Object.assign(owners.self, { url });
    return { api, owners, url, handled, taken };
  }

  async function prepare({ api: { services } }: Node): Promise<void> {
    await services.sessions.start('acme', { webhookUrl: 'https://example.com' });
    services.deliveries.fail(failedDelivery('acme'));
  }

  /** A peer that is no node of ours, which is said to hold the session. */
  async function standIn(listener: RequestListener): Promise<void> {
    const { url, close } = await answeringServer(listener);
    cleanup.push(close);
    const node: PeerNode = { nodeId: 'id-of-stand-in', name: 'stand-in', url };
    entry.owners.script = () => ({ at: 'peer', node });
  }

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${entry.url}${path}`, { ...init, headers: { ...AUTHORIZED, ...init.headers } });

  const post = (path: string, body: object) =>
    call(path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });

  /** Lets as much time pass as a request waits at most. */
  async function outwait(): Promise<void> {
    for (const ms of STEPS_MS) {
      await entry.api.clock.scheduled(ms);
      entry.api.clock.advance(ms);
    }
  }

  async function expectRefusal(answer: Response, message: RegExp): Promise<void> {
    const body = await answer.json();
    expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect(Object.keys(Object(body))).to.deep.equal(['error']);
    expect(Reflect.get(Object(body), 'error')).to.match(message);
    expect(answer.headers.get(NOT_HERE)).to.equal(null);
  }

  const outcomes = async () => {
    const values = (await entry.api.registry.getSingleMetric('switchboard_forwarded_requests_total')?.get())
      ?.values;
    return Object.fromEntries((values ?? []).map(({ labels, value }) => [labels.outcome, value]));
  };

  describe('that come to it', () => {
    it('are answered as if they had come to its node, on every route', async () => {
      const direct = await anotherNode('holder');
      direct.owners.held.add('acme');
      await prepare(direct);
      const targets = entry.api.server.table().filter(({ settings }) => settings.app?.owner === 'session');
      expect(targets).to.have.length.greaterThan(30);
      for (const target of targets) {
        const { url, payload: body } = rightRequest(target, 'acme');
        const init = {
          method: target.method,
          headers: { ...AUTHORIZED, ...JSON_TYPE, 'x-own': 'kept' },
          body,
        };
        const [forwarded, own] = await Promise.all([
          fetch(entry.url + url, init),
          fetch(direct.url + url, init),
        ]);
        const [got, expected] = await Promise.all([shown(forwarded), shown(own)]);
        expect(got, target.path).to.deep.equal(expected);
        expect(got.status, target.path).to.equal(200);
        if (target.path === '/disconnect') await Promise.all([prepare(holder), prepare(direct)]);
      }
      expect(holder.handled).to.deep.equal(direct.handled);
      expect(holder.handled).to.have.lengthOf(targets.length);
      expect(entry.handled).to.deep.equal([]);
      expect(await outcomes()).to.deep.equal({ answered: targets.length });
      const lines = entry.api.lines.filter(({ msg }) => msg === 'request');
      expect(new Set(lines.map(({ node }) => node))).to.deep.equal(new Set(['holder']));
    });

    it('use a connection again', async () => {
      for (let i = 0; i < 20; i++) await (await post('/send-message', SEND)).json();
      expect(holder.handled).to.have.lengthOf(20);
      expect(holder.taken.connections).to.be.at.most(1);
    });

    it('come with what their bodies say, packed or not, and without a body when they have none', async () => {
      const packed = await call('/send-message', {
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
      const { status } = await call('/start?clientId=acme', { method: 'POST' });
      return { status, lengths };
    }

    it('are refused by its node as it does', async () => {
      const invalid = await post('/send-message', { clientId: 'acme' });
      expect([invalid.status, await invalid.json()]).to.deep.equal([
        400,
        { error: 'to is required. body is required' },
      ]);
      holder.api.services.sending.failure = new GatewayError(
        'send_rejected',
        'the network rejected it (463)',
      );
      const failed = await post('/send-message', SEND);
      expect([failed.status, await failed.json()]).to.deep.equal([
        502,
        { error: 'the network rejected it (463)' },
      ]);
    });

    it('bring an answer back as it is', async () => {
      const seen: IncomingHttpHeaders[] = [];
      await standIn((incoming, response) => {
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
      const answer = await call('/qr?clientId=acme', { headers });
      expect(answer.status).to.equal(206);
      expect(await answer.text()).to.equal('cde');
      const { range, etag } = {
        range: answer.headers.get('content-range'),
        etag: answer.headers.get('etag'),
      };
      expect([range, etag, answer.headers.get('x-more')]).to.deep.equal(['bytes 2-4/9', '"a"', 'kept']);
      expect(seen[0]).to.include({ ...headers, ...AUTHORIZED, 'x-forwarded-for': '127.0.0.1' });
      const head = await call('/qr?clientId=acme', { method: 'HEAD' });
      expect([head.status, head.headers.get('content-range')]).to.deep.equal([206, 'bytes 2-4/9']);
    });
  });

  describe('with a file', () => {
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

    it('come to its node while they are sent', async () => {
      const spooled = new Promise<string>((resolve) => {
        const { spool } = holder.api.services.sending;
        holder.api.services.sending.spool = (stream) => {
          stream.once('data', (first: Buffer) => resolve(first.toString('utf8', 0, 5)));
          return spool.call(holder.api.services.sending, stream);
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
      const [file] = holder.api.services.sending.files;
      expect(file?.source.length).to.equal('first'.length + 4 * MB);
      expect(file?.idempotencyKey).to.equal('once');
    });

    it('are read no faster than its node reads them', async () => {
      const body = deferred<string>();
      let go: () => void = () => undefined;
      await standIn((incoming, response) => {
        go = () => void text(incoming).then(body.resolve, body.reject);
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

    it('go by the body when that is JSON', async () => {
      const { status } = await post(PATH, {
        clientId: 'acme',
        to: '+15550000002',
        downloadUrl: 'https://example.com/a.pdf',
      });
      expect(status).to.equal(200);
      expect(holder.api.services.sending.files[0]?.source).to.equal('https://example.com/a.pdf');
      expect(entry.handled).to.deep.equal([]);
    });

    it('are not sent a second time', async () => {
      let requests = 0;
      await standIn((incoming, response) => {
        requests += 1;
        incoming
          .resume()
          .once('end', () => response.writeHead(503, { [NOT_HERE]: '1' }).end('{"error":"no"}'));
      });
      const upload = begin();
      upload.end(`${HEAD}a${TAIL}`);
      const { status, body, headers } = await answered(upload);
      expect([status, headers['retry-after'], requests]).to.deep.equal([503, '1', 1]);
      expect(JSON.parse(body).error).to.match(
        /^session acme is on its way to another node: nothing was done/,
      );
    });

    it('wait whole for a node that takes no connection yet', async () => {
      const absent = await deadNode();
      let looks = 0;
      entry.owners.script = () => ({ at: 'peer', node: looks++ === 0 ? absent : holder.owners.self });
      const upload = begin();
      upload.end(`${HEAD}${'a'.repeat(MB)}${TAIL}`);
      await entry.api.clock.scheduled(100);
      entry.api.clock.advance(100);
      expect((await answered(upload)).status).to.equal(200);
      expect(holder.api.services.sending.files[0]?.source.length).to.equal(MB);
    });
  });

  describe('whose node is not what it was', () => {
    it('are tried again where it says that it does not hold the session', async () => {
      const stale = await anotherNode('stale');
      let looks = 0;
      entry.owners.script = () => ({ at: 'peer', node: (looks++ < 2 ? stale : holder).owners.self });
      const answer = post('/send-message', SEND);
      for (const ms of STEPS_MS.slice(0, 2)) {
        await entry.api.clock.scheduled(ms);
        entry.api.clock.advance(ms);
      }
      expect((await answer).status).to.equal(200);
      expect(holder.api.services.sending.sent).to.have.lengthOf(1);
      expect(stale.handled).to.deep.equal([]);
      expect(await outcomes()).to.deep.equal({ elsewhere: 2, answered: 1 });
      // what was found is forgotten before each new look
      expect(entry.owners.calls.join(' ')).to.match(/^find (distrust )+find (distrust )+find$/);
    });

    it('are never passed on twice: two nodes that each take the other for it answer soon', async () => {
      holder.owners.held.clear();
      holder.owners.script = () => ({ at: 'peer', node: entry.owners.self });
      const answer = post('/send-message', SEND);
      await outwait();
      await expectRefusal(await answer, /^session acme is on its way to another node/);
      expect(await outcomes()).to.deep.equal({ elsewhere: STEPS_MS.length + 1 });
      expect(entry.api.lines.filter(({ msg }) => msg === 'request')).to.have.lengthOf(1);
    });

    it('are answered soon when it takes no connections', async () => {
      const node = await deadNode();
      entry.owners.script = () => ({ at: 'peer', node });
      const answer = post('/send-message', SEND);
      await outwait();
      await expectRefusal(
        await answer,
        /^node dead, which holds session acme, cannot be reached: nothing was done/,
      );
    });

    it('are not tried again when it is lost on the way', async () => {
      let requests = 0;
      await standIn((incoming) => {
        requests += 1;
        incoming.socket.destroy();
      });
      await expectRefusal(
        await post('/send-message', SEND),
        /may have been done or not; repeat it.*Idempotency-Key/,
      );
      expect(requests).to.equal(1);
      expect(await outcomes()).to.deep.equal({ cut_off: 1 });
    });

    it('break off where it breaks off', async () => {
      await standIn((_incoming, response) => {
        response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
      });
      const answer = await call('/qr?clientId=acme');
      expect(await answer.text().catch((error: unknown) => error)).to.be.instanceOf(Error);
    });

    it('are given up when another has the session while it stands still', async () => {
      const arrived = deferred<void>();
      await standIn(() => arrived.resolve());
      const answer = post('/send-message', SEND);
      await arrived.promise;
      entry.owners.script = () => ({ at: 'peer', node: holder.owners.self });
      for (let looks = 0; looks < 3; looks++) {
        await entry.api.clock.scheduled(2_000);
        entry.api.clock.advance(2_000);
      }
      await expectRefusal(await answer, /^node stand-in was lost before it answered/);
    });
  });

  describe('that nobody holds', () => {
    beforeEach(() => {
      entry.owners.script = () => ({ at: 'nobody' });
    });

    it('wait for the node that will', async () => {
      entry.owners.known.add('acme');
      const answer = post('/send-message', SEND);
      await entry.api.clock.scheduled(100);
      entry.owners.script = () => ({ at: 'moving' });
      entry.api.clock.advance(100);
      await entry.api.clock.scheduled(200);
      entry.owners.script = () => ({ at: 'peer', node: holder.owners.self });
      entry.api.clock.advance(200);
      expect((await answer).status).to.equal(200);
    });

    it('do not wait for long', async () => {
      entry.owners.known.add('acme');
      const answer = post('/send-message', SEND);
      await outwait();
      await expectRefusal(await answer, /^session acme is on its way to another node/);
      expect(entry.handled).to.deep.equal([]);
    });

    it('are answered 404 when there is no such session', async () => {
      expect((await post('/send-message', SEND)).status).to.equal(404);
    });

    it('make it where they come to, when they start it', async () => {
      entry.owners.takes = () => true;
      const answer = await call('/start?clientId=acme', { method: 'POST' });
      expect(await answer.json()).to.include({ podName: 'entry' });
      expect(entry.owners.entered).to.equal(1);
    });

    it('start it where somebody was quicker', async () => {
      entry.owners.takes = () => {
        entry.owners.script = () => ({ at: 'peer', node: holder.owners.self });
        return false;
      };
      const answer = await call('/start?clientId=acme', { method: 'POST' });
      expect(await answer.json()).to.include({ podName: 'holder' });
    });

    it('start it on another node when theirs takes no more', async () => {
      entry.owners.peers = [holder.owners.self];
      holder.owners.takes = () => true;
      const answer = await call('/start?clientId=fresh', { method: 'POST' });
      expect(await answer.json()).to.include({ clientId: 'fresh', podName: 'holder' });
    });

    it('say so while the store does not answer', async () => {
      entry.owners.failure = new GatewayError('store_unavailable', 'the store cannot be reached');
      await expectRefusal(await post('/send-message', SEND), /^the store cannot be reached$/);
    });
  });

  describe('and who may ask for it', () => {
    const SECRET = 'secret-of-the-session';

    beforeEach(async () => {
      for (const { api } of [entry, holder]) {
        await api.services.sessions.start('acme', {});
        await api.services.sessions.setApiSecret('acme', SECRET);
      }
    });

    it('are refused where they come to', async () => {
      const send = (authorization: string, body: object) =>
        call('/send-message', {
          method: 'POST',
          headers: { ...JSON_TYPE, authorization },
          body: JSON.stringify(body),
        });
      expect((await send('Bearer wrong', SEND)).status).to.equal(401);
      expect((await send(`Bearer ${SECRET}`, { ...SEND, clientId: 'other' })).status).to.equal(403);
      expect(holder.taken.requests).to.equal(0);
      expect((await send(`Bearer ${SECRET}`, SEND)).status).to.equal(200);
    });

    it('stay where they come to when they name none, several, or nothing that could be one', async () => {
      for (const [path, body] of [
        ['/send-message', { to: 'Bob' }],
        ['/set-org-id?clientId=acme', { clientId: 'other', orgId: 'a' }],
        ['/send-message?clientId=ac-me', SEND],
        ['/set-org-id?clientId=acme', Object('acme')],
      ] as const) {
        expect((await post(path, body)).status, path).to.equal(400);
      }
      expect(holder.taken.requests).to.equal(0);
    });
  });

  describe('that say to come from a node', () => {
    const hops = new Hops(HOP_KEY);
    const sign = (path: string, method = 'POST', to = entry.owners.self.nodeId) =>
      hops.sign('id-of-another', { method, path, to });
    const send = (hop: string) =>
      call('/send-message', {
        method: 'POST',
        headers: { ...JSON_TYPE, [HOP_HEADER]: hop },
        body: JSON.stringify(SEND),
      });

    it('are not believed without proof, and passed on with the proof of the node that does', async () => {
      const proofs = [
        'id-of-another',
        'id-of-another AAAA',
        sign('/qr?clientId=acme', 'GET'),
        sign('/send-message', 'POST', 'id-of-a-third'),
        new Hops(new Uint8Array(32).fill(1)).sign('id-of-another', {
          method: 'POST',
          path: '/send-message',
          to: entry.owners.self.nodeId,
        }),
      ];
      const from: unknown[] = [];
      holder.api.server.ext('onPreHandler', ({ plugins, headers }, h) => {
        from.push([plugins.hop?.from, headers[HOP_HEADER]]);
        return h.continue;
      });
      for (const proof of proofs) expect((await send(proof)).status).to.equal(200);
      expect(from).to.deep.equal(proofs.map(() => [entry.owners.self.nodeId, undefined]));
    });

    it('are answered there or not at all', async () => {
      const answer = await send(sign('/send-message'));
      expect([answer.status, answer.headers.get(NOT_HERE), answer.headers.get('retry-after')]).to.deep.equal([
        503,
        '1',
        '1',
      ]);
      expect(await answer.json()).to.deep.equal({ error: 'session acme is not held by this node' });
      expect(holder.taken.requests).to.equal(0);
    });
  });

  describe('whose caller goes away', () => {
    /** Resolves when a request of a node is answered, or given up. */
    const response = ({ api }: Node) =>
      new Promise<void>((resolve) => {
        api.server.events.once('response', () => resolve());
      });

    for (const [what, path, init] of [
      ['without a body', '/qr?clientId=acme', {}],
      ['with one', '/send-message', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(SEND) }],
    ] as const) {
      it(`leave their node, ${what}`, async () => {
        const arrived = deferred<IncomingMessage>();
        await standIn((incoming) => arrived.resolve(incoming));
        const caller = new AbortController();
        const answer = call(path, { ...init, signal: caller.signal });
        const { socket } = await arrived.promise;
        const [left, responded] = [once(socket, 'close'), response(entry)];
        caller.abort();
        expect(await answer.catch((error: unknown) => error)).to.be.instanceOf(Error);
        await Promise.all([left, responded]);
        while (Object.keys(await outcomes()).length === 0) await setImmediate();
        expect(await outcomes()).to.deep.equal({ left: 1 });
        const [line] = entry.api.lines.filter(({ msg }) => msg === 'request');
        expect(line).to.include({ status: 499, node: 'stand-in' });
        expect(entry.api.lines.filter(({ level }) => level === 'warn')).to.deep.equal([]);
      });
    }

    it('are under way on it until their work is done', async () => {
      const [began, done] = [deferred<void>(), deferred<void>()];
      holder.api.services.chats.setTyping = async () => {
        began.resolve();
        await done.promise;
      };
      const caller = new AbortController();
      const answer = fetch(`${holder.url}/send-typing`, {
        method: 'POST',
        headers: { ...AUTHORIZED, ...JSON_TYPE },
        body: JSON.stringify({ clientId: 'acme', to: '+15550000002' }),
        signal: caller.signal,
      });
      await began.promise;
      caller.abort();
      expect(await answer.catch((error: unknown) => error)).to.be.instanceOf(Error);
      expect(holder.owners.underWay).to.equal(1);
      const responded = response(holder);
      done.resolve();
      await responded;
    });

    it('wait for nobody', async () => {
      entry.owners.script = () => ({ at: 'moving' });
      const caller = new AbortController();
      const answer = call('/qr?clientId=acme', { signal: caller.signal });
      await entry.api.clock.scheduled(100);
      const responded = response(entry);
      caller.abort();
      expect(await answer.catch((error: unknown) => error)).to.be.instanceOf(Error);
      await responded;
      expect(entry.api.clock.pending()).to.deep.equal([]);
    });
  });

  /** A node at an address where nobody listens. */
  async function deadNode(): Promise<PeerNode> {
    const { url, close } = await answeringServer(() => undefined);
    await close();
    return { nodeId: 'id-of-dead', name: 'dead', url };
  }
});

/** What a handler finds on a request, without what each connection has of its own. */
function seenBy({ method, path, query, payload, headers }: Request): Handled {
  const own = Object.entries(headers).filter(
    ([name]) => !/^(host|connection|content-length|transfer-encoding|x-forwarded-.*)$/.test(name),
  );
  return { method, path, query: { ...query }, payload, headers: Object.fromEntries(own) };
}

async function shown(answer: Response) {
  const headers = Object.fromEntries(answer.headers);
  delete headers.date;
  return { status: answer.status, headers, body: await answer.text() };
}

async function answered(upload: ReturnType<typeof request>) {
  const [response]: IncomingMessage[] = await once(upload, 'response');
  if (!response) throw new Error('there was no answer');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** Whether a request whose buffer is full can go on; one that cannot for a while is held back. */
async function drains(upload: ReturnType<typeof request>): Promise<boolean> {
  const signal = AbortSignal.timeout(300);
  return once(upload, 'drain', { signal }).then(
    () => true,
    () => false,
  );
}

interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((whenResolved, whenRejected) => {
    resolve = whenResolved;
    reject = whenRejected;
  });
  return { promise, resolve, reject };
}
