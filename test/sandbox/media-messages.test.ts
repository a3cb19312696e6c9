import { createHash, randomBytes } from 'node:crypto';
import type { AnyMessageContent, proto, WAMessage } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import sharp from 'sharp';
import type { MediaContent, MediaView, MessageView } from '../../src/client/sandbox/client.js';
import type { BaileysDevice } from './support/baileys-device.js';
import { download, uploadRoute } from './support/media-route.js';
import { ALICE, BOB, pnJid, SandboxWorld } from './support/world.js';

const BYTES = randomBytes(100_000);
const LARGE_BYTES = 20_000_000;

interface FromClient {
  what: string;
  content: AnyMessageContent;
  type: string;
  text?: string;
  media: Partial<MediaView>;
}

const FROM_CLIENT: FromClient[] = [
  {
    what: 'a picture with a caption',
    content: {
      image: BYTES,
      caption: 'look',
      mimetype: 'image/png',
      width: 30,
      height: 20,
      jpegThumbnail: 'AAAA',
    },
    type: 'image',
    text: 'look',
    media: { mimeType: 'image/png', caption: 'look', width: 30, height: 20, thumbnail: 3, viewOnce: false },
  },
  {
    what: 'a picture that may be looked at once',
    content: { image: BYTES, viewOnce: true, jpegThumbnail: 'AAAA' },
    type: 'image',
    media: { viewOnce: true },
  },
  {
    what: 'a video',
    content: { video: BYTES, caption: 'moves', seconds: 7, gifPlayback: true, jpegThumbnail: 'AAAA' },
    type: 'video',
    text: 'moves',
    media: { mimeType: 'video/mp4', seconds: 7, animated: true, voice: false },
  },
  {
    what: 'a voice note',
    content: { audio: BYTES, ptt: true, seconds: 3, mimetype: 'audio/ogg; codecs=opus' },
    type: 'audio',
    media: { mimeType: 'audio/ogg; codecs=opus', seconds: 3, voice: true },
  },
  {
    what: 'a document with a caption',
    content: { document: BYTES, mimetype: 'application/pdf', fileName: 'a.pdf', caption: 'read' },
    type: 'document',
    text: 'read',
    media: { mimeType: 'application/pdf', fileName: 'a.pdf', caption: 'read' },
  },
  {
    what: 'a sticker',
    content: { sticker: BYTES, isAnimated: true, width: 512, height: 512 },
    type: 'sticker',
    media: { mimeType: 'image/webp', animated: true, width: 512, height: 512 },
  },
];

interface FromPhone {
  what: string;
  media: Omit<MediaContent, 'base64'>;
  find(message: proto.IMessage): object | null | undefined;
  fields: object;
}

const FROM_PHONE: FromPhone[] = [
  {
    what: 'a picture',
    media: { kind: 'image', mimeType: 'image/png', caption: 'look', width: 30, height: 20 },
    find: ({ imageMessage }) => imageMessage,
    fields: { mimetype: 'image/png', caption: 'look', width: 30, height: 20 },
  },
  {
    what: 'a picture that may be looked at once',
    media: { kind: 'image', mimeType: 'image/png', viewOnce: true },
    find: ({ viewOnceMessageV2 }) => viewOnceMessageV2?.message?.imageMessage,
    fields: { viewOnce: true },
  },
  {
    what: 'a video that plays like a GIF',
    media: { kind: 'video', mimeType: 'video/mp4', seconds: 7, animated: true },
    find: ({ videoMessage }) => videoMessage,
    fields: { seconds: 7, gifPlayback: true },
  },
  {
    what: 'a voice note',
    media: { kind: 'audio', mimeType: 'audio/ogg; codecs=opus', seconds: 3, voice: true },
    find: ({ audioMessage }) => ({ ...audioMessage, waveform: audioMessage?.waveform?.length }),
    fields: { seconds: 3, ptt: true, waveform: 64 },
  },
  {
    what: 'a document',
    media: { kind: 'document', mimeType: 'application/pdf', fileName: 'a.pdf', pageCount: 2 },
    find: ({ documentMessage }) => documentMessage,
    fields: { fileName: 'a.pdf', title: 'a.pdf', pageCount: 2 },
  },
  {
    what: 'a document with a caption',
    media: { kind: 'document', mimeType: 'application/pdf', fileName: 'a.pdf', caption: 'read' },
    find: ({ documentWithCaptionMessage }) => documentWithCaptionMessage?.message?.documentMessage,
    fields: { fileName: 'a.pdf', caption: 'read' },
  },
  {
    what: 'a sticker',
    media: { kind: 'sticker', mimeType: 'image/webp', animated: true },
    find: ({ stickerMessage }) => stickerMessage,
    fields: { isAnimated: true, mimetype: 'image/webp' },
  },
];

describe('Sandbox: files in messages', () => {
  const world = new SandboxWorld();
  let alice: BaileysDevice;

  before(async () => {
    await world.open();
    alice = await world.linked(ALICE, uploadRoute(world));
  });
  after(() => world.close());

  const held = (number: string, id: string): Promise<MessageView> =>
    world.client.waitForMessage(number, ({ messageId }) => messageId === id);

  async function fromBob(media: MediaContent): Promise<WAMessage & { id: string }> {
    const { messageId } = await world.client.write(BOB, { to: ALICE, media });
    return { ...(await alice.message(messageId)), id: messageId };
  }

  for (const { what, content, type, text = '', media } of FROM_CLIENT) {
    it(`fetches ${what} of a client`, async () => {
      const { id } = await alice.send(pnJid(BOB), content);
      for (const number of [BOB, ALICE]) {
        const message = await held(number, id);
        expect(message).to.include({ type, text });
        expect(message.media).to.include({ ...media, size: BYTES.length, sha256: sha256(BYTES) });
        expect(message.media).not.to.have.property('error');
      }
    });
  }

  for (const { what, media, find, fields } of FROM_PHONE) {
    it(`sends ${what} that a client can fetch`, async () => {
      const message = await fromBob({ ...media, base64: BYTES.toString('base64') });
      expect(find(message.message ?? {})).to.include(fields);
      expect(await download(world, message)).to.deep.equal(BYTES);
      const [own, theirs] = await Promise.all([held(BOB, message.id), held(ALICE, message.id)]);
      expect(own.media).to.include({ size: BYTES.length, sha256: sha256(BYTES) });
      expect(theirs.media).to.deep.equal(own.media);
      expect(theirs.type).to.equal(media.kind);
    });
  }

  it('sends random bytes of the requested size, and shows their hash', async () => {
    const message = await fromBob({ kind: 'document', mimeType: 'application/zip', size: LARGE_BYTES });
    const bytes = await download(world, message);
    expect(bytes).to.have.length(LARGE_BYTES);
    expect((await held(BOB, message.id)).media).to.include({ size: LARGE_BYTES, sha256: sha256(bytes) });
    expect((await held(ALICE, message.id)).media?.sha256).to.equal(sha256(bytes));
  });

  it('sends a file that was uploaded before', async () => {
    const { file, size } = await world.client.addFile(BYTES);
    expect({ file, size }).to.deep.equal({ file: sha256(BYTES), size: BYTES.length });
    const message = await fromBob({ kind: 'document', mimeType: 'text/plain', file });
    expect(await download(world, message)).to.deep.equal(BYTES);
    const unknown: unknown = await fromBob({
      kind: 'document',
      mimeType: 'text/plain',
      file: sha256(Buffer.from('other')),
    }).catch((error: unknown) => error);
    expect(unknown).to.have.property('status', 404);
  });

  it('carries a real picture through a client unchanged', async () => {
    const image = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer();
    const { id } = await alice.send(pnJid(BOB), { image });
    const { media } = await held(BOB, id);
    expect(media).to.include({ width: 64, height: 48, sha256: sha256(image) });
    expect(media?.thumbnail).to.be.greaterThan(0);
  });

  it('changes a caption', async () => {
    const { id, message } = await fromBob({
      kind: 'image',
      mimeType: 'image/png',
      size: 10,
      caption: 'catp',
    });
    expect(message?.imageMessage?.caption).to.equal('catp');
    await world.client.write(BOB, { to: ALICE, edit: { messageId: id, text: 'cat' } });
    const edited = await world.client.waitForMessage(ALICE, (one) => one.messageId === id && one.edited);
    expect(edited).to.deep.include({ type: 'image', text: 'cat', history: ['catp'] });
    expect(edited.media).to.include({ caption: 'cat', size: 10 });
  });

  describe('damaged files', () => {
    const DAMAGED: [what: string, damage: (part: proto.Message.IDocumentMessage) => object, error: RegExp][] =
      [
        [
          'a file that nobody uploaded',
          () => ({ directPath: `/v/document/${'A'.repeat(43)}.enc` }),
          /does not have/,
        ],
        [
          'another encrypted hash',
          () => ({ fileEncSha256: randomBytes(32) }),
          /encrypted file has another hash/,
        ],
        ['another key', () => ({ mediaKey: randomBytes(32) }), /wrong MAC/],
        ['another hash', () => ({ fileSha256: randomBytes(32) }), /decrypted file has another hash/],
        ['another size', () => ({ fileLength: 1 }), /another size/],
        ['no key', () => ({ mediaKey: null }), /lacks the key/],
      ];

    for (const [what, damage, error] of DAMAGED) {
      it(`shows why a message has no file: ${what}`, async () => {
        const sent = await alice.send(pnJid(BOB), { document: BYTES, mimetype: 'text/plain' });
        const part = sent.message.documentMessage ?? {};
        const messageId = `3EB0${randomBytes(8).toString('hex').toUpperCase()}`;
        const message = { documentMessage: { ...part, ...damage(part) } };
        await alice.socket.relayMessage(pnJid(BOB), message, { messageId });
        const { media } = await held(BOB, messageId);
        expect(media?.sha256).to.equal('');
        expect(media?.error).to.match(error);
      });
    }
  });

  describe('expired files', () => {
    const gone = (message: WAMessage) =>
      download(world, message).then(
        () => false,
        () => true,
      );

    it('the phone that stores a file uploads it again, at another address', async () => {
      const message = await fromBob({ kind: 'image', mimeType: 'image/png', size: 5_000 });
      const bytes = await download(world, message);
      await held(ALICE, message.id);
      const { directPath } = message.message?.imageMessage ?? {};
      expect(await world.client.expireMedia(message.id)).to.deep.equal({ expired: 1 });
      expect((await fetch(`${world.sandbox.url}${directPath}`)).status).to.equal(410);
      expect(await gone(message)).to.equal(true);
      await alice.socket.updateMediaMessage(message);
      expect(message.message?.imageMessage?.directPath).not.to.equal(directPath);
      expect(await download(world, message)).to.deep.equal(bytes);
      expect((await fetch(`${world.sandbox.url}${directPath}`)).status).to.equal(410);
    });

    it("the phone uploads the own account's files again too", async () => {
      const message = await alice.send(pnJid(BOB), { document: BYTES, mimetype: 'text/plain' });
      await held(ALICE, message.id);
      await world.client.expireMedia();
      expect(await gone(message)).to.equal(true);
      await alice.socket.updateMediaMessage(message);
      expect(await download(world, message)).to.deep.equal(BYTES);
    });

    for (const [what, only] of [
      ['the message', undefined],
      ['the file', 'file'],
    ] as const) {
      it(`a file is lost when the person has deleted ${what}`, async () => {
        const message = await fromBob({ kind: 'image', mimeType: 'image/png', size: 5_000 });
        await held(ALICE, message.id);
        await world.client.expireMedia(message.id);
        await world.client.forget(ALICE, message.id, only);
        const error: unknown = await alice.socket
          .updateMediaMessage(message)
          .catch((reason: unknown) => reason);
        expect(error).to.have.nested.property('output.statusCode', 404);
      });
    }

    it('the phone uploads no file for an unknown message', async () => {
      const error: unknown = await world.client.expireMedia('nothing').catch((reason: unknown) => reason);
      expect(error).to.have.property('status', 404);
    });
  });
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
