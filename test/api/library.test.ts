import { createHash, randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import type { MediaContent } from '../../src/client/sandbox/client.js';
import type { EventEnvelope } from '../../src/contract/events/envelope.js';
import type { MediaFile } from '../../src/contract/index.js';
import { eventOf } from '../support/receiver.js';
import { type ApiAnswer, BOB, Conversations, linkSession, type Side } from '../support/world.js';

interface FileCase {
  file: Omit<MediaContent, 'base64'>;
  /** Response headers that a browser reads. */
  type: string;
  disposition: string;
}

const FILES: FileCase[] = [
  {
    file: { kind: 'image', mimeType: 'image/jpeg', caption: 'look' },
    type: 'image/jpeg',
    disposition: `inline; filename="file.jpg"; filename*=UTF-8''file.jpg`,
  },
  {
    file: { kind: 'video', mimeType: 'video/mp4', seconds: 12 },
    type: 'video/mp4',
    disposition: `inline; filename="file.mp4"; filename*=UTF-8''file.mp4`,
  },
  {
    file: { kind: 'audio', mimeType: 'audio/ogg; codecs=opus', voice: true },
    type: 'audio/ogg',
    disposition: `inline; filename="file.ogg"; filename*=UTF-8''file.ogg`,
  },
  {
    file: { kind: 'document', mimeType: 'application/pdf', fileName: 'Café "menu".pdf' },
    type: 'application/pdf',
    disposition: `attachment; filename="Caf_ _menu_.pdf"; filename*=UTF-8''Caf%C3%A9%20%22menu%22.pdf`,
  },
  {
    file: { kind: 'sticker', mimeType: 'image/webp' },
    type: 'image/webp',
    disposition: `inline; filename="file.webp"; filename*=UTF-8''file.webp`,
  },
];

/** Node's channel for the requests that any server of this process gets. */
const REQUESTS = 'http.server.request.start';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('files of the hosted inbox', () => {
  let chats: Conversations;
  /** Paths that were asked for, of all servers of this process. */
  const asked: string[] = [];
  const note = (message: unknown) => {
    if (message instanceof Object && 'request' in message && message.request instanceof IncomingMessage)
      asked.push(message.request.url ?? '');
  };
  before(async () => {
    subscribe(REQUESTS, note);
    chats = await Conversations.start();
  });
  after(async () => {
    unsubscribe(REQUESTS, note);
    await chats.stop();
  });

  const get = (path: string): Promise<ApiAnswer> => chats.world.api.get(path);
  const library = (query = '') => get(`/media-files?clientId=hosted&orgId=workspace1${query}`);
  const filesIn = ({ body }: ApiAnswer): MediaFile[] => (Array.isArray(body.files) ? body.files : []);

  async function bothWays(side: Side, media: MediaContent): Promise<EventEnvelope[]> {
    return [await chats.fromBob(side, { media }), await chats.fromOwner(side, { media })];
  }

  for (const { file, type, disposition } of FILES) {
    it(`serves a file unchanged: ${file.kind}`, async () => {
      const bytes = randomBytes(5_000);
      for (const event of await bothWays(chats.hosted, { ...file, base64: bytes.toString('base64') })) {
        const url = linkIn(event);
        const { status, headers, body } = await load(url);
        expect([status, body.equals(bytes)]).to.deep.equal([200, true]);
        expect(headers['content-type']).to.equal(type);
        expect(headers['content-length']).to.equal('5000');
        expect(headers['content-disposition']).to.equal(disposition);
        expect(headers.etag).to.equal(`"${createHash('sha256').update(bytes).digest('hex')}"`);
        const row = await chats.row(chats.hosted, event.messageId);
        expect(row).to.include({ downloadUrl: url });
        expect(row?.extras.media).to.deep.equal(event.media);
        const { chatRoomId, messageId } = event;
        const link = await get(`/chatrooms/${chatRoomId}/messages/${messageId}/media-url`);
        expect([link.status, link.body]).to.deep.equal([200, { ok: true, url }]);
      }
    });
  }

  it('stores the files of API sends', async () => {
    const bytes = randomBytes(3_000);
    const form = new FormData();
    form.set('to', BOB.number);
    form.set('caption', 'as agreed');
    form.set('file', new Blob([bytes], { type: 'application/pdf' }), 'offer.pdf');
    const sent = await chats.world.api.upload('/send-media-message?clientId=hosted', form);
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const event = await eventOf(chats.world.receiver, String(sent.body.messageId));
    expect((await load(linkIn(event))).body.equals(bytes)).to.equal(true);
    expect(linkIn(event)).to.match(/\/offer\.pdf$/);
    const path = event.media?.download.directPath ?? 'none';
    expect(
      asked.some((url) => url.startsWith('/mms/document/')),
      'it was uploaded',
    ).to.equal(true);
    expect(
      asked.filter((url) => url.startsWith(path)),
      'it was downloaded',
    ).to.deep.equal([]);
    const [newest] = filesIn(await library('&limit=1'));
    expect(newest).to.deep.include({ fileName: 'offer.pdf', caption: 'as agreed', fileSize: 3_000 });
  });

  it('stores no file for a session without a workspace', async () => {
    for (const event of await bothWays(chats.plain, { kind: 'image', mimeType: 'image/jpeg', size: 100 })) {
      expect(event.media).to.not.have.property('downloadUrl');
    }
    const answer = await get('/media-files?clientId=plain&orgId=workspace1');
    expect(answer.body).to.deep.include({ files: [], pagination: { page: 1, limit: 50, total: 0 } });
  });

  it('serves ranges of files of any size', async () => {
    const bytes = randomBytes(3 * 1024 * 1024 + 17);
    const { file } = await chats.world.phones.addFile(bytes);
    const media = { kind: 'video', mimeType: 'video/mp4', file } as const;
    const url = linkIn(await chats.fromBob(chats.hosted, { media }));
    const last = bytes.length - 1;
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      [`bytes=${1024 * 1024 - 1}-${2 * 1024 * 1024}`, 1024 * 1024 - 1, 2 * 1024 * 1024],
      ['bytes=3145728-', 3 * 1024 * 1024, last],
      ['bytes=-18', last - 17, last],
    ] as const) {
      const { status, headers, body } = await load(url, { range });
      expect(status).to.equal(206);
      expect(headers['content-range']).to.equal(`bytes ${start}-${end}/${bytes.length}`);
      expect(body.equals(bytes.subarray(start, end + 1)), range).to.equal(true);
    }
    const beyond = await load(url, { range: `bytes=${bytes.length}-` });
    expect([beyond.status, beyond.headers['content-range']]).to.deep.equal([416, `bytes */${bytes.length}`]);
    const { headers } = await load(url, {}, 'HEAD');
    expect(headers['content-length']).to.equal(String(bytes.length));
    expect((await load(url, { 'if-none-match': String(headers.etag) })).status).to.equal(304);
  });

  for (const [mimeType, fileName] of [
    ['text/html', 'page.html'],
    ['image/svg+xml', 'picture.svg'],
    ['image/png', 'lies.html'],
  ] as const) {
    it(`never lets a browser render a file: ${mimeType} as ${fileName}`, async () => {
      const page = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
      const base64 = Buffer.from(page).toString('base64');
      const media = { kind: 'document', mimeType, fileName, base64 } as const;
      const { headers, body } = await load(linkIn(await chats.fromBob(chats.hosted, { media })));
      expect(body.toString()).to.equal(page);
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(headers['content-security-policy']).to.match(/^default-src 'none';.* sandbox$/);
      if (mimeType === 'image/png') return;
      expect(headers['content-type']).to.equal('application/octet-stream');
      expect(headers['content-disposition']).to.match(/^attachment; /);
    });
  }

  it('lists files page by page, newest first, each once', async () => {
    const { pagination } = (await library()).body;
    const total = Number(Reflect.get(Object(pagination), 'total'));
    expect(total).to.be.greaterThan(FILES.length * 2);
    const listed: MediaFile[] = [];
    for (let page = 1; listed.length < total; page++) {
      const answer = await library(`&page=${page}&limit=3`);
      expect(answer.body.pagination).to.deep.equal({ page, limit: 3, total });
      listed.push(...filesIn(answer));
    }
    expect(new Set(listed.map(({ messageId }) => messageId)).size).to.equal(total);
    const times = listed.map(({ createdAt }) => createdAt);
    expect(times).to.deep.equal([...times].sort().reverse());
    const [sample] = listed;
    expect(sample).to.have.all.keys(
      ...['messageId', 'clientId', 'mimeType', 'mediaType', 'fileName', 'fileSize', 'caption', 'createdAt'],
    );
    expect(sample?.messageId).to.match(UUID);
    const { status, body } = await get(`/media-files/${sample?.messageId}/url`);
    expect([status, String(body.url).includes(sample?.messageId ?? '-')]).to.deep.equal([200, true]);
    expect((await load(String(body.url))).body).to.have.length(sample?.fileSize ?? -1);
  });

  it('lists files of the same second in the reverse order of their arrival', async () => {
    const captions = ['one', 'two', 'three', 'four', 'five'];
    for (const caption of captions) {
      const media = { kind: 'image', mimeType: 'image/jpeg', size: 50, caption } as const;
      // answers when the file is stored
      await load(linkIn(await chats.fromBob(chats.hosted, { media })));
    }
    const listed = filesIn(await library('&limit=5')).map(({ caption }) => caption);
    expect(listed).to.deep.equal(captions.reverse());
  });

  it('answers 404 for invalid file ids', async () => {
    const { messageId } = await chats.fromBob(chats.hosted, { text: 'no file' });
    const { chatRoomId } = chats.hosted;
    for (const path of [
      `/chatrooms/${chatRoomId}/messages/${messageId}/media-url`,
      `/chatrooms/${chatRoomId}/messages/3EB0/media-url`,
      `/chatrooms/hosted-1-2/messages/${messageId}/media-url`,
      `/media-files/${messageId}/url`,
      '/media-files/7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51/url',
      '/media/7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51/a.jpg',
    ]) {
      const { status, body } = await get(path);
      expect([status, Object.keys(body)], path).to.deep.equal([404, ['error']]);
    }
    expect(filesIn(await get('/media-files?clientId=hosted&orgId=workspace2'))).to.deep.equal([]);
  });

  it("shows files to the session's own secret, and to no other", async () => {
    const secrets = { hosted: 'secret-of-hosted-0123', plain: 'secret-of-plain-01234' };
    for (const [clientId, secret] of Object.entries(secrets)) {
      await chats.world.api.post('/set-api-secret', { clientId, secret });
    }
    const media = { kind: 'image', mimeType: 'image/jpeg', size: 10 } as const;
    const { messageId, chatRoomId } = await chats.fromBob(chats.hosted, { media });
    const [newest] = filesIn(await library('&limit=1'));
    for (const path of [
      '/media-files?clientId=hosted&orgId=workspace1',
      `/media-files/${newest?.messageId}/url`,
      `/chatrooms/${chatRoomId}/messages/${messageId}/media-url`,
    ]) {
      expect((await chats.world.api.as(secrets.hosted).get(path)).status, path).to.equal(200);
      expect((await chats.world.api.as(secrets.plain).get(path)).status, path).to.equal(403);
      expect((await chats.world.api.as('nobody').get(path)).status, path).to.equal(401);
    }
  });

  it('deletes a file with its message', async () => {
    const clientId = 'hosted';
    const media = { kind: 'image', mimeType: 'image/jpeg', size: 10 } as const;
    const event = await chats.fromBob(chats.hosted, { media });
    const { messageId, chatRoomId } = event;
    expect((await load(linkIn(event))).status).to.equal(200);
    const deletion = { clientId, to: BOB.number, messageId, fromMe: false, mode: 'me', chatRoomId };
    const { status, body } = await chats.world.api.post('/delete-message', deletion);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((await load(linkIn(event))).status).to.equal(404);
  });

  it('deletes files with their session', async () => {
    const clientId = 'leaving';
    const number = '+15550000021';
    await linkSession(chats.world, clientId, { number, name: 'Lea' });
    await chats.world.api.post('/set-org-id', { clientId, orgId: 'workspace1' });
    const media = { kind: 'image', mimeType: 'image/jpeg', size: 10 } as const;
    const { messageId } = await chats.world.phones.write(BOB.number, { to: number, media });
    const url = linkIn(await eventOf(chats.world.receiver, messageId));
    expect((await load(url)).status).to.equal(200);
    await chats.world.api.post('/disconnect', { clientId });
    expect((await load(url)).status).to.equal(404);
  });

  it('counts files', async () => {
    const answer = await load(`${chats.world.api.url}/metrics`, {
      'x-v3-secret': 'test-master-token-0123456789',
    });
    expect(answer.body.toString()).to.match(
      /^switchboard_files_total\{outcome="stored",node="[^"]+"\} \d+$/m,
    );
    expect((await get('/config')).body).to.include({ publicMedia: true });
  });

  describe('files that the network has lost', () => {
    /** Bob writes while the daemon is away; resolves with the event that the next start brings. */
    async function whileAway(
      lose: (messageId: string) => Promise<unknown>,
      bytes: Buffer,
    ): Promise<EventEnvelope> {
      const { world, hosted } = chats;
      await world.stopDaemon();
      const media = { kind: 'image', mimeType: 'image/jpeg', base64: bytes.toString('base64') } as const;
      const { messageId } = await world.phones.write(BOB.number, { to: hosted.phone.number, media });
      await world.phones.waitForMessage(hosted.phone.number, (held) => held.messageId === messageId);
      await world.phones.expireMedia(messageId);
      await lose(messageId);
      await world.startDaemon();
      return eventOf(world.receiver, messageId);
    }

    it('stores a file that the phone uploads again', async () => {
      const bytes = randomBytes(2_000);
      const event = await whileAway(async () => undefined, bytes);
      expect((await load(linkIn(event))).body.equals(bytes)).to.equal(true);
    });

    it('returns a message without a link when the phone has lost the file too', async () => {
      const { world, hosted } = chats;
      const lose = (messageId: string) => world.phones.forget(hosted.phone.number, messageId, 'file');
      const event = await whileAway(lose, randomBytes(2_000));
      const { status, body } = await load(linkIn(event));
      expect([status, JSON.parse(body.toString())]).to.deep.equal([
        404,
        { error: 'there is no such file, or it was deleted' },
      ]);
      const row = await chats.row(hosted, event.messageId);
      expect(row).to.include({ messageType: 'image', downloadUrl: '' });
      expect(row?.extras.media).to.not.have.property('downloadUrl');
      const link = await get(`/chatrooms/${hosted.chatRoomId}/messages/${event.messageId}/media-url`);
      expect(link.status).to.equal(404);
    });
  });
});

/** The link in an event; fails the test when there is none. */
function linkIn({ media }: EventEnvelope): string {
  expect(media?.downloadUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+\/media\/[0-9a-f-]{36}\/[^/]+$/);
  return media?.downloadUrl ?? '';
}

interface Loaded {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Fetches as a client that knows only the link. */
async function load(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Loaded> {
  const response = await fetch(url, { method, headers });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}
