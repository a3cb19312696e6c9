import { createServer } from 'node:net';
import { expect } from 'chai';
import { SwitchboardError } from '../../../src/client/call.js';
import { DaemonClient } from '../../../src/terminal/cli/client.js';
import type { CliError } from '../../../src/terminal/cli/errors.js';
import { failureOf } from './support/entries.js';
import { FakeDaemon } from './support/fake-daemon.js';

describe('DaemonClient', () => {
  let daemon: FakeDaemon;
  let client: DaemonClient;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    client = new DaemonClient({ url: daemon.url, token: 'abc' });
  });
  afterEach(() => daemon.stop());

  it('sends the token and JSON', async () => {
    daemon.token = 'abc';
    daemon.on('POST /send-message', { status: 'sent', messageId: '3EB0' });
    const answer = await client.sendMessage(
      { clientId: 'acme', to: '+1555', body: 'hi' },
      { idempotencyKey: 'key-1' },
    );
    expect(answer).to.deep.equal({ status: 'sent', messageId: '3EB0' });
    const [call] = daemon.calls;
    expect(call?.headers).to.include({ 'content-type': 'application/json', 'idempotency-key': 'key-1' });
    expect(call?.body).to.deep.equal({ clientId: 'acme', to: '+1555', body: 'hi' });
  });

  it('sends parameters of GET routes and of /start in the query', async () => {
    daemon.on('POST /start', { clientId: 'acme', status: 'initializing' });
    await client.start({ clientId: 'acme', webhookUrl: 'https://example.com/' });
    const [call] = daemon.calls;
    expect(call?.query.get('clientId')).to.equal('acme');
    expect(call?.body).to.deep.equal({ webhookUrl: 'https://example.com/' });
  });

  it('reaches a daemon behind a path', async () => {
    daemon.on('GET /gateway/clients', { clients: [] });
    const behind = new DaemonClient({ url: `${daemon.url}/gateway/` });
    expect(await behind.listClients()).to.deep.equal({ clients: [] });
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
    it(`maps a ${status} to "${failure}" with the daemon's own message`, async () => {
      daemon.on('GET /config', () => ({ status, body: { error: 'these words' } }));
      const error = await failureOf(client.getConfig());
      expect(error).to.include({ failure, message: 'these words' });
    });
  }

  for (const [status, code, failure] of [
    [403, 'group_forbidden', 'refused'],
    [404, 'message_unknown', 'not_found'],
    [409, 'group_conflict', 'conflict'],
  ] as const) {
    it(`suggests nothing about token or session for ${code}`, async () => {
      const headers = { 'x-sn-error': code };
      daemon.on('GET /config', () => ({ status, headers, body: { error: 'these words' } }));
      const error = await failureOf(client.getConfig());
      expect([error.failure, error.suggestions]).to.deep.equal([failure, []]);
    });
  }

  it("keeps the API's error, with its status and code, as the cause", async () => {
    const headers = { 'x-sn-error': 'session_unknown' };
    daemon.on('POST /check-state', () => ({ status: 404, headers, body: { error: 'these words' } }));
    const error = await failureOf(client.checkState({ clientId: 'acme' }));
    expect(error.cause).to.be.instanceOf(SwitchboardError);
    expect(error.cause).to.include({ status: 404, code: 'session_unknown', message: 'these words' });
  });

  it('reports where it searched for the token', async () => {
    daemon.token = 'right';
    const stranger = new DaemonClient({ url: daemon.url, tokenPath: '/data/token' });
    const error = await failureOf(stranger.listClients());
    expect(error.failure).to.equal('unauthorized');
    expect(error.suggestions.join()).to.contain('--token').and.contain('/data/token');
  });

  it('reports a wrong token', async () => {
    daemon.token = 'right';
    const error = await failureOf(client.listClients());
    expect(error.suggestions.join()).to.contain('does not know the token');
  });

  it('suggests to start the daemon when nothing listens', async () => {
    await daemon.stop();
    const error = await failureOf(client.listClients());
    expect(error.failure).to.equal('unreachable');
    expect(error.message).to.contain(daemon.url).and.contain('connection refused');
    expect(error.suggestions[0]).to.contain('switchboard start');
    await daemon.listen();
  });

  it('times out when the daemon does not answer', async () => {
    daemon.on('GET /health/live', () => new Promise(() => undefined));
    const error = await failureOf(client.probe('/health/live', 20));
    expect(error.failure).to.equal('unreachable');
    expect(error.message).to.contain('no answer within');
  });

  it('says how to pair a session that is not linked', async () => {
    const refusal = {
      status: 404,
      headers: { 'x-sn-error': 'session_unpaired' },
      body: { error: 'not paired' },
    };
    daemon.on('GET /clients', () => refusal);
    const error = await failureOf(client.listClients());
    expect(error).to.include({ failure: 'not_found' });
    expect(error.suggestions).to.deep.equal(['pair it: switchboard pair']);
  });

  it('detects a server that is not a daemon', async () => {
    daemon.on('GET /clients', () => ({ body: '<html>hello</html>' }));
    const error = await failureOf(client.listClients());
    expect(error).to.include({ failure: 'unreachable' });
    expect(error.message).to.contain('not a Switchboard daemon');
    for (const body of ['nothing here', { error: 'Not Found' }]) {
      daemon.on('GET /clients', () => ({ status: 404, body }));
      expect((await failureOf(client.listClients())).message).to.contain('not a Switchboard daemon');
    }
  });

  it('detects a server that does not speak HTTP', async () => {
    const server = createServer((socket) => socket.resume().end('SSH-2.0-OpenSSH_9.2\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = address && typeof address === 'object' ? address.port : 0;
    const error = await failureOf(new DaemonClient({ url: `http://127.0.0.1:${port}` }).listClients());
    expect(error.failure).to.equal('unreachable');
    await new Promise((resolve) => server.close(resolve));
  });

  it('aborts its calls at an interrupt', async () => {
    const controller = new AbortController();
    const interrupted = new DaemonClient({ url: daemon.url, signal: controller.signal });
    daemon.on('GET /config', () => new Promise(() => undefined));
    const pending = failureOf(interrupted.getConfig());
    await daemon.called('/config');
    controller.abort();
    expect((await pending).failure).to.equal('interrupted');
  });
});
