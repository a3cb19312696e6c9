import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { ConnectionLimit } from '../../../src/domain/connection-limit.js';
import { LIMITS } from '../../../src/domain/limits.js';
import { until } from '../../support/until.js';
import { createTestServer, type TestServer } from './support/test-server.js';

const LIMIT = 3;
const SECRET = 'secret-of-acme-0123456789';

describe('connections to the API', () => {
  let api: TestServer;
  const sockets: Socket[] = [];

  before(async () => {
    api = await createTestServer({ connectionsPerAddress: LIMIT });
    await api.connect();
    await api.services.sessions.setApiSecret('acme', SECRET);
    await api.server.start();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(
      'the end of all connections',
      async () => (await figure('switchboard_http_connections')) === 0,
    );
  });
  after(() => api.close());

  async function figure(name: string): Promise<number> {
    const line = (await api.registry.metrics()).split('\n').find((text) => text.startsWith(`${name} `));
    return Number(line?.split(' ').at(-1));
  }

  /** A new connection, after it has sent a text. */
  function begin(text: string): Socket {
    const { port }: AddressInfo = Object(api.server.listener.address());
    const socket = connect({ host: '127.0.0.1', port });
    sockets.push(socket.on('error', () => undefined));
    socket.write(text);
    return socket;
  }

  /** The first line of the answer; empty when the connection is closed without one. */
  const answer = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket.once('data', (chunk) => resolve(String(chunk).split('\r\n', 1)[0] ?? ''));
      socket.once('close', () => resolve(''));
    });

  const ask = () => answer(begin('GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'));

  it('are closed at once when one address has too many, while its others stay open', async () => {
    for (let count = 0; count < LIMIT; count++) expect(await ask()).to.equal('HTTP/1.1 200 OK');
    expect(await ask()).to.equal('');
    expect(await figure('switchboard_http_connections')).to.equal(LIMIT);
    expect(await figure('switchboard_http_connections_refused_total')).to.equal(1);
    sockets[0]?.destroy();
    await until('a place for a connection', async () => (await ask()) === 'HTTP/1.1 200 OK');
  });

  it('are counted for each IPv4 address and each IPv6 network, and are not counted without a limit', () => {
    const limit = new ConnectionLimit(1);
    const leave = limit.enter('192.0.2.1');
    expect([limit.enter('192.0.2.1'), limit.enter('::ffff:192.0.2.1')]).to.deep.equal([undefined, undefined]);
    expect([limit.enter('192.0.2.2'), limit.enter('2001:db8::1')]).to.not.include(undefined);
    expect(limit.enter('2001:db8::2')).to.equal(undefined);
    expect(limit.enter('2001:db8:0:1::2')).to.be.a('function');
    leave?.();
    expect(limit.enter('192.0.2.1')).to.be.a('function');
    const unlimited = new ConnectionLimit(0);
    expect([unlimited.enter('192.0.2.1'), unlimited.enter('192.0.2.1')]).to.not.include(undefined);
  });

  it('are refused before the body of the request has arrived', async () => {
    const post = (token: string) =>
      answer(
        begin(
          `POST /send-message HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
            'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
        ),
      );
    expect(await post('wrong')).to.equal('HTTP/1.1 401 Unauthorized');
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { sending } = api.services;
    const send = sending.send.bind(sending);
    sending.send = async (...order) => {
      await released;
      return send(...order);
    };
    const body = { clientId: 'acme', to: '+15550000002', body: 'Hello' };
    const all = Array.from({ length: LIMITS.requestsOfSecret }, () =>
      api.post('/send-message', body, { token: SECRET }),
    );
    const inFlight = 'switchboard_http_requests_in_flight{credential="secret"}';
    await until('the requests in flight', async () => (await figure(inFlight)) === LIMITS.requestsOfSecret);
    expect(await post(SECRET)).to.equal('HTTP/1.1 429 Too Many Requests');
    release();
    await until('the pace of a secret', async () => {
      api.clock.advance(1_000);
      return (await figure(inFlight)) === 0;
    });
    await Promise.all(all);
  });
});
