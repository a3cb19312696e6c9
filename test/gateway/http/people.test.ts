import { expect } from 'chai';
import { closeServers, createTestServer, type TestServer } from './support/test-server.js';

describe('the routes about people', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
    await server.connect();
  });
  afterEach(closeServers);

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
    // whether the network is asked for the small picture, or not at all
    const asked: [string, boolean | undefined][] = [
      ['', true],
      ['&preview=true&refresh=false', undefined],
      ['&preview=false', false],
      ['&preview=true&refresh=true', true],
    ];
    for (const [query, preview] of asked) {
      server.network.asked.length = 0;
      const { status, body } = await server.get(`/profile-picture?clientId=acme&jid=%2B15550000002${query}`);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('jid', 'id', 'type', 'url', 'storedUrl', 'mirrored');
      const bob = { kind: 'lid', user: '90000000000002' };
      const questions = preview === undefined ? [] : [['people.picture', bob, preview]];
      expect(server.network.asked).to.deep.equal(questions);
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
    await server.services.sessions.setOrgId('acme', 'org1');
    await server.post('/send-message', { clientId: 'acme', to: '+15550000002', body: 'Hi' });
    const none = { rooms: 1, updated: 0, skipped: 0, noPhoto: 0, failed: 0 };
    for (const [more, counts, questions] of [
      [{}, { ...none, updated: 1 }, 1],
      [{}, { ...none, skipped: 1 }, 0],
      [{ force: true }, { ...none, updated: 1 }, 1],
    ] as const) {
      server.network.asked.length = 0;
      const answer = server.post('/refresh-avatars', { clientId: 'acme', ...more });
      if (questions > 0) {
        await server.clock.scheduled(0);
        server.clock.advance(0);
      }
      const { status, body } = await answer;
      expect(status).to.equal(200);
      expect(body).to.deep.equal(counts);
      expect(server.network.asked).to.have.lengthOf(questions);
    }
    const { status } = await server.post('/refresh-avatars', { clientId: 'acme', force: 'yes' });
    expect(status).to.equal(400);
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
});
