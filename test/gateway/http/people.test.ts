import { expect } from 'chai';
import { GatewayError } from '../../../src/domain/errors.js';
import { createTestServer, type TestServer } from './support/fake-server.js';

describe('the routes about people', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
    await server.services.sessions.start('acme', {});
  });

  it('describe a person', async () => {
    const { status, body } = await server.post('/user-info', { clientId: 'acme', jid: '+15550000002' });
    expect(status).to.equal(200);
    expect(body).to.have.all.keys('jid', 'username', 'status', 'pictureId', 'devices', 'verifiedName');
  });

  it('return the own addresses, with and without a number', async () => {
    for (const number of ['', '15550000002', '+1 (555) 000-0002']) {
      const { status, body } = await server.post('/check-owner-lid', { clientId: 'acme', number });
      expect(status).to.equal(200);
      expect(body.number).to.equal(number);
    }
    const { body } = await server.post('/check-owner-lid', { clientId: 'acme' });
    const fields = ['myLid', 'myJid', 'number', 'isOnWhatsApp', 'numberJid', 'numberLid', 'username'];
    expect(body).to.have.all.keys(fields);
  });

  it('return a picture, the small one by default', async () => {
    const asked: [string, object][] = [
      ['', { preview: true, refresh: false }],
      ['&preview=false', { preview: false, refresh: false }],
      ['&preview=true&refresh=true', { preview: true, refresh: true }],
    ];
    for (const [query, wishes] of asked) {
      const { status, body } = await server.get(`/profile-picture?clientId=acme&jid=%2B15550000002${query}`);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('jid', 'id', 'type', 'url', 'storedUrl', 'mirrored');
      expect(server.services.avatars.asked.at(-1)).to.deep.equal(['picture', '+15550000002', wishes]);
    }
  });

  const wrongPictures = {
    'clientId=acme': /jid is required/,
    'jid=90000000000002': /clientId is required/,
    'clientId=acme&jid=90000000000002&preview=small': /preview must be a boolean/,
    'clientId=acme&jid=90000000000002&refresh=yes': /refresh must be a boolean/,
    'clientId=acme&jid=90000000000002&size=full': /size is not allowed/,
  };
  for (const [query, message] of Object.entries(wrongPictures)) {
    it(`refuse the picture of ${query}`, async () => {
      const { status, body } = await server.get(`/profile-picture?${query}`);
      expect(status).to.equal(400);
      expect(body.error).to.match(message);
    });
  }

  it('refresh the pictures of all rooms, with force only on request', async () => {
    for (const [more, force] of [
      [{}, false],
      [{ force: true }, true],
    ] as const) {
      const { status, body } = await server.post('/refresh-avatars', { clientId: 'acme', ...more });
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ rooms: 3, updated: 1, skipped: 1, noPhoto: 1, failed: 0 });
      expect(server.services.avatars.asked.at(-1)).to.deep.equal(['refreshAll', force]);
    }
    const { status } = await server.post('/refresh-avatars', { clientId: 'acme', force: 'yes' });
    expect(status).to.equal(400);
  });

  it('refuse a second refresh at the same time', async () => {
    server.services.avatars.failure = new GatewayError('avatars_busy', 'because');
    expect((await server.post('/refresh-avatars', { clientId: 'acme' })).status).to.equal(409);
  });

  for (const number of ['bob', '12', '+', '0155500000', '15550000002@s.whatsapp.net']) {
    it(`refuse the number ${number}`, async () => {
      const { status, body } = await server.post('/check-owner-lid', { clientId: 'acme', number });
      expect(status).to.equal(400);
      expect(body.error).to.match(/number must be a phone number/);
    });
  }

  it('refuse a request without a jid', async () => {
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
