import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type ErrorCode, GatewayError } from '../../../src/domain/errors.js';
import { LIMITS } from '../../../src/domain/limits.js';
import {
  type Answer,
  closeServers,
  createTestServer,
  failing,
  type TestServer,
  TOKEN,
} from './support/test-server.js';

const SEND = { clientId: 'acme', to: '+15550000002', body: 'Hello' };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('errors', () => {
  afterEach(closeServers);
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.connect();
  });

  it('answers an unknown route with 404, token or not', async () => {
    for (const token of [TOKEN, null]) {
      const { status, body } = await api.get('/no/such/route', { token });
      expect([status, body]).to.deep.equal([404, { error: 'there is no GET /no/such/route' }]);
    }
  });

  it('lists the allowed methods of a path', async () => {
    const { status, headers, body } = await api.get('/set-webhook');
    expect(status).to.equal(404);
    expect(headers.allow).to.equal('POST');
    expect(body).to.deep.equal({ error: 'there is no GET /set-webhook; it takes POST' });
  });

  it('answers a path that cannot be decoded with 400', async () => {
    const { status, body } = await api.get('/failed-deliveries/%E0%A4%A');
    expect(status).to.equal(400);
    expect(Object.keys(body)).to.deep.equal(['error']);
  });

  it('answers malformed JSON with 400', async () => {
    for (const payload of ['{', '{"clientId":}', 'null,', '\u0000']) {
      const { status, body } = await api.call('POST', '/send-message', { payload, headers: JSON_TYPE });
      expect(status, payload).to.equal(400);
      expect(body).to.deep.equal({ error: 'Invalid request payload JSON format' });
    }
  });

  it('answers other content types with 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/form-data; boundary=x',
    ]) {
      const headers = { 'content-type': type };
      const { status, body } = await api.call('POST', '/send-message', {
        payload: JSON.stringify(SEND),
        headers,
      });
      expect(status, type).to.equal(415);
      expect(body).to.deep.equal({ error: 'the request body must be JSON: Content-Type: application/json' });
    }
  });

  it('accepts JSON with a charset, and without a content type', async () => {
    const payload = JSON.stringify(SEND);
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await api.call('POST', '/send-message', { payload, headers })).status).to.equal(200);
    expect((await api.call('POST', '/send-message', { payload })).status).to.equal(200);
  });

  it('answers an oversized body with 413', async () => {
    const body = 'a'.repeat(LIMITS.jsonBodyBytes);
    const answer = await api.post('/send-message', { ...SEND, body });
    expect(answer.status).to.equal(413);
    expect(answer.body).to.deep.equal({
      error: `the request body is larger than ${LIMITS.jsonBodyBytes} bytes`,
    });
  });

  it('answers an expected failure with its own status and message', async () => {
    api.network.failure = new GatewayError('send_rejected', 'the network rejected the message (463)');
    const { status, body } = await api.post('/send-message', SEND);
    expect([status, body]).to.deep.equal([502, { error: 'the network rejected the message (463)' }]);
    expect(api.lines.filter(({ msg }) => msg === 'request failed')).to.have.lengthOf(1);
  });

  it('hides the details of an unexpected error, and logs it once', async () => {
    api.network.failure = new TypeError('reading /etc/secret of undefined');
    const { status, body } = await api.post('/send-message', SEND);
    expect([status, body]).to.deep.equal([500, { error: 'internal error' }]);
    const logged = api.lines.filter(({ msg }) => msg === 'unexpected error');
    expect(logged).to.have.lengthOf(1);
    expect(logged[0]).to.deep.include({ method: 'POST', path: '/send-message', clientId: 'acme' });
    expect(logged[0]).to.have.nested.property('err.message', 'reading /etc/secret of undefined');
  });

  const coded: [string, number, string, (api: TestServer) => Promise<Answer>][] = [
    ['an unknown route', 404, 'route_unknown', (api) => api.get('/no/such/route')],
    ['a missing token', 401, 'unauthorized', (api) => api.get('/clients', { token: null })],
    ['a wrong field', 400, 'invalid_request', (api) => api.post('/send-message', { ...SEND, body: 7 })],
    ['an unknown session', 404, 'session_unknown', (api) => api.get('/qr?clientId=nobody')],
    [
      'another content type',
      415,
      'content_type_unsupported',
      (api) => api.call('POST', '/send-message', { payload: 'x', headers: { 'content-type': 'text/plain' } }),
    ],
    [
      'an oversized body',
      413,
      'request_too_large',
      (api) => api.post('/send-message', { ...SEND, body: 'a'.repeat(LIMITS.jsonBodyBytes) }),
    ],
  ];
  for (const [what, status, code, ask] of coded) {
    it(`names the code of ${what} in X-SN-Error, and only the message in the body`, async () => {
      const answer = await ask(api);
      expect(answer.status).to.equal(status);
      expect(answer.headers['x-sn-error']).to.equal(code);
      expect(answer.body).to.have.all.keys('error');
    });
  }

  it('names the code of an unexpected error', async () => {
    api.network.failure = new TypeError('a bug');
    expect((await api.post('/send-message', SEND)).headers['x-sn-error']).to.equal('internal');
  });

  it('survives requests that are not HTTP', async () => {
    await api.server.start();
    try {
      const socket = connect(Number(api.server.info.port), '127.0.0.1');
      socket.end('this is no request\r\n\r\n');
      expect(await text(socket))
        .to.match(/^HTTP\/1.1 400 /)
        .and.contain('X-SN-Error: invalid_request');
      const answer = await fetch(`${api.server.info.uri}/health/live`);
      expect(answer.status).to.equal(200);
      await answer.body?.cancel();
    } finally {
      await api.server.stop();
    }
  });
});

describe('a failure of a service', () => {
  afterEach(closeServers);

  const requests = {
    '/create-group': { clientId: 'acme', subject: 'Weekend', participants: ['+15550000002'] },
    '/user-info': { clientId: 'acme', jid: '90000000000002' },
    '/refresh-avatars': { clientId: 'acme' },
  };
  function fail({ services }: TestServer, path: keyof typeof requests, error: Error): void {
    if (path === '/create-group') failing(services.groups, 'create', error);
    else if (path === '/user-info') failing(services.people, 'userInfo', error);
    else failing(services.avatars, 'refreshAll', error);
  }
  const cases: [keyof typeof requests, ErrorCode, number][] = [
    ['/create-group', 'group_unknown', 404],
    ['/create-group', 'group_forbidden', 403],
    ['/create-group', 'session_not_connected', 409],
    ['/create-group', 'recipient_unknown', 400],
    ['/create-group', 'lookup_failed', 502],
    ['/user-info', 'not_found', 404],
    ['/user-info', 'session_not_connected', 409],
    ['/user-info', 'lookup_failed', 502],
    ['/refresh-avatars', 'avatars_busy', 409],
  ];
  for (const [path, code, status] of cases) {
    it(`has the status ${status} for ${code} on ${path}, and its message`, async () => {
      const api = await createTestServer();
      fail(api, path, new GatewayError(code, 'because'));
      expect(await api.post(path, requests[path])).to.deep.include({ status, body: { error: 'because' } });
    });
  }
});

describe('--check-answers', () => {
  afterEach(closeServers);
  const answerOf = async (checkAnswers: boolean, spoil: (api: TestServer) => void) => {
    const api = await createTestServer({ checkAnswers });
    await api.connect();
    spoil(api);
    return { api, answer: await api.post('/send-message', SEND) };
  };
  const spoiled = (api: TestServer) =>
    Object.assign(api.services.sending, {
      send: async () => ({ status: 'sent', messageId: 7, extra: true }),
    });
  const unlisted = (api: TestServer) => {
    api.network.failure = new GatewayError('group_unknown', 'not a failure of a send');
  };

  it('answers 500 and logs why when an answer breaks the contract', async () => {
    const { api, answer } = await answerOf(true, spoiled);
    expect([answer.status, answer.body]).to.deep.equal([500, { error: 'internal error' }]);
    const [line] = api.lines.filter(({ msg }) => msg === 'unexpected error');
    expect(line)
      .to.have.nested.property('err.message')
      .that.matches(/POST \/send-message breaks the contract: .*messageId.*extra/);
  });

  it('answers 500 for an error code that the contract does not list', async () => {
    const { api, answer } = await answerOf(true, unlisted);
    expect(answer.status).to.equal(500);
    const [line] = api.lines.filter(({ msg }) => msg === 'unexpected error');
    expect(line).to.have.nested.property('err.message').that.contains('failed with group_unknown');
  });

  it('changes nothing when it is off', async () => {
    expect((await answerOf(false, spoiled)).answer.status).to.equal(200);
    expect((await answerOf(false, unlisted)).answer.status).to.equal(404);
  });
});

describe('the request log', () => {
  afterEach(closeServers);
  it('the log contains one line for each request, without query, body or token', async () => {
    const api = await createTestServer();
    await api.connect();
    await api.post('/send-message?clientId=acme', { ...SEND, body: 'private words' });
    await api.get(`/qr?clientId=acme&token=${TOKEN}`);
    const requests = api.lines.filter(({ msg }) => msg === 'request');
    expect(requests).to.have.lengthOf(2);
    expect(requests[0]).to.deep.include({
      method: 'POST',
      path: '/send-message',
      status: 200,
      clientId: 'acme',
    });
    expect(requests[1]).to.deep.include({ path: '/qr', status: 400 });
    expect(JSON.stringify(api.lines)).not.to.include('private words').and.not.to.include(TOKEN);
  });
});
