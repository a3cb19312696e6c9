import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { GatewayError } from '../../src/domain/errors.js';
import { LIMITS } from '../../src/domain/limits.js';
import { createTestServer, type TestServer, TOKEN } from './support/test-server.js';

const SEND = { clientId: 'acme', to: '+15550000002', body: 'Hello' };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('errors', () => {
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
  });

  it('answers an unknown route with 404, token or not', async () => {
    for (const token of [TOKEN, null]) {
      const { status, body } = await api.get('/no/such/route', { token });
      expect([status, body]).to.deep.equal([404, { error: 'there is no GET /no/such/route' }]);
    }
  });

  it('lists the methods that a path takes', async () => {
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
    for (const payload of ['{', '{"clientId":}', 'null,', '{"__proto__":{"a":1}}', '\u0000']) {
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

  it('takes JSON with a charset, and without a content type', async () => {
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

  it('answers a foreseen failure with its own status and words', async () => {
    api.services.sending.failure = new GatewayError(
      'send_rejected',
      'the network rejected the message (463)',
    );
    const { status, body } = await api.post('/send-message', SEND);
    expect([status, body]).to.deep.equal([502, { error: 'the network rejected the message (463)' }]);
    expect(api.lines.filter(({ msg }) => msg === 'request failed')).to.have.lengthOf(1);
  });

  it('keeps to itself what was not foreseen, and logs it once', async () => {
    api.services.sending.failure = new TypeError('reading /etc/secret of undefined');
    const { status, body } = await api.post('/send-message', SEND);
    expect([status, body]).to.deep.equal([500, { error: 'internal error' }]);
    const logged = api.lines.filter(({ msg }) => msg === 'unexpected error');
    expect(logged).to.have.lengthOf(1);
    expect(logged[0]).to.deep.include({ method: 'POST', path: '/send-message', clientId: 'acme' });
    expect(logged[0]).to.have.nested.property('err.message', 'reading /etc/secret of undefined');
  });

  it('survives what is no HTTP', async () => {
    await api.server.start();
    try {
      const socket = connect(Number(api.server.info.port), '127.0.0.1');
      socket.end('this is no request\r\n\r\n');
      expect(await text(socket)).to.match(/^HTTP\/1.1 400 /);
      const answer = await fetch(`${api.server.info.uri}/health/live`);
      expect(answer.status).to.equal(200);
      await answer.body?.cancel();
    } finally {
      await api.server.stop();
    }
  });
});

describe('the request log', () => {
  it('has one line for each request, without query, body or token', async () => {
    const api = await createTestServer();
    await api.services.sessions.start('acme', {});
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
