import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Address, Router } from '../../../../src/gateway/cluster/workers/router.js';
import { createLog } from '../../../../src/gateway/log.js';
import { freePort } from '../../../support/tcp-proxy.js';
import { until } from '../../../support/until.js';

/** A worker as far as the router knows one: it listens. */
interface Listener {
  address: Address;
  server: Server;
  accepted: Socket[];
}

describe('the router in front of workers', () => {
  const listeners: Listener[] = [];
  let living: Address[] = [];
  let router: Router;
  let url: URL;

  beforeEach(async () => {
    router = new Router(() => living, createLog({ level: 'silent', pretty: false }));
    url = new URL(await router.listen('127.0.0.1', 0));
  });
  afterEach(() => {
    router.close();
    for (const { server, accepted } of listeners.splice(0)) {
      server.close();
      for (const socket of accepted) socket.destroy();
    }
    living = [];
  });

  async function listener(serve: (socket: Socket) => void): Promise<Listener> {
    const accepted: Socket[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      accepted.push(socket.on('error', () => undefined));
      serve(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port }: AddressInfo = Object(server.address());
    const made = { address: { host: '127.0.0.1', port }, server, accepted };
    listeners.push(made);
    living.push(made.address);
    return made;
  }

  const client = (options: { allowHalfOpen?: boolean } = {}) =>
    connect({ host: url.hostname, port: Number(url.port), ...options });

  it('closes connections beyond the limit of one address at once, and takes new ones when others have ended', async () => {
    const bounded = new Router(() => living, createLog({ level: 'silent', pretty: false }), 2);
    const { port } = new URL(await bounded.listen('127.0.0.1', 0));
    const { accepted } = await greeter('a');
    const begin = () => connect({ host: '127.0.0.1', port: Number(port) }).on('error', () => undefined);
    /** Whether a new connection reaches the worker, or is closed. */
    const tried = () =>
      new Promise<Socket | undefined>((resolve) => {
        const socket = begin();
        socket.once('data', () => resolve(socket));
        socket.once('close', () => resolve(undefined));
      });
    const first = await tried();
    expect([await tried(), await tried()].map((socket) => socket !== undefined)).to.deep.equal([true, false]);
    expect(accepted).to.have.length(2);
    // a client that only ends its side may wait for its answer
    first?.resetAndDestroy();
    await until('a place for a connection', async () => (await tried()) !== undefined);
    bounded.close();
  });

  /** A server that sends its name, and keeps the connection open until the client ends it. */
  const greeter = (name: string) => listener((socket) => socket.resume().write(name));

  async function greeted(): Promise<{ by: string; socket: Socket }> {
    const socket = client();
    const [chunk] = await once(socket, 'data');
    return { by: String(chunk), socket };
  }

  it('gives each connection to the worker with the fewest connections', async () => {
    await greeter('a');
    await greeter('b');
    const first = [await greeted(), await greeted(), await greeted(), await greeted()];
    expect(first.map(({ by }) => by).sort()).to.deep.equal(['a', 'a', 'b', 'b']);
    const ofA = first.filter(({ by }) => by === 'a').map(({ socket }) => socket);
    const a = listeners[0]?.accepted ?? [];
    await Promise.all([
      ...a.map((socket) => once(socket, 'close')),
      ...ofA.map((socket) => socket.destroy() && once(socket, 'close')),
      ...a.map((socket) => socket.end()),
    ]);
    expect([(await greeted()).by, (await greeted()).by]).to.deep.equal(['a', 'a']);
  });

  it('skips a worker that refuses', async () => {
    living.push({ host: '127.0.0.1', port: await freePort() });
    await greeter('b');
    expect([(await greeted()).by, (await greeted()).by]).to.deep.equal(['b', 'b']);
  });

  it('answers 503 with Retry-After while there is no worker', async () => {
    const answer = await fetch(url);
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.equal('1');
    expect(await answer.json())
      .to.have.property('error')
      .that.matches(/no worker/);
  });

  it('delivers the answer to a client that has half-closed its connection', async () => {
    await listener((socket) => {
      let asked = '';
      socket.on('data', (chunk) => {
        asked += chunk;
      });
      socket.on('end', () => socket.end(`${asked}, answered`));
    });
    const socket = client({ allowHalfOpen: true });
    socket.end('asked');
    expect(await text(socket)).to.equal('asked, answered');
  });

  it('disconnects a client whose worker dies, and serves the others', async () => {
    const { accepted } = await greeter('a');
    const { socket } = await greeted();
    accepted[0]?.resetAndDestroy();
    await once(socket, 'close');
    expect((await greeted()).by).to.equal('a');
  });

  it('ends the connection to the worker when a client disconnects', async () => {
    const { accepted } = await greeter('a');
    const { socket } = await greeted();
    const worker = accepted[0];
    socket.resetAndDestroy();
    if (worker) await once(worker, 'end');
    expect((await greeted()).by).to.equal('a');
  });

  it('accepts no more connections when it refuses, and keeps the open ones', async () => {
    const { accepted } = await greeter('a');
    const { socket } = await greeted();
    router.refuse();
    const [refused] = await once(client(), 'error');
    expect(refused).to.have.property('code', 'ECONNREFUSED');
    accepted[0]?.write('still here');
    expect(String(await once(socket, 'data'))).to.equal('still here');
    router.close();
    await once(socket, 'close');
  });
});
