import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import type { MediaKind, MediaView, MessageView } from '../../src/client/sandbox/client.js';
import { LIMITS } from '../../src/domain/limits.js';
import { film, pdf, recording, voiceNote } from '../support/made-files.js';
import { eventOf, startReceiver, type TestReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';
import {
  ALICE,
  type ApiAnswer,
  BOB,
  Conversations,
  lidOf,
  linkSession,
  type Side,
  startWorld,
} from '../support/world.js';

const PATH = '/send-media-message';

/** A file, how it is asked for, and what a phone makes of it. */
interface Case {
  what: string;
  bytes: () => Promise<Buffer> | Buffer;
  mimeType: string;
  fileName: string;
  wishes?: { sendAudioAsVoice?: boolean; asSticker?: boolean };
  kind: MediaKind;
  held: Partial<MediaView>;
  /** The file has a thumbnail. */
  thumbnail?: boolean;
}

const CASES: Case[] = [
  {
    what: 'a picture',
    bytes: () => picture().jpeg().toBuffer(),
    mimeType: 'image/jpeg',
    fileName: 'menu.jpg',
    kind: 'image',
    held: { mimeType: 'image/jpeg', width: 320, height: 240 },
    thumbnail: true,
  },
  {
    what: 'a video',
    bytes: () => film(7, { width: 640, height: 360 }),
    mimeType: 'video/mp4',
    fileName: 'tour.mp4',
    kind: 'video',
    held: { mimeType: 'video/mp4', seconds: 7, width: 640, height: 360 },
  },
  {
    what: 'an audio file',
    bytes: () => recording(3),
    mimeType: 'audio/wav',
    fileName: 'song.wav',
    kind: 'audio',
    held: { mimeType: 'audio/wav', seconds: 3, voice: false },
  },
  {
    what: 'a voice note',
    bytes: () => voiceNote(4),
    mimeType: 'audio/ogg',
    fileName: 'voice.ogg',
    wishes: { sendAudioAsVoice: true },
    kind: 'audio',
    held: { mimeType: 'audio/ogg; codecs=opus', seconds: 4, voice: true, waveform: 64 },
  },
  {
    what: 'a document',
    bytes: () => pdf(3),
    mimeType: 'application/pdf',
    fileName: 'Speisekarte März.pdf',
    kind: 'document',
    held: { mimeType: 'application/pdf', pageCount: 3, fileName: 'Speisekarte März.pdf' },
  },
  {
    what: 'any bytes',
    bytes: () => randomBytes(5_000).fill(0, 0, 16),
    mimeType: 'application/octet-stream',
    fileName: 'data.bin',
    kind: 'document',
    held: { mimeType: 'application/octet-stream', fileName: 'data.bin' },
  },
  {
    what: 'a sticker',
    bytes: () => picture().webp().toBuffer(),
    mimeType: 'image/webp',
    fileName: 'hi.webp',
    wishes: { asSticker: true },
    kind: 'sticker',
    held: { mimeType: 'image/webp', width: 320, height: 240, animated: false },
  },
];
/** Kinds under which a person can write something. */
const CAPTIONED: ReadonlySet<MediaKind> = new Set(['image', 'video', 'document']);

describe('/send-media-message over the wire', () => {
  let chats: Conversations;
  let host: TestReceiver;

  before(async () => {
    chats = await Conversations.start();
    host = await startReceiver();
  });
  after(async () => {
    await chats.stop();
    await host.stop();
  });
  afterEach(async () => {
    await chats.world.phones.clearFaults();
    // the hosted inbox stores a sent file from the disk
    await until('the files on disk are removed', async () => (await onDisk()).length === 0);
  });

  async function onDisk(): Promise<string[]> {
    const spool = join(chats.world.dataDir, 'spool');
    const [run = ''] = await readdir(spool);
    return readdir(join(spool, run));
  }

  /** Lets the host answer with a file. */
  function serve(bytes: Buffer, headers: Record<string, string> = {}): void {
    host.respond((response) => response.writeHead(200, headers).end(bytes));
  }

  const byUrl = (side: Side, wish: object, headers = {}) =>
    chats.world.api.post(PATH, { clientId: side.clientId, to: BOB.number, ...wish }, headers);

  function upload(side: Side, file: File, parts: object, headers = {}): Promise<ApiAnswer> {
    const form = new FormData();
    const all = { clientId: side.clientId, to: BOB.number, ...parts };
    for (const [name, value] of Object.entries(all)) form.append(name, String(value));
    form.append('file', file);
    return chats.world.api.upload(`${PATH}?clientId=${side.clientId}`, form, headers);
  }

  function sent({ status, body }: ApiAnswer): string {
    expect(status, JSON.stringify(body)).to.equal(200);
    return String(body.messageId);
  }

  function heldByBob(messageId: string): Promise<MessageView> {
    return chats.world.phones.waitForMessage(
      BOB.number,
      ({ messageId: id, media }) => id === messageId && media?.sha256 !== '',
    );
  }

  /** A file arrived as it was, and its event and its row in the history tell the same. */
  async function expectArrival(
    side: Side,
    messageId: string,
    bytes: Buffer,
    { kind, held, fileName, thumbnail = false }: Case,
  ) {
    const caption = CAPTIONED.has(kind) ? 'Look at this' : '';
    const message = await heldByBob(messageId);
    expect(message).to.include({ type: kind, text: caption, from: side.phone.number });
    expect(message.media).to.include({ ...held, size: bytes.length, sha256: sha256(bytes) });
    expect(Boolean(message.media?.thumbnail), 'a thumbnail').to.equal(thumbnail);

    const event = await eventOf(chats.world.receiver, messageId);
    expect(event).to.include({ type: kind, event: 'message.sent', fromMe: true, body: caption });
    // a sticker has no name
    const named = kind === 'sticker' ? '' : fileName;
    expect(event.media).to.include({
      mediaType: kind,
      fileName: named,
      mimeType: held.mimeType,
      fileSize: bytes.length,
      caption,
    });
    expect(event.media?.download.fileSha256).to.equal(Buffer.from(sha256(bytes), 'hex').toString('base64'));
    if (!side.orgId) return;
    const row = await chats.row(side, messageId);
    expect(row).to.include({ messageType: kind, body: caption });
    expect(row?.media).to.include({ mediaType: kind, mimeType: held.mimeType, fileSize: bytes.length });
    expect(row?.media).to.include({ fileName: named });
    const { headers } = await fetch(event.media?.downloadUrl ?? '');
    const served = encodeURIComponent(named || 'file.webp');
    expect(headers.get('content-disposition')).to.match(new RegExp(`filename\\*=UTF-8''${served}$`));
  }

  for (const file of CASES) {
    const { what, mimeType, fileName, wishes = {}, kind } = file;

    it(`sends a file by URL unchanged: ${what}`, async () => {
      const bytes = await file.bytes();
      serve(bytes, { 'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(fileName)}` });
      for (const side of [chats.plain, chats.hosted]) {
        const wish = { downloadUrl: `${host.url}/download`, caption: 'Look at this', ...wishes };
        const answer = await byUrl(side, wish);
        const messageId = sent(answer);
        const told = { status: 'sent', messageId, mediaType: kind, bytes: bytes.length };
        expect(answer.body).to.deep.equal(told);
        await expectArrival(side, messageId, bytes, file);
      }
    });

    it(`sends an uploaded file unchanged: ${what}`, async () => {
      const bytes = await file.bytes();
      const part = new File([new Uint8Array(bytes)], fileName, { type: mimeType });
      for (const side of [chats.plain, chats.hosted]) {
        const answer = await upload(side, part, { caption: 'Look at this', ...wishes });
        const messageId = sent(answer);
        expect(answer.body).to.deep.equal({ status: 'sent', messageId, mediaType: kind });
        await expectArrival(side, messageId, bytes, file);
      }
    });
  }

  it('detects the type from the bytes, unless the caller names it', async () => {
    const bytes = await picture().png().toBuffer();
    serve(bytes, { 'content-type': 'text/plain' });
    const wish = { downloadUrl: `${host.url}/logo` };
    const found = await heldByBob(sent(await byUrl(chats.plain, wish)));
    expect(found).to.have.nested.include({ type: 'image', 'media.mimeType': 'image/png' });
    const named = { ...wish, mimeType: 'application/x-logo', fileName: 'our.logo' };
    const overridden = await heldByBob(sent(await byUrl(chats.plain, named)));
    expect(overridden.type).to.equal('document');
    expect(overridden.media).to.include({ mimeType: 'application/x-logo', fileName: 'our.logo' });
  });

  it('keeps the file name of a picture in a forwarded copy, and adds none to a picture without one', async () => {
    serve(await picture().png().toBuffer());
    for (const side of [chats.plain, chats.hosted]) {
      const media = async (answer: ApiAnswer) =>
        (await eventOf(chats.world.receiver, sent(answer))).media?.fileName;
      const named = await byUrl(side, { downloadUrl: `${host.url}/logo`, fileName: 'our logo' });
      expect(await media(named)).to.equal('our logo.png');
      const { clientId } = side;
      const copy = { clientId, from: BOB.number, to: BOB.number, messageId: named.body.messageId };
      expect(await media(await chats.world.api.post('/forward-message', copy))).to.equal('our logo.png');
      expect(await media(await byUrl(side, { downloadUrl: `${host.url}/logo` }))).to.equal('');
    }
  });

  it('makes a sticker of any picture', async () => {
    const jpeg = await picture().jpeg().toBuffer();
    serve(jpeg);
    const messageId = sent(await byUrl(chats.plain, { downloadUrl: host.url, asSticker: true }));
    const { type, media } = await heldByBob(messageId);
    expect(type).to.equal('sticker');
    expect(media).to.include({ mimeType: 'image/webp', width: 512, height: 512 });
    expect(media?.sha256).not.to.equal(sha256(jpeg));
  });

  it('sends quotes, mentions and metaData in both modes', async () => {
    const question = await chats.fromBob(chats.plain, { text: 'where is it?' });
    const metaData = { fromAI: true, order: ['A-1'] };
    const mentions = [lidOf(chats.bob)];
    const quotedMessageId = question.messageId;
    serve(Buffer.from('plain'), { 'content-type': 'text/plain' });
    const wish = { downloadUrl: `${host.url}/a.txt`, quotedMessageId, mentions, metaData };
    const parts = { quotedMessageId, mentions: mentions.join(','), metaData: JSON.stringify(metaData) };
    const file = new File(['plain'], 'a.txt', { type: 'text/plain' });
    for (const answer of [await byUrl(chats.plain, wish), await upload(chats.plain, file, parts)]) {
      const messageId = sent(answer);
      expect(await heldByBob(messageId)).to.deep.include({ quotedMessageId, mentions: [BOB.number] });
      const event = await eventOf(chats.world.receiver, messageId);
      expect(event).to.deep.include({ mentions, meta: { fromAI: true, raw: metaData } });
    }
  });

  it('sends a file with the type that its part names, whatever its file name and bytes look like', async () => {
    const png = new Uint8Array(await picture().png().toBuffer());
    for (const [name, type, kind] of [
      ['a', 'text/plain', 'document'],
      ['song.mp3', 'text/plain', 'document'],
      ['a', 'application/octet-stream', 'image'],
    ] as const) {
      const answer = await upload(chats.plain, new File([png], name, { type }), {});
      expect(answer.body.mediaType, `${name} ${type}`).to.equal(kind);
    }
  });

  it('sends a file once for an idempotency key', async () => {
    serve(Buffer.from('once'), { 'content-type': 'text/plain' });
    const calls = host.calls.length;
    const wish = { downloadUrl: `${host.url}/once.txt` };
    const first = await byUrl(chats.hosted, wish, { 'idempotency-key': 'media by url' });
    const second = await byUrl(chats.hosted, wish, { 'idempotency-key': 'media by url' });
    expect(second.body).to.deep.equal(first.body);
    expect(host.calls).to.have.length(calls + 1);

    const send = (text: string) =>
      upload(chats.hosted, new File([text], 'a.txt'), {}, { 'idempotency-key': 'media in a form' });
    const uploaded = await send('once');
    expect((await send('once')).body).to.deep.equal(uploaded.body);
    expect((await send('other')).status).to.equal(409);
    const { messageId } = uploaded.body;
    await heldByBob(String(messageId));
    const held = await chats.world.phones.messages(BOB.number);
    expect(held.filter((message) => message.messageId === messageId)).to.have.length(1);
  });

  it('sends a text with the link when the file at a URL is too large', async () => {
    host.respond((response) =>
      response.writeHead(200, { 'content-length': LIMITS.mediaFallbackBytes + 1 }).write('a'),
    );
    const downloadUrl = `${host.url}/tour.mp4?size=large`;
    for (const side of [chats.plain, chats.hosted]) {
      const answer = await byUrl(side, { downloadUrl, caption: 'The tour' });
      const messageId = sent(answer);
      expect(answer.body).to.deep.equal({ status: 'sent', messageId, fallback: 'text' });
      const text = `The tour\n${downloadUrl}`;
      const message = await chats.world.phones.waitForMessage(
        BOB.number,
        (one) => one.messageId === messageId,
      );
      expect(message).to.include({ type: 'text', text });
      expect(await eventOf(chats.world.receiver, messageId)).to.include({ type: 'text', body: text });
    }
  });

  describe('a file that cannot be sent', () => {
    /** A refused file is not delivered. */
    async function expectRefusal(sending: Promise<ApiAnswer>, status: number, error: RegExp): Promise<void> {
      const before = await chats.world.phones.messages(BOB.number);
      const answer = await sending;
      expect([answer.status, Object.keys(answer.body)]).to.deep.equal([status, ['error']]);
      expect(answer.body.error).to.match(error);
      expect(await chats.world.phones.messages(BOB.number)).to.have.length(before.length);
    }

    it('answers 502 when the URL returns no file', async () => {
      host.respond((response) => response.writeHead(404).end());
      const gone = byUrl(chats.plain, { downloadUrl: `${host.url}/gone` });
      await expectRefusal(gone, 502, /\/gone: the host answered 404$/);
      host.respond((response) => response.writeHead(200, { 'content-length': 200_000_000 }).write('a'));
      const huge = byUrl(chats.plain, { downloadUrl: host.url });
      await expectRefusal(huge, 502, /it has more than 100 MB$/);
      const nowhere = byUrl(chats.plain, { downloadUrl: 'https://nowhere.invalid/a' });
      await expectRefusal(nowhere, 502, /could not be fetched/);
    });

    it('answers 502 when the network refuses the file', async () => {
      serve(Buffer.from('refused'));
      const { number } = chats.plain.phone;
      await chats.world.phones.fault({ kind: 'reject-media', number });
      await expectRefusal(byUrl(chats.plain, { downloadUrl: host.url }), 502, /nothing was sent/);
      await expectRefusal(upload(chats.plain, new File(['a'], 'a.txt'), {}), 502, /nothing was sent/);
      await chats.world.phones.clearFaults();
      await chats.world.phones.fault({ kind: 'reject-sends', number, count: 1 });
      await expectRefusal(upload(chats.plain, new File(['a'], 'a.txt'), {}), 502, /rejected/);
    });

    it('answers 400 for a sticker that is not a picture', async () => {
      serve(voiceNote(1));
      const rule = /^asSticker takes a picture/;
      await expectRefusal(byUrl(chats.plain, { downloadUrl: host.url, asSticker: true }), 400, rule);
      const text = new File(['no picture'], 'a.txt', { type: 'text/plain' });
      await expectRefusal(upload(chats.plain, text, { asSticker: true }), 400, rule);
    });

    it('answers 404 for a session that is unknown or not paired', async () => {
      await chats.world.api.post('/start?clientId=unpaired');
      for (const clientId of ['unknown', 'unpaired']) {
        const side = { ...chats.plain, clientId };
        await expectRefusal(byUrl(side, { downloadUrl: host.url }), 404, new RegExp(clientId));
        await expectRefusal(upload(side, new File(['a'], 'a.txt'), {}), 404, new RegExp(clientId));
      }
    });

    it('answers 400 for a recipient unknown to the network', async () => {
      const nobody = { to: '+15559999999' };
      await expectRefusal(byUrl(chats.plain, { downloadUrl: host.url, ...nobody }), 400, /15559999999/);
      await expectRefusal(upload(chats.plain, new File(['a'], 'a.txt'), nobody), 400, /15559999999/);
    });
  });
});

describe('/send-media-message with a URL in a private network', () => {
  it('refuses the URL without --allow-private-urls, before any connection', async () => {
    const world = await startWorld({ settings: { allowPrivateUrls: false } });
    const host = await startReceiver();
    try {
      await linkSession(world, 'acme', ALICE, { webhookUrl: '' });
      const inside = ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254'];
      const addresses = [...inside.map((name) => `https://${name}:${host.port}/a`), `${host.url}/a`];
      for (const downloadUrl of addresses) {
        const { status, body } = await world.api.post(PATH, {
          clientId: 'acme',
          to: ALICE.number,
          downloadUrl,
        });
        expect(status, downloadUrl).to.equal(400);
        expect(body.error, downloadUrl).to.match(/^downloadUrl .*--allow-private-urls/);
      }
      expect(host.calls).to.deep.equal([]);
    } finally {
      await host.stop();
      await world.stop();
    }
  });
});

function picture(): Sharp {
  return sharp({ create: { width: 320, height: 240, channels: 3, background: 'green' } });
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
