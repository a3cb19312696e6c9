import { expect } from 'chai';
import { createTestServer, type TestServer } from './support/test-server.js';

describe('the media library', () => {
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
    await api.services.sessions.setOrgId('acme', 'org1');
    for (const id of ['F1', 'F2', 'F3']) api.services.library.add('acme', Buffer.from(id), { id });
  });

  const list = (query = '') => api.get(`/media-files?clientId=acme&orgId=org1${query}`);

  it('lists every field of a file', async () => {
    const { status, body } = await list('&limit=1');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      ok: true,
      files: [
        {
          messageId: 'F1',
          clientId: 'acme',
          mimeType: 'image/jpeg',
          mediaType: 'image',
          fileName: 'a.jpg',
          fileSize: 2,
          caption: '',
          createdAt: '2026-11-21T10:00:00.000Z',
        },
      ],
      pagination: { page: 1, limit: 1, total: 3 },
    });
  });

  it('has pages, the first of 50 unless said otherwise', async () => {
    expect((await list()).body.pagination).to.deep.equal({ page: 1, limit: 50, total: 3 });
    const { body } = await list('&page=2&limit=2');
    expect(body.pagination).to.deep.equal({ page: 2, limit: 2, total: 3 });
    expect(body.files).to.be.an('array').with.lengthOf(1);
    expect((await list('&page=1000000&limit=200')).body.files).to.deep.equal([]);
  });

  it('has no files of a workspace that is not the session’s', async () => {
    const { status, body } = await api.get('/media-files?clientId=acme&orgId=org2');
    expect([status, body.files]).to.deep.equal([200, []]);
    expect(body.pagination).to.deep.equal({ page: 1, limit: 50, total: 0 });
  });

  for (const query of [
    'page=0',
    'page=-1',
    'page=1.5',
    'page=x',
    'page=1000001',
    'limit=0',
    'limit=201',
    'limit=x',
  ]) {
    it(`refuses ${query}`, async () => {
      const { status, body } = await list(`&${query}`);
      expect(status).to.equal(400);
      expect(body.error).to.include(query.split('=')[0]);
    });
  }

  it('needs a session that is there, and a workspace', async () => {
    for (const [query, status] of [
      ['?orgId=org1', 400],
      ['?clientId=acme', 400],
      ['?clientId=acme&orgId=', 400],
      ['?clientId=nobody&orgId=org1', 404],
    ] as const) {
      const answer = await api.get(`/media-files${query}`);
      expect(answer.status, query).to.equal(status);
      expect(Object.keys(answer.body)).to.deep.equal(['error']);
    }
  });

  it('gives the link to a file', async () => {
    const { status, body } = await api.get('/media-files/F2/url');
    expect([status, body]).to.deep.equal([200, { ok: true, url: 'https://example.com/media/F2/a.jpg' }]);
    expect((await api.get('/media-files/F2/url?clientId=acme')).status).to.equal(200);
    expect((await api.get('/media-files/F2/url?clientId=other')).status).to.equal(400);
    expect((await api.get('/media-files/F4/url')).status).to.equal(404);
  });

  it('gives the link to the file of a message', async () => {
    const linkOf = (room: string, message: string) =>
      api.get(`/chatrooms/${room}/messages/${message}/media-url`);
    const { status, body } = await linkOf('acme-1-2', '3EB0');
    expect([status, body]).to.deep.equal([200, { ok: true, url: 'https://example.com/media/3EB0/a.jpg' }]);
    expect((await linkOf('acme-1-3', '3EB0')).status).to.equal(404);
    expect((await linkOf('acme-1-2', '3EB1')).status).to.equal(404);
    expect((await linkOf('acme-1-2', 'x'.repeat(129))).status).to.equal(400);
  });
});
