import { once } from 'node:events';
import { request as open } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { expect } from 'chai';
import { keep, keepFile } from '../../support/kept-store.js';
import { addFile } from './support/kept-files.js';
import { closeServers, createTestServer, type TestServer } from './support/test-server.js';

const CONTENT = Buffer.from('0123456789');
const UNKNOWN = '7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51';
const LARGE = Buffer.alloc(8 * 1024 * 1024, 'x');

describe('a stored file', () => {
  let api: TestServer;
  let id: string;
  /** Streams that the library gave out. */
  let opened: Readable[];

  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
    id = await addFile(api, 'acme', CONTENT);
    opened = [];
    const { library } = api.services;
    const read = library.open.bind(library);
    library.open = async (...part) => {
      const stream = await read(...part);
      opened.push(stream);
      return stream;
    };
  });
  afterEach(closeServers);

  /** A file that is never finished. @returns its id */
  async function addUnfinished(): Promise<string> {
    const unfinished = { id: UNKNOWN, clientId: 'acme', chatRoomId: 'acme-1-2', messageId: '3EB0' };
    await api.store.expectedFiles.add({ ...unfinished, since: api.clock.now(), past: false });
    return UNKNOWN;
  }

  const load = (
    headers: Record<string, string> = {},
    method: 'GET' | 'HEAD' = 'GET',
    path = `/media/${id}/a.jpg`,
  ) => api.server.inject({ method, url: path, headers });

  /** The headers of a file of that type and name. */
  async function headersOf(mimeType: string, fileName = 'a.bin') {
    const other = await addFile(api, 'acme', CONTENT, { mimeType, fileName: 'a.bin' });
    // the library itself gives out no such names
    const { library } = api.services;
    const find = library.find.bind(library);
    library.find = async (...one) => ({ ...(await find(...one)), fileName });
    const { headers, statusCode, payload } = await load({}, 'GET', `/media/${other}`);
    expect([statusCode, payload]).to.deep.equal([200, CONTENT.toString()]);
    return headers;
  }

  it('a stored file is served whole, cacheable for ever, and never as a page of the gateway', async () => {
    const { statusCode, payload, headers } = await load();
    expect([statusCode, payload]).to.deep.equal([200, CONTENT.toString()]);
    expect(headers).to.include({
      'content-type': 'image/jpeg',
      'content-length': 10,
      'content-disposition': `inline; filename="a.jpg"; filename*=UTF-8''a.jpg`,
      etag: '"84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"',
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
    });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).to.include.members(["default-src 'none'", "frame-ancestors 'none'", 'sandbox']);
    expect(policy.join()).to.not.match(/script|allow-/);
  });

  it('a stored file is found by its id, whatever name ends its link', async () => {
    for (const path of ['', '/', '/b.jpg', '/%2e%2e%2fetc%2fpasswd', '/a%20b.jpg?utm_source=mail&x']) {
      const { statusCode, headers } = await load({}, 'GET', `/media/${id}${path}`);
      expect(statusCode, path).to.equal(200);
      expect(headers['content-disposition']).to.include('filename="a.jpg"');
    }
  });

  it('answers HEAD with headers only', async () => {
    const { statusCode, payload, headers } = await load({ range: 'bytes=2-3' }, 'HEAD');
    expect([statusCode, payload]).to.deep.equal([200, '']);
    expect(headers).to.include({
      'content-length': 10,
      'content-type': 'image/jpeg',
      'accept-ranges': 'bytes',
    });
    expect(opened).to.deep.equal([]);
  });

  for (const [range, part, content] of [
    ['bytes=2-4', '2-4', '234'],
    ['bytes=0-0', '0-0', '0'],
    ['bytes=7-', '7-9', '789'],
    ['bytes=-3', '7-9', '789'],
    ['bytes=8-100', '8-9', '89'],
    ['bytes=-100', '0-9', '0123456789'],
    ['BYTES=1-2', '1-2', '12'],
  ] as const) {
    it(`serves the range ${range}`, async () => {
      const { statusCode, payload, headers } = await load({ range });
      expect([statusCode, payload]).to.deep.equal([206, content]);
      expect(headers).to.include({ 'content-range': `bytes ${part}/10`, 'content-length': content.length });
    });
  }

  for (const range of ['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=99999999999999999999-']) {
    it(`answers 416 for ${range}, in the usual form of errors`, async () => {
      const { statusCode, payload, headers } = await load({ range });
      expect(statusCode).to.equal(416);
      expect(headers).to.include({ 'content-range': 'bytes */10', 'cache-control': 'no-store' });
      expect(JSON.parse(payload)).to.deep.equal({
        error: 'Range: the file has 10 bytes, and none of those that were asked for',
      });
    });
  }

  for (const range of [
    'bytes=4-2',
    'bytes=1-2,4-5',
    'items=1-2',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes 1-2',
    '',
  ]) {
    it(`a stored file is served whole for ${range || 'an empty range'}, which is an invalid range`, async () => {
      const { statusCode, headers } = await load({ range });
      expect(statusCode).to.equal(200);
      expect(headers).to.not.have.property('content-range');
    });
  }

  it('serves a range only if If-Range matches its tag', async () => {
    const { headers } = await load();
    const range = 'bytes=2-4';
    expect((await load({ range, 'if-range': String(headers.etag) })).statusCode).to.equal(206);
    for (const other of ['"other"', `W/${headers.etag}`, 'Sat, 21 Nov 2026 10:00:00 GMT']) {
      expect((await load({ range, 'if-range': other })).statusCode, other).to.equal(200);
    }
  });

  it('answers 304 to a client that has it', async () => {
    const etag = String((await load()).headers.etag);
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const { statusCode, payload, headers } = await load({ 'if-none-match': condition, range: 'bytes=99-' });
      expect([statusCode, payload], condition).to.deep.equal([304, '']);
      expect(headers['cache-control']).to.include('immutable');
    }
    expect((await load({ 'if-none-match': '"other"' })).statusCode).to.equal(200);
    expect(opened).to.have.length(2);
  });

  it('a stored file is served whole when it is empty, and has no ranges', async () => {
    id = await addFile(api, 'acme', Buffer.alloc(0));
    const whole = await load();
    expect([whole.statusCode, whole.payload, whole.headers['content-length']]).to.deep.equal([200, '', 0]);
    expect((await load({ range: 'bytes=0-' })).statusCode).to.equal(416);
    expect((await load({ range: 'bytes=-1' })).statusCode).to.equal(416);
  });

  for (const type of ['text/plain', 'text/csv', 'application/json', 'image/bmp']) {
    it(`a stored file is never compressed: ${type}`, async () => {
      const text = Buffer.from('compressible '.repeat(1_000));
      id = await addFile(api, 'acme', text, { mimeType: type });
      const { headers, payload } = await load({ 'accept-encoding': 'gzip, deflate, br' });
      expect(payload === text.toString()).to.equal(true);
      expect(headers).to.include({ 'content-length': text.length });
      expect(headers).to.not.have.property('content-encoding');
    });
  }

  for (const type of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/xml',
    'text/javascript',
    'text/css',
    'application/x-shockwave-flash',
    'multipart/related',
    'message/rfc822',
    'application/octet-stream',
    'image/jpeg, text/html',
    'not a type',
    '',
  ]) {
    it(`a stored file is never rendered by a browser as ${type || 'nothing'}`, async () => {
      const headers = await headersOf(type);
      expect(headers).to.include({
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['content-disposition']).to.match(/^attachment; /);
    });
  }

  for (const [type, shown] of [
    ['image/png', 'inline'],
    ['audio/ogg; codecs=opus', 'inline'],
    ['Video/MP4', 'inline'],
    ['application/pdf', 'attachment'],
    ['text/plain; charset=iso-8859-1', 'attachment'],
  ] as const) {
    it(`a stored file is served as ${shown}: ${type}`, async () => {
      const headers = await headersOf(type);
      expect(headers['content-type']).to.equal(type.split(';')[0]?.toLowerCase());
      expect(headers['content-disposition']).to.match(new RegExp(`^${shown}; `));
    });
  }

  for (const [name, header] of [
    ['menü 100%.pdf', `filename="men_ 100_.pdf"; filename*=UTF-8''men%C3%BC%20100%25.pdf`],
    ['a"; filename="b.exe', `filename="a_; filename=_b.exe"; filename*=UTF-8''a%22%3B%20filename%3D%22b.exe`],
    ['a\\".exe', `filename="a__.exe"; filename*=UTF-8''a%5C%22.exe`],
    ['x\r\nSet-Cookie: a=b', `filename="x__Set-Cookie: a=b"; filename*=UTF-8''x%0D%0ASet-Cookie%3A%20a%3Db`],
    ['日本.txt', `filename="__.txt"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt`],
    ["it's (1)*!.txt", `filename="it's (1)*!.txt"; filename*=UTF-8''it%27s%20%281%29%2A!.txt`],
    ['half \ud83d.txt', `filename="half _.txt"; filename*=UTF-8''half%20%EF%BF%BD.txt`],
  ] as const) {
    it(`escapes its name in the header: ${JSON.stringify(name)}`, async () => {
      const headers = await headersOf('text/html', name);
      expect(headers['content-disposition']).to.equal(`attachment; ${header}`);
      expect(headers).to.not.have.property('set-cookie');
    });
  }

  it('answers 404 for an unknown file', async () => {
    for (const path of [
      '/media/7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51/a.jpg',
      '/media/x',
      '/media/..%2f..%2fetc',
    ]) {
      const { status, body } = await api.get(path, { token: null });
      expect([status, body]).to.deep.equal([404, { error: 'there is no such file, or it was deleted' }]);
    }
    for (const path of ['/media', '/media/', `/media/${id}/a/b`]) {
      const { status, body } = await api.get(path, { token: null });
      expect(status, path).to.be.oneOf([400, 404]);
      expect(Object.keys(body)).to.deep.equal(['error']);
    }
    expect((await api.get(`/media/${'x'.repeat(65)}`)).status).to.equal(400);
  });

  it('keeps its id and its name out of the log', async () => {
    await load();
    await api.get(`/media-files/${id}/url`);
    await api.get('/media/7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51/secret.pdf');
    const paths = api.lines.flatMap(({ path }) => (typeof path === 'string' ? [path] : []));
    expect(paths).to.deep.equal([
      '/media/{id}/{fileName?}',
      '/media-files/{messageId}/url',
      '/media/{id}/{fileName?}',
    ]);
    expect(JSON.stringify(api.lines)).to.not.include(id).and.not.include('secret.pdf');
  });

  describe('a stored file over a connection', () => {
    let port: number;
    beforeEach(async () => {
      await api.server.start();
      ({ port } = addressOf(api));
    });

    it('stops reading when the client disconnects', async () => {
      id = await addFile(api, 'acme', LARGE);
      const client = open({ port, path: `/media/${id}` }).end();
      const [answer] = await once(client, 'response');
      await once(answer, 'readable');
      const [stream] = opened;
      if (!stream) throw new Error('the file was opened');
      const closed = once(stream, 'close');
      client.destroy();
      await closed;
      expect(stream.readableEnded).to.equal(false);
    });

    it('does not delay the stop of the server while the file is being stored', async () => {
      id = await addUnfinished();
      const answer = fetch(`http://127.0.0.1:${port}/media/${id}`);
      await once(api.server.listener, 'request');
      await api.server.stop({ timeout: 60_000 });
      expect((await answer).status).to.equal(503);
    });

    it('stops waiting for the file when the client disconnects', async () => {
      id = await addUnfinished();
      const handled = api.server.events.once('response');
      const client = open({ port, path: `/media/${id}` }).end();
      client.on('error', () => undefined);
      await once(api.server.listener, 'request');
      client.destroy();
      await handled;
    });
  });
});

function addressOf({ server }: TestServer): AddressInfo {
  const address = server.listener.address();
  if (typeof address !== 'object' || !address) throw new Error('the server listens on a port');
  return address;
}

/** Newest first. */
const FILES = [UNKNOWN.replace('7d', '01'), UNKNOWN.replace('7d', '02'), UNKNOWN.replace('7d', '03')];

describe('the media library', () => {
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
    await api.services.sessions.setOrgId('acme', 'org1');
    for (const [index, id] of FILES.entries()) {
      const createdAt = api.clock.now() - index;
      await addFile(api, 'acme', Buffer.from('F1'), { id, createdAt });
    }
  });
  afterEach(closeServers);

  const list = (query = '') => api.get(`/media-files?clientId=acme&orgId=org1${query}`);

  it('lists every field of a file', async () => {
    const { status, body } = await list('&limit=1');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      ok: true,
      files: [
        {
          messageId: FILES[0],
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

  it('returns pages, of 50 files by default', async () => {
    expect((await list()).body.pagination).to.deep.equal({ page: 1, limit: 50, total: 3 });
    const { body } = await list('&page=2&limit=2');
    expect(body.pagination).to.deep.equal({ page: 2, limit: 2, total: 3 });
    expect(body.files).to.be.an('array').with.lengthOf(1);
    expect((await list('&page=1000000&limit=200')).body.files).to.deep.equal([]);
  });

  it('lists no files of another workspace', async () => {
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

  it('requires an existing session with a workspace', async () => {
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

  it('returns the link to a file', async () => {
    const path = `/media-files/${FILES[1]}/url`;
    const { status, body } = await api.get(path);
    const url = `https://gateway.example.com/media/${FILES[1]}/a.jpg`;
    expect([status, body]).to.deep.equal([200, { ok: true, url }]);
    expect((await api.get(`${path}?clientId=acme`)).status).to.equal(200);
    expect((await api.get(`${path}?clientId=other`)).status).to.equal(400);
    expect((await api.get(`/media-files/${UNKNOWN}/url`)).status).to.equal(404);
    expect((await api.get('/media-files/F4/url')).status).to.equal(404);
  });

  it('returns the link to the file of a message', async () => {
    const linkOf = (room: string, message: string) =>
      api.get(`/chatrooms/${room}/messages/${message}/media-url`);
    const id = await keepFile(api.store, '3EB0');
    const media = { mimeType: 'text/plain', mediaType: 'document', fileName: 'a.txt', fileSize: 7 };
    await keep(api.store, '3EB1', { chatRoomId: 'acme-1-2', fileId: id, media });
    const { status, body } = await linkOf('acme-1-2', '3EB1');
    const url = `https://gateway.example.com/media/${id}/`;
    expect([status, String(body.url).slice(0, url.length)]).to.deep.equal([200, url]);
    expect((await api.server.inject(new URL(String(body.url)).pathname)).payload).to.equal('content');
    expect((await linkOf('acme-1-3', '3EB1')).status).to.equal(404);
    for (const other of ['3EB0', '3EB2']) expect((await linkOf('acme-1-2', other)).status).to.equal(404);
    expect((await linkOf('acme-1-2', 'x'.repeat(129))).status).to.equal(400);
  });
});
