import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { LIMITS } from '../../../src/domain/limits.js';
import { TenantThrottle } from '../../../src/gateway/http/tenant-throttle.js';
import { ManualClock } from '../../support/manual-clock.js';
import { type EventListener, openEvents } from './support/event-nodes.js';
import {
  type Answer,
  closeServers,
  createTestServer,
  type TestServer,
  TOKEN,
} from './support/test-server.js';

const SECRET = 'secret-of-acme-0123456789';
const OTHER_SECRET = 'secret-of-other-0123456789';
const SEND = { clientId: 'acme', to: '+15550000002', body: 'Hello' };

describe('misuse of the API', () => {
  let api: TestServer;
  let streams: EventListener[];

  beforeEach(async () => {
    streams = [];
    api = await createTestServer();
    for (const [clientId, secret] of Object.entries({ acme: SECRET, other: OTHER_SECRET })) {
      await api.connect(clientId);
      await api.services.sessions.setApiSecret(clientId, secret);
    }
    await api.server.start();
  });

  afterEach(async () => {
    for (const { response } of streams) response.destroy();
    await closeServers();
  });

  const refusal = ({ status, headers, body }: Answer) => ({
    status,
    code: headers['x-sn-error'],
    retryAfter: headers['retry-after'],
    error: body.error,
  });

  async function figure(name: string): Promise<number> {
    const line = (await api.registry.metrics()).split('\n').find((text) => text.startsWith(name));
    return Number(line?.split(' ').at(-1));
  }

  describe('live streams', () => {
    async function open(token: string): Promise<EventListener> {
      const stream = await openEvents(`${api.server.info.uri}/events`, { authorization: `Bearer ${token}` });
      streams.push(stream);
      return stream;
    }

    it('are limited for each secret, and other secrets keep their own streams', async () => {
      for (let count = 0; count < LIMITS.streamsOfSecret; count++) await open(SECRET);
      expect(refusal(await api.get('/events', { token: SECRET }))).to.deep.equal({
        status: 429,
        code: 'too_many_streams',
        retryAfter: '1',
        error: 'this token has 16 live streams open; close one of them',
      });
      expect((await open(OTHER_SECRET)).response.statusCode).to.equal(200);
      expect((await open(TOKEN)).response.statusCode).to.equal(200);
      expect(await figure('switchboard_event_streams')).to.equal(LIMITS.streamsOfSecret + 2);
      expect(await figure('switchboard_http_refused_total{code="too_many_streams"}')).to.equal(1);
    });

    it('are refused with a delay to a secret that keeps asking, and at once to another secret', async () => {
      for (let count = 0; count < LIMITS.streamsOfSecret; count++) await open(SECRET);
      const ask = () => api.get('/events', { token: SECRET });
      for (let count = 0; count < LIMITS.refusalsAtOnce; count++) expect((await ask()).status).to.equal(429);
      const held = ask();
      for (let count = 0; count < LIMITS.streamsOfSecret; count++) await open(OTHER_SECRET);
      const first = await Promise.race([
        held.then(() => 'the held one'),
        api.get('/events', { token: OTHER_SECRET }).then(({ status }) => status),
      ]);
      expect(first).to.equal(429);
      expect(await figure('switchboard_http_refusals_held')).to.equal(1);
      api.clock.advance(LIMITS.refusalDelayMs);
      expect(refusal(await held)).to.include({ status: 429, code: 'too_many_streams', retryAfter: '1' });
      api.clock.advance(10_000);
      expect((await ask()).status).to.equal(429);
    });

    it('make room for the next stream when they end', async () => {
      for (let count = 0; count < LIMITS.streamsOfSecret; count++) await open(SECRET);
      const answered = api.server.events.once('response');
      streams[0]?.response.destroy();
      await answered;
      expect((await open(SECRET)).response.statusCode).to.equal(200);
    });

    it('are limited for each node, with a reserve for the operator', async () => {
      const sessions = Math.ceil(LIMITS.streamsOfNode / LIMITS.streamsOfSecret);
      for (let number = 0; number < sessions; number++) {
        await api.services.sessions.start(`tenant${number}`, {});
        await api.services.sessions.setApiSecret(`tenant${number}`, `${SECRET}-${number}`);
        const all = Array.from({ length: LIMITS.streamsOfSecret }, () => open(`${SECRET}-${number}`));
        await Promise.all(all);
      }
      const refused = refusal(await api.get('/events', { token: OTHER_SECRET }));
      expect(refused).to.include({ status: 503, code: 'streams_full', retryAfter: '1' });
      expect((await open(TOKEN)).response.statusCode).to.equal(200);
    });

    it('are cut off when entries wait and the reader reads nothing for a while', async () => {
      const socket = connect(Number(api.server.info.port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SECRET}\r\n\r\n`);
      await once(socket, 'readable');
      // the system takes the first megabytes
      while ((await figure('switchboard_event_streams_waiting_bytes')) === 0) {
        const at = new Date(api.clock.now()).toISOString();
        const entry = { kind: 'dropped', at, clientId: 'acme', deliveryId: 'd1', type: 'text' } as const;
        api.tail.publish({ ...entry, reason: 'x'.repeat(50_000) });
        await new Promise((resolve) => setImmediate(resolve));
      }
      const answered = api.server.events.once('response');
      api.clock.advance(15_000);
      api.clock.advance(15_000);
      await answered;
      expect(await figure('switchboard_event_streams_waiting_bytes')).to.equal(0);
      expect(await figure('switchboard_event_streams_cut_total')).to.equal(1);
      socket.destroy();
    });
  });

  describe('requests in flight', () => {
    it('are limited for each secret, and other secrets keep their own limit', async () => {
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const { sending } = api.services;
      const send = sending.send.bind(sending);
      let begun = 0;
      sending.send = async (...order) => {
        begun += 1;
        await released;
        return send(...order);
      };
      const all = Array.from({ length: LIMITS.requestsOfSecret }, () =>
        api.post('/send-message', SEND, { token: SECRET }),
      );
      await until(() => begun === LIMITS.requestsAheadOfSecret);
      api.clock.advance(2_000);
      await until(() => begun === LIMITS.requestsOfSecret);
      const inFlight = (kind: string) => figure(`switchboard_http_requests_in_flight{credential="${kind}"}`);
      expect([await inFlight('secret'), await inFlight('master'), await inFlight('none')]).to.deep.equal([
        LIMITS.requestsOfSecret,
        0,
        0,
      ]);
      expect(refusal(await api.post('/send-message', SEND, { token: SECRET }))).to.deep.equal({
        status: 429,
        code: 'too_many_requests',
        retryAfter: '1',
        error: 'this secret has 128 requests in flight; wait for their answers',
      });
      expect((await api.get('/clients', { token: OTHER_SECRET })).status).to.equal(200);
      expect((await api.get('/clients')).status).to.equal(200);
      release();
      for (const { status } of await Promise.all(all)) expect(status).to.equal(200);
      await until(async () => (await inFlight('secret')) === 0);
      expect((await api.post('/send-message', SEND, { token: SECRET })).status).to.equal(200);
    });
  });

  describe('many requests', () => {
    const ask = (token: string) => api.get('/clients', { token });

    it('are spread over time for each secret, and the requests of other secrets are not delayed', async () => {
      const { requestsAheadOfSecret: ahead, requestsPerSecondOfSecret: perSecond } = LIMITS;
      for (let index = 0; index < ahead; index++) expect((await ask(SECRET)).status).to.equal(200);
      let answered = 0;
      const late = Array.from({ length: 4 }, () => ask(SECRET).then(() => answered++));
      for (let index = 0; index < 2 * ahead; index++) expect((await ask(TOKEN)).status).to.equal(200);
      expect((await ask(OTHER_SECRET)).status).to.equal(200);
      expect(answered).to.equal(0);
      for (let turn = 1; turn <= late.length; turn++) {
        // requests leave time to others for some turns of the event loop: a clock that moves meanwhile shows a busy node
        for (let passed = 0; passed < 64; passed++) await new Promise((resolve) => setImmediate(resolve));
        api.clock.advance(1_000 / perSecond);
        await until(() => answered === turn);
      }
      await Promise.all(late);
    });

    it('begin one after another when they arrive at once, and requests of other secrets begin in between', async () => {
      const throttle = new TenantThrottle(api.clock);
      const begun: string[] = [];
      const begin = (secret: string) =>
        throttle.begin(secret, 0, new AbortController().signal).then(() => begun.push(secret));
      const all = [begin('greedy'), begin('greedy'), begin('greedy'), begin('other')];
      await all[3];
      expect(begun).to.deep.equal(['greedy', 'other']);
      await all[1];
      const late = begin('other');
      await late;
      expect(begun).to.deep.equal(['greedy', 'other', 'greedy', 'other']);
      await Promise.all(all);
      expect(begun.at(-1)).to.equal('greedy');
    });

    it('begin later on a node that is busy with another caller', async () => {
      let time = 0;
      const timers = new ManualClock();
      // each look at the clock shows a later time, as if the turns of the event loop took long
      const clock = { now: () => time, monotonic: () => ++time, after: timers.after.bind(timers) };
      const begun: string[] = [];
      const beginAt = (throttle: TenantThrottle, secret: string) =>
        throttle.begin(secret, 0, new AbortController().signal).then(() => begun.push(secret));
      const idle = new TenantThrottle(clock);
      await Promise.all([beginAt(idle, 'alone'), beginAt(idle, 'alone'), beginAt(idle, 'alone')]);
      expect(timers.pending()).to.deep.equal([]);
      const busy = new TenantThrottle(clock);
      busy.note();
      const all = [beginAt(busy, 'greedy'), beginAt(busy, 'greedy')];
      await until(() => timers.pending().length === 1);
      await beginAt(busy, 'other');
      expect(begun).to.deep.equal(['alone', 'alone', 'alone', 'greedy', 'other']);
      timers.advance(75);
      await Promise.all(all);
      expect(begun.at(-1)).to.equal('greedy');
    });

    it('wait for the bytes that their secret has already sent', async () => {
      const url = `${api.server.info.uri}/send-message`;
      const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ ...SEND, metaData: { text: 'x'.repeat(1_000_000) } });
      // each counts as two requests, and 32 may come at once
      for (let index = 0; index < 16; index++) {
        const response = await fetch(url, { method: 'POST', headers, body });
        await response.arrayBuffer();
      }
      const late = ask(SECRET);
      const first = await Promise.race([late.then(() => 'it'), ask(OTHER_SECRET).then(() => 'the other')]);
      expect(first).to.equal('the other');
      api.clock.advance(1_000);
      expect((await late).status).to.equal(200);
    });
  });

  describe('wrong tokens', () => {
    const guess = (remoteAddress: string) =>
      api.server.inject({ url: '/clients', remoteAddress, headers: { authorization: 'Bearer wrong' } });

    it('are delayed after some attempts, and refused when many wait, while right tokens from the same address are not', async () => {
      const address = '192.0.2.1';
      for (let count = 0; count < LIMITS.wrongTokensAtOnce; count++) {
        expect((await guess(address)).statusCode).to.equal(401);
      }
      const held = Array.from({ length: LIMITS.wrongTokensDelayed }, () => guess(address));
      const refused = await guess(address);
      expect(await figure('switchboard_http_wrong_tokens_held')).to.equal(LIMITS.wrongTokensDelayed);
      expect([
        refused.statusCode,
        refused.headers['x-sn-error'],
        refused.headers['retry-after'],
      ]).to.deep.equal([429, 'too_many_attempts', '1']);
      const right = await api.server.inject({
        url: '/clients',
        remoteAddress: address,
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      expect(right.statusCode).to.equal(200);
      expect((await guess('192.0.2.2')).statusCode).to.equal(401);
      api.clock.advance(LIMITS.wrongTokenDelayMs);
      for (const { statusCode } of await Promise.all(held)) expect(statusCode).to.equal(401);
    });

    it('are refused from everywhere while the node delays many', async () => {
      const addresses = LIMITS.wrongTokensDelayedOfNode / LIMITS.wrongTokensDelayed;
      const all = Array.from({ length: addresses }, (_, at) =>
        Array.from({ length: LIMITS.wrongTokensAtOnce + LIMITS.wrongTokensDelayed }, () =>
          guess(`192.0.2.${at}`),
        ),
      ).flat();
      const others = Array.from({ length: LIMITS.wrongTokensAtOnce + 1 }, () => guess('198.51.100.1'));
      const statuses = (await Promise.all(others)).map(({ statusCode }) => statusCode);
      expect(statuses).to.deep.equal([...Array(LIMITS.wrongTokensAtOnce).fill(401), 429]);
      api.clock.advance(LIMITS.wrongTokenDelayMs);
      for (const { statusCode } of await Promise.all(all)) expect(statusCode).to.equal(401);
    });

    it('are counted for a whole IPv6 network, and forgotten after a minute', async () => {
      for (let count = 0; count < LIMITS.wrongTokensAtOnce; count++) await guess(`2001:db8::${count + 1}`);
      const held = guess('2001:db8::ffff');
      expect((await guess('2001:db8:0:1::1')).statusCode).to.equal(401);
      api.clock.advance(LIMITS.wrongTokenDelayMs);
      expect((await held).statusCode).to.equal(401);
      api.clock.advance(60_000);
      expect((await guess('2001:db8::1')).statusCode).to.equal(401);
    });
  });

  describe('an upload without a valid token', () => {
    it('is answered and closed while the client still sends', async () => {
      const upload = begin();
      upload.on('error', () => undefined);
      const closed = once(upload, 'close');
      const [response]: IncomingMessage[] = await once(upload, 'response');
      expect(response?.statusCode).to.equal(401);
      expect(response?.headers.connection).to.equal('close');
      await closed;
    });

    /** Sends a little of an endless form now and then. */
    function begin(): ClientRequest {
      const upload = request(`${api.server.info.uri}/send-media-message?clientId=acme`, {
        method: 'POST',
        headers: { authorization: 'Bearer wrong', 'content-type': 'multipart/form-data; boundary=x' },
      });
      const timer = setInterval(() => upload.write('x'.repeat(100)), 100);
      upload.once('close', () => clearInterval(timer));
      upload.write('--x\r\n');
      return upload;
    }
  });

  describe('pages of other sites', () => {
    const from = (headers: Record<string, string>, token: string | null = TOKEN) =>
      api.call('POST', '/send-message', {
        token,
        headers: { 'content-type': 'application/json', ...headers },
        payload: JSON.stringify(SEND),
      });

    it('cannot send, while programs and the gateway’s own pages can', async () => {
      expect(refusal(await from({ 'sec-fetch-site': 'cross-site' }))).to.include({
        status: 403,
        code: 'cross_site',
      });
      for (const site of ['same-origin', 'none']) {
        expect((await from({ 'sec-fetch-site': site })).status, site).to.equal(200);
      }
      expect((await from({})).status).to.equal(200);
    });

    it('cannot send a body without a Content-Type', async () => {
      for (const [name, value] of [
        ['sec-fetch-site', 'same-origin'],
        ['origin', 'http://evil.example'],
      ] as const) {
        const answer = await from({ [name]: value, 'content-type': '' });
        expect([answer.status, answer.headers['x-sn-error']]).to.deep.equal([
          415,
          'content_type_unsupported',
        ]);
      }
    });

    it('cannot use the password that a browser remembers', async () => {
      const authorization = `Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}`;
      const status = async (headers: Record<string, string>) =>
        (await from({ authorization, ...headers }, null)).status;
      expect(await status({})).to.equal(401);
      expect(await status({ 'sec-fetch-site': 'same-origin' })).to.equal(401);
      expect(await status({ origin: 'http://evil.example' })).to.equal(401);
    });

    it('cannot read open routes under a host name that resolves to loopback', async () => {
      const read = (host: string, path = '/health/clients') =>
        api.get(path, { token: null, headers: { host } });
      expect(refusal(await read('rebind.evil.example:3000'))).to.deep.equal({
        status: 403,
        code: 'host_unknown',
        retryAfter: undefined,
        error:
          'rebind.evil.example is not a known name of this service; if it is one, set --public-url http://rebind.evil.example',
      });
      for (const path of ['/health/live', '/health/ready', '/pair/a-one-time-address']) {
        expect((await read('evil.example', path)).status, path).to.equal(403);
      }
      const own = ['127.0.0.1:3000', '10.1.2.3', '[::1]:3000', 'localhost', 'LOCALHOST:3000', 'a.localhost'];
      for (const host of [...own, 'gateway.example.com', 'node-1.internal:3000']) {
        expect((await read(host)).status, host).to.equal(200);
      }
      expect((await api.get('/clients', { headers: { host: 'evil.example' } })).status).to.equal(200);
    });
  });

  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
