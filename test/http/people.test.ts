import { expect } from 'chai';
import { GatewayError } from '../../src/domain/errors.js';
import { createTestServer, type TestServer } from './support/test-server.js';

describe('the routes about people', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
    await server.services.sessions.start('acme', {});
  });

  it('tell who a person is', async () => {
    const { status, body } = await server.post('/user-info', { clientId: 'acme', jid: '+15550000002' });
    expect(status).to.equal(200);
    expect(body).to.have.all.keys('jid', 'username', 'status', 'pictureId', 'devices', 'verifiedName');
  });

  it('tell the own addresses, with and without a number', async () => {
    for (const number of ['', '15550000002', '+1 (555) 000-0002']) {
      const { status, body } = await server.post('/check-owner-lid', { clientId: 'acme', number });
      expect(status).to.equal(200);
      expect(body.number).to.equal(number);
    }
    const { body } = await server.post('/check-owner-lid', { clientId: 'acme' });
    const fields = ['myLid', 'myJid', 'number', 'isOnWhatsApp', 'numberJid', 'numberLid', 'username'];
    expect(body).to.have.all.keys(fields);
  });

  for (const number of ['bob', '12', '+', '0155500000', '15550000002@s.whatsapp.net']) {
    it(`refuse the number ${number}`, async () => {
      const { status, body } = await server.post('/check-owner-lid', { clientId: 'acme', number });
      expect(status).to.equal(400);
      expect(body.error).to.match(/number must be a phone number/);
    });
  }

  it('refuse to look for nobody', async () => {
    const { status, body } = await server.post('/user-info', { clientId: 'acme' });
    expect(status).to.equal(400);
    expect(body.error).to.match(/jid is required/);
  });

  const failures: [ConstructorParameters<typeof GatewayError>[0], number][] = [
    ['not_found', 404],
    ['session_not_connected', 409],
    ['lookup_failed', 502],
  ];
  for (const [code, expected] of failures) {
    it(`answer ${expected} for ${code}`, async () => {
      server.services.people.failure = new GatewayError(code, 'because');
      const { status } = await server.post('/user-info', { clientId: 'acme', jid: '90000000000002' });
      expect(status).to.equal(expected);
    });
  }
});
