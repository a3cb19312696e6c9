import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { MediaContent, MediaView } from '../../../src/client/sandbox/client.js';
import { isGatewayError } from '../../../src/domain/errors.js';
import type {
  ComposedContent,
  IncomingMessage,
  MediaSource,
  MessageContent,
} from '../../../src/gateway/link/link.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { LinkRig, protoOf, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const BOB_PN = '15550000002@s.whatsapp.net';
/** Not a whole number of cipher blocks, and more than one piece. */
const SIZE = 300_001;

interface Medium {
  mediaType: MediaSource['mediaType'];
  content(path: string): ComposedContent;
  view: Partial<MediaView>;
}

const MEDIA: readonly Medium[] = [
  {
    mediaType: 'image',
    content: (url) => ({
      image: { url },
      mimetype: 'image/png',
      caption: 'look',
      width: 3,
      height: 2,
      jpegThumbnail: Buffer.from('thumb').toString('base64'),
    }),
    view: { mimeType: 'image/png', caption: 'look', width: 3, height: 2, thumbnail: 5 },
  },
  {
    mediaType: 'video',
    content: (url) => ({ video: { url }, mimetype: 'video/mp4', seconds: 7, gifPlayback: true }),
    view: { mimeType: 'video/mp4', seconds: 7, animated: true },
  },
  {
    mediaType: 'audio',
    content: (url) => ({ audio: { url }, mimetype: 'audio/ogg; codecs=opus', ptt: true, seconds: 3 }),
    view: { mimeType: 'audio/ogg; codecs=opus', voice: true, seconds: 3 },
  },
  {
    mediaType: 'document',
    content: (url) => ({ document: { url }, mimetype: 'application/pdf', fileName: 'a.pdf' }),
    view: { mimeType: 'application/pdf', fileName: 'a.pdf' },
  },
  {
    mediaType: 'sticker',
    content: (url) => ({ sticker: { url }, isAnimated: true, width: 512, height: 512 }),
    view: { mimeType: 'image/webp', animated: true, width: 512 },
  },
];

describe('a link that carries files', () => {
  let rig: LinkRig;
  let session: Session;
  let folder: TempDir;
  let path: string;
  let bytes: Buffer;

  before(async () => {
    folder = await makeTempDir();
    path = join(folder.path, 'file');
    bytes = randomBytes(SIZE);
    await writeFile(path, bytes);
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.network.clearFaults());
  after(async () => {
    await rig.stop();
    await folder.remove();
  });

  const sendDocument = () =>
    session.send(BOB_PN, '', { content: { document: { url: path }, mimetype: 'a/b' } });

  const held = (id: string) => rig.network.waitForMessage(BOB, ({ messageId }) => messageId === id);
  const picture = (): MediaContent => ({
    kind: 'image',
    mimeType: 'image/png',
    base64: bytes.toString('base64'),
  });

  async function written(media: MediaContent): Promise<IncomingMessage> {
    const { messageId } = await rig.network.write(BOB, { to: ALICE, media });
    return (await session.next('message', ({ message }) => message.messageId === messageId)).message;
  }

  for (const { mediaType, content, view } of MEDIA) {
    it(`sends a file as ${mediaType}, byte for byte, and downloads it again`, async () => {
      const sent = await session.send(BOB_PN, '', { content: content(path) });
      const { media } = await held(sent.messageId);
      expect(media).to.include({ ...view, size: SIZE, sha256: sha256(bytes) });
      const fetched = await buffer(await rig.factory.download(sourceIn(sent.content, mediaType), ''));
      expect(fetched.equals(bytes)).to.equal(true);
    });

    it(`downloads a file that a phone sent as ${mediaType}`, async () => {
      const base64 = bytes.toString('base64');
      const media = { kind: mediaType, mimeType: 'application/x', base64 };
      const message = await written(media);
      const fetched = await buffer(await rig.factory.download(sourceIn(message.content, mediaType), ''));
      expect(fetched.equals(bytes)).to.equal(true);
    });
  }

  it('sends exactly what was prepared', async () => {
    const sent = await sendDocument();
    const written = rig.factory.decode(session.sent.get(sent.messageId) ?? new Uint8Array());
    expect(written).to.deep.equal(sent.content);
    const encoded = session.sent.get(sent.messageId) ?? Buffer.of();
    const again = await session.send(BOB_PN, '', { content: { encoded } });
    expect((await held(again.messageId)).media?.sha256).to.equal(sha256(bytes));
  });

  it('carries an empty file', async () => {
    const empty = join(folder.path, 'empty');
    await writeFile(empty, '');
    const sent = await session.send(BOB_PN, '', { content: { document: { url: empty }, mimetype: 'a/b' } });
    expect(await buffer(await rig.factory.download(sourceIn(sent.content, 'document'), ''))).to.have.length(
      0,
    );
  });

  for (const hash of ['fileSha256', 'fileEncSha256', 'mediaKey'] as const) {
    it(`fails a download at its end when its ${hash} differs`, async () => {
      const { content } = await sendDocument();
      const source = { ...sourceIn(content, 'document'), [hash]: randomBytes(32) };
      const error = await rig.factory.download(source, '').then(buffer).catch(reason);
      expect(isGatewayError(error, 'media_unfetchable')).to.equal(true);
    });
  }

  it('accepts a file whose message has no hash', async () => {
    const { content } = await sendDocument();
    const source = { ...sourceIn(content, 'document'), fileSha256: Buffer.of(), fileEncSha256: Buffer.of() };
    expect(await buffer(await rig.factory.download(source, ''))).to.have.length(SIZE);
  });

  it('reports a missing file, which the phone then uploads again', async () => {
    const message = await written(picture());
    const { messageId } = message;
    // the phone uploads only what it has received itself
    await rig.network.waitForMessage(ALICE, (message) => message.messageId === messageId);
    await rig.network.expireMedia(messageId);
    const source = sourceIn(message.content, 'image');
    expect(isGatewayError(await rig.factory.download(source, '').catch(reason), 'media_gone')).to.equal(true);
    const place = await session.link?.renewMedia({
      ...{ chat: message.chat, messageId, fromMe: false, sentAt: message.timestamp },
      content: message.content,
    });
    const fetched = await buffer(await rig.factory.download({ ...source, ...place }, ''));
    expect(fetched.equals(bytes)).to.equal(true);
  });

  it('reports a file that the phone does not have either as gone', async () => {
    const message = await written(picture());
    const { messageId } = message;
    await rig.network.waitForMessage(ALICE, (message) => message.messageId === messageId);
    await rig.network.forget(ALICE, messageId);
    const { chat, content, timestamp } = message;
    const asked = session.link?.renewMedia({ chat, messageId, fromMe: false, sentAt: timestamp, content });
    expect(isGatewayError(await asked?.catch(reason), 'media_gone')).to.equal(true);
  });

  it('repeats a rejected upload with a new token', async () => {
    await rig.network.fault({ kind: 'reject-media', number: ALICE, count: 2 });
    const { messageId } = await sendDocument();
    const { media } = await held(messageId);
    expect(media?.sha256).to.equal(sha256(bytes));
  });

  it("fails the send with each host's error when all reject the upload", async () => {
    await rig.network.fault({ kind: 'reject-media', number: ALICE });
    const before = session.sent.size;
    const error = await sendDocument().catch(reason);
    expect(isGatewayError(error, 'send_rejected') && error.message).to.match(
      /mmg\.whatsapp\.net: HTTP 500; mmg-fna\.whatsapp\.net: HTTP 500/,
    );
    expect(session.sent.size).to.equal(before);
  });

  it('skips a host that is down', async () => {
    await rig.network.fault({ kind: 'media-host-down', number: ALICE });
    const { messageId } = await sendDocument();
    expect((await held(messageId)).media?.sha256).to.equal(sha256(bytes));
  });

  it('fails the send of a missing file', async () => {
    const missing = { document: { url: join(folder.path, 'missing') }, mimetype: 'a/b' };
    const error = await session.send(BOB_PN, '', { content: missing }).catch(reason);
    expect(isGatewayError(error, 'send_rejected')).to.equal(true);
    await session.send(BOB_PN, 'still here');
  });
});

function sourceIn(content: MessageContent, mediaType: MediaSource['mediaType']): MediaSource {
  const { url, directPath, mediaKey, fileSha256, fileEncSha256 } =
    protoOf(content)[`${mediaType}Message`] ?? {};
  if (!url || !directPath || !mediaKey || !fileSha256 || !fileEncSha256)
    throw new Error('not all is told of the file');
  return { mediaType, url, directPath, mediaKey, fileSha256, fileEncSha256 };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function reason(error: unknown): unknown {
  return error;
}
