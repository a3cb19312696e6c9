import { createServer } from 'node:net';
import { expect } from 'chai';
import type { CliError } from '../../src/cli/cli-error.js';
import { DaemonClient } from '../../src/cli/client.js';
import { failureOf } from './support/failure.js';
import { FakeDaemon } from './support/fake-daemon.js';

describe('the client of a daemon', () => {
  let daemon: FakeDaemon;
  let client: DaemonClient;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    client = new DaemonClient({ url: daemon.url, token: 'abc' });
  });
  afterEach(() => daemon.stop());

  it('carries the token and speaks JSON', async () => {
    daemon.token = 'abc';
    daemon.on('POST /send-message', { status: 'sent', messageId: '3EB0' });
    const answer = await client.send('/send-message', { clientId: 'acme', to: '+1555', body: 'hi' }, 'key-1');
    expect(answer).to.deep.equal({ status: 'sent', messageId: '3EB0' });
    const [call] = daemon.calls;
    expect(call?.headers).to.include({ 'content-type': 'application/json', 'idempotency-key': 'key-1' });
    expect(call?.body).to.deep.equal({ clientId: 'acme', to: '+1555', body: 'hi' });
  });

  it('sends parameters of GET routes and of /start in the query', async () => {
    daemon.on('POST /start', { clientId: 'acme', status: 'initializing' });
    await client.start('acme', { webhookUrl: 'https://example.com/' });
    const [call] = daemon.calls;
    expect(call?.query.get('clientId')).to.equal('acme');
    expect(call?.body).to.deep.equal({ webhookUrl: 'https://example.com/' });
  });

  it('reaches a daemon behind a path', async () => {
    daemon.on('GET /gateway/clients', { clients: [] });
    const behind = new DaemonClient({ url: `${daemon.url}/gateway/` });
    expect(await behind.clients()).to.deep.equal([]);
  });

  const refusals: [number, CliError['failure']][] = [
    [400, 'usage'],
    [403, 'unauthorized'],
    [404, 'not_found'],
    [409, 'conflict'],
    [500, 'failure'],
    [502, 'refused'],
    [503, 'failure'],
  ];
  for (const [status, failure] of refusals) {
    it(`turns a ${status} into "${failure}" with the daemon's own words`, async () => {
      daemon.on('GET /config', () => ({ status, body: { error: 'these words' } }));
      const error = await failureOf(client.config());
      expect(error).to.include({ failure, message: 'these words' });
    });
  }

  it('says where it looked when there was no token', async () => {
    daemon.token = 'right';
    const stranger = new DaemonClient({ url: daemon.url, tokenPath: '/data/token' });
    const error = await failureOf(stranger.clients());
    expect(error.failure).to.equal('unauthorized');
    expect(error.suggestions.join()).to.contain('--token').and.contain('/data/token');
  });

  it('says that the token is wrong when there was one', async () => {
    daemon.token = 'right';
    const error = await failureOf(client.clients());
    expect(error.suggestions.join()).to.contain('not the one of this daemon');
  });

  it('tells to start the daemon when nothing listens', async () => {
    await daemon.stop();
    const error = await failureOf(client.clients());
    expect(error.failure).to.equal('unreachable');
    expect(error.message).to.contain(daemon.url).and.contain('connection refused');
    expect(error.suggestions[0]).to.contain('switchboard start');
    await daemon.listen();
  });

  it('gives up on a daemon that does not answer', async () => {
    daemon.on('GET /health/live', () => new Promise(() => undefined));
    const error = await failureOf(client.probe('/health/live', 20));
    expect(error.failure).to.equal('unreachable');
    expect(error.message).to.contain('no answer within');
  });

  it('knows a stranger at the address', async () => {
    daemon.on('GET /clients', () => ({ body: '<html>hello</html>' }));
    const error = await failureOf(client.clients());
    expect(error).to.include({ failure: 'unreachable' });
    expect(error.message).to.contain('not a Switchboard daemon');
    daemon.on('GET /clients', () => ({ status: 404, body: 'nothing here' }));
    expect((await failureOf(client.clients())).message).to.contain('not a Switchboard daemon');
  });

  it('says so when it does not even speak HTTP', async () => {
    const server = createServer((socket) => socket.resume().end('SSH-2.0-OpenSSH_9.2\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = address && typeof address === 'object' ? address.port : 0;
    const error = await failureOf(new DaemonClient({ url: `http://127.0.0.1:${port}` }).clients());
    expect(error.failure).to.equal('unreachable');
    await new Promise((resolve) => server.close(resolve));
  });

  it('ends its calls when it is interrupted', async () => {
    const controller = new AbortController();
    const interrupted = new DaemonClient({ url: daemon.url, signal: controller.signal });
    daemon.on('GET /config', () => new Promise(() => undefined));
    const pending = failureOf(interrupted.config());
    await daemon.called('/config');
    controller.abort();
    expect((await pending).failure).to.equal('interrupted');
  });
});
