import { randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { MediaContent } from '../../src/client/sandbox/client.js';
import type { EventEnvelope } from '../../src/contract/events/envelope.js';
import type { MediaExtra } from '../../src/contract/events/extras.js';
import { fetchFile } from '../support/made-files.js';
import { BOB, Conversations, lidOf, type Side, type Wish } from '../support/world.js';

/** A message of a person, and the fields of its event besides the envelope. */
interface Case {
  what: string;
  wish: Wish;
  event: Partial<EventEnvelope>;
  /** Of the stored message, where it is not the event's. */
  messageType?: string;
}

const CASES: Case[] = [
  { what: 'a text', wish: { text: 'hello' }, event: { type: 'text', body: 'hello' }, messageType: 'chat' },
  {
    what: 'a text with a link preview',
    wish: {
      text: 'see https://example.com',
      linkPreview: { matchedText: 'https://example.com', title: 'Example' },
    },
    event: {
      type: 'text',
      body: 'see https://example.com',
      linkPreview: { url: 'https://example.com', title: 'Example', description: '' },
    },
    messageType: 'chat',
  },
  {
    what: 'a text that disappears',
    wish: { text: 'gone tomorrow', ephemeral: 86_400 },
    event: { type: 'text', body: 'gone tomorrow' },
    messageType: 'chat',
  },
  {
    what: 'the first text after a click on an ad',
    wish: {
      text: 'Is this still available?',
      ad: {
        sourceUrl: 'https://fb.me/1',
        sourceId: '120200000000000001',
        title: 'Spring sale',
        body: 'All shoes',
        mediaType: 'video',
        mediaUrl: 'https://example.com/ad.mp4',
        thumbnailUrl: 'https://example.com/ad.jpg',
        ctwaClid: 'ARAkLkA8rmlFeiCktEJQ',
        ref: 'spring',
        sourceApp: 'instagram',
      },
    },
    event: {
      type: 'text',
      body: 'Is this still available?',
      referral: {
        sourceUrl: 'https://fb.me/1',
        sourceId: '120200000000000001',
        sourceType: 'ad',
        title: 'Spring sale',
        body: 'All shoes',
        mediaType: 'video',
        mediaUrl: 'https://example.com/ad.mp4',
        thumbnailUrl: 'https://example.com/ad.jpg',
        ctwaClid: 'ARAkLkA8rmlFeiCktEJQ',
        ref: 'spring',
        sourceApp: 'instagram',
        entryPointConversionSource: 'ctwa_ad',
        entryPointConversionApp: 'instagram',
        conversionSource: 'FB_Ads',
      },
    },
    messageType: 'chat',
  },
  {
    what: 'a forwarded text',
    wish: { text: 'have you heard?', forwarded: true },
    event: { type: 'text', body: 'have you heard?', isForwarded: true },
    messageType: 'chat',
  },
  {
    what: 'a poll',
    wish: { poll: { name: 'Lunch?', options: ['Pizza', 'Soup'], selectableCount: 1 } },
    event: {
      type: 'poll_creation',
      body: 'Lunch?',
      poll: { name: 'Lunch?', options: ['Pizza', 'Soup'], selectableCount: 1 },
    },
    messageType: 'poll',
  },
  {
    what: 'a location',
    wish: { location: { latitude: 52.5, longitude: 13.25, name: 'Office', address: 'Main Street 1' } },
    event: {
      type: 'location',
      body: 'Office',
      location: { latitude: 52.5, longitude: 13.25, name: 'Office', address: 'Main Street 1', live: false },
    },
  },
  {
    what: 'a live location',
    wish: { location: { latitude: 52.5, longitude: 13.25, live: true } },
    event: {
      type: 'location',
      body: '52.5, 13.25',
      location: { latitude: 52.5, longitude: 13.25, name: '', address: '', live: true },
    },
  },
  {
    what: 'a message of an unknown kind',
    wish: { raw: encoded({ eventMessage: { name: 'Team dinner' } }) },
    event: { type: 'text', body: '[event invitation] Team dinner' },
    messageType: 'chat',
  },
];

/** A file that a person sends, and what its event says beside type, size and download. */
interface FileCase {
  what: string;
  file: Omit<MediaContent, 'base64'>;
  media: Partial<MediaExtra>;
}

const FILES: FileCase[] = [
  {
    what: 'an image with its caption',
    file: { kind: 'image', mimeType: 'image/jpeg', caption: 'look', width: 640, height: 480 },
    media: { caption: 'look', width: 640, height: 480 },
  },
  {
    what: 'a view-once image',
    file: { kind: 'image', mimeType: 'image/jpeg', viewOnce: true },
    media: { viewOnce: true },
  },
  {
    what: 'a video',
    file: { kind: 'video', mimeType: 'video/mp4', seconds: 12, caption: 'watch' },
    media: { seconds: 12, caption: 'watch' },
  },
  {
    what: 'an audio file',
    file: { kind: 'audio', mimeType: 'audio/mpeg', seconds: 7 },
    media: { seconds: 7, voice: false },
  },
  {
    what: 'a voice note',
    file: { kind: 'audio', mimeType: 'audio/ogg; codecs=opus', seconds: 7, voice: true },
    media: { seconds: 7, voice: true },
  },
  {
    what: 'a document',
    file: { kind: 'document', mimeType: 'application/pdf', fileName: 'offer.pdf' },
    media: { fileName: 'offer.pdf' },
  },
  {
    what: 'a document with a caption',
    file: { kind: 'document', mimeType: 'application/pdf', fileName: 'offer.pdf', caption: 'please sign' },
    media: { fileName: 'offer.pdf', caption: 'please sign' },
  },
  {
    what: 'a sticker',
    file: { kind: 'sticker', mimeType: 'image/webp', animated: true },
    media: { animated: true },
  },
];

describe('received messages, as events', () => {
  let chats: Conversations;
  before(async () => {
    chats = await Conversations.start();
  });
  after(() => chats.stop());

  const sides = () => [chats.plain, chats.hosted];

  /** The same from Bob, and from the linked phone to him. */
  async function bothWays(side: Side, wish: Wish, check: (event: EventEnvelope) => Promise<void> | void) {
    const received = await chats.fromBob(side, wish);
    expect(received).to.include({ event: 'message.received', fromMe: false, pushName: 'Bob' });
    await check(received);
    const sent = await chats.fromOwner(side, wish);
    expect(sent).to.include({ event: 'message.sent', fromMe: true, pushName: side.phone.name });
    await check(sent);
  }

  /** The row says what the event says. */
  async function checkRow(side: Side, event: EventEnvelope, messageType: string, extras: object) {
    if (!side.orgId) return;
    const { messageId, chatRoomId, body, fromMe, pushName, timestamp } = event;
    expect(await chats.row(side, messageId)).to.deep.include({
      messageId,
      chatRoomId,
      clientId: side.clientId,
      body,
      messageType,
      fromMe,
      pushname: pushName,
      sentAt: timestamp,
      deleted: false,
      fromAi: false,
      extras,
    });
  }

  it('received messages have one envelope, whoever wrote them', async () => {
    for (const side of sides()) {
      await bothWays(side, { text: 'hello' }, (event) => {
        expect(event).to.deep.equal({
          event: event.fromMe ? 'message.sent' : 'message.received',
          type: 'text',
          clientId: side.clientId,
          orgId: side.orgId,
          timestamp: event.timestamp,
          chatRoomId: side.chatRoomId,
          myLid: lidOf(side.phone),
          clientLid: lidOf(chats.bob),
          remoteJid: chats.bob.lid,
          remoteName: 'Bob',
          remotePhone: BOB.number,
          remoteUsername: '',
          pushName: event.fromMe ? side.phone.name : 'Bob',
          avatarUrl: '',
          fromMe: event.fromMe,
          isGroup: false,
          messageId: event.messageId,
          body: 'hello',
          mentions: [],
          isForwarded: false,
        });
        expect(event.timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      });
    }
  });

  for (const { what, wish, event: expected, messageType } of CASES) {
    it(`received messages have the content that was written: ${what}`, async () => {
      for (const side of sides()) {
        await bothWays(side, wish, async (event) => {
          expect(event).to.deep.include({ isForwarded: false, ...expected });
          const { type, body, isForwarded, ...objects } = expected;
          const extras = { ...objects, ...(isForwarded && { forwarded: true }) };
          await checkRow(side, event, messageType ?? String(type), extras);
        });
      }
    });
  }

  it('received messages have no referral for the preview of a link, or after a link to the chat', async () => {
    const contextInfo = {
      externalAdReply: { title: 'Example', sourceUrl: 'https://example.com' },
      entryPointConversionSource: 'click_to_chat_link',
    };
    const message = proto.Message.encode({ extendedTextMessage: { text: 'see this', contextInfo } }).finish();
    const raw = Buffer.from(message).toString('base64');
    expect(await chats.fromBob(chats.plain, { raw }))
      .to.include({ body: 'see this' })
      .and.not.have.property('referral');
  });

  for (const { what, file, media: expected } of FILES) {
    it(`received messages contain the keys to fetch and decrypt the file: ${what}`, async () => {
      for (const side of sides()) {
        const bytes = randomBytes(1_000);
        const wish = { media: { ...file, base64: bytes.toString('base64') } };
        await bothWays(side, wish, async (event) => {
          const { media } = event;
          expect(event).to.include({ type: file.kind, body: file.caption ?? '' });
          expect(media).to.deep.include({
            mimeType: file.mimeType,
            mediaType: file.kind,
            fileName: '',
            fileSize: bytes.length,
            caption: '',
            ...expected,
          });
          if (!media) return;
          expect(media.download.mediaKeyTimestamp).to.be.greaterThan(0);
          const fetched = await fetchFile(chats.world.sandbox.url, file.kind, media.download);
          expect(fetched.equals(bytes)).to.equal(true);
          if (!side.orgId) return;
          const row = await chats.row(side, event.messageId);
          expect(row).to.deep.include({ messageType: file.kind, body: event.body });
          const { mimeType, mediaType, fileName, fileSize } = media;
          expect(row?.media).to.deep.equal({ mimeType, mediaType, fileName, fileSize });
          expect(row?.extras.media).to.deep.equal(media);
        });
      }
    });
  }

  it('received messages contain one contact card or several', async () => {
    const cards = [
      { displayName: 'Ada Example', phone: '+15550000008' },
      { displayName: 'Ben Example', phone: '+15550000009' },
    ];
    const [ada] = cards;
    for (const side of sides()) {
      await bothWays(side, ada ? { contact: ada } : {}, async (event) => {
        expect(event).to.include({ type: 'contact', body: 'Ada Example' });
        expect(event.contact).to.include(ada);
        expect(event.contact?.vcard).to.match(/^BEGIN:VCARD\r?\nVERSION:3\.0\r?\n[\s\S]*END:VCARD\s*$/);
        expect(event.contact).to.not.have.property('contacts');
        await checkRow(side, event, 'contact', { contact: event.contact });
      });
      await bothWays(side, { contacts: cards }, async (event) => {
        expect(event).to.include({ type: 'contact', body: 'Ada Example, Ben Example' });
        expect(event.contact).to.include(ada);
        const shared = event.contact?.contacts ?? [];
        expect(shared.map(({ displayName, phone }) => ({ displayName, phone }))).to.deep.equal(cards);
        await checkRow(side, event, 'contact', { contact: event.contact });
      });
    }
  });

  it('received messages contain the mentioned people', async () => {
    for (const side of sides()) {
      const mentions = [BOB.number, side.phone.number];
      await bothWays(side, { text: '@both', mentions }, async (event) => {
        const users = [lidOf(chats.bob), lidOf(side.phone)];
        expect(event.mentions).to.deep.equal(users);
        await checkRow(side, event, 'chat', { mentions: users });
      });
    }
  });

  it('received messages contain the quoted message', async () => {
    for (const side of sides()) {
      const question = await chats.fromBob(side, { text: 'are you there?' });
      const picture = await chats.fromOwner(side, {
        media: { kind: 'image', mimeType: 'image/jpeg', size: 100, caption: 'me' },
      });
      const answers: [EventEnvelope, string, string][] = [
        [question, lidOf(chats.bob), 'text'],
        [picture, lidOf(side.phone), 'image'],
      ];
      for (const [{ messageId, body }, participant, type] of answers) {
        await bothWays(side, { text: 'an answer', quotedMessageId: messageId }, async (event) => {
          const quoted = { messageId, participant, body, type };
          expect(event.quoted).to.deep.equal(quoted);
          await checkRow(side, event, 'chat', { quoted });
        });
      }
    }
  });

  it('received messages contain the choice from buttons or a list', async () => {
    for (const side of sides()) {
      const { messageId } = await chats.fromOwner(side, { text: 'choose' });
      const tap = { messageId, id: 'yes', displayText: 'Yes, please' };
      for (const as of ['interactive', 'buttons', 'template'] as const) {
        const event = await chats.fromBob(side, { buttonReply: { ...tap, as } });
        const interactive = { kind: 'button', id: 'yes', displayText: 'Yes, please', targetId: messageId };
        expect(event, as).to.deep.include({ type: 'interactive_reply', body: 'Yes, please', interactive });
        await checkRow(side, event, 'interactive_reply', {
          interactive,
          ...(event.quoted && { quoted: event.quoted }),
        });
      }
      const event = await chats.fromBob(side, { listReply: { messageId, id: 'row-1', title: 'First' } });
      expect(event).to.deep.include({
        type: 'interactive_reply',
        body: 'First',
        interactive: { kind: 'list', id: 'row-1', displayText: 'First', targetId: messageId },
      });
    }
  });

  it('received messages are listed by room, with unread counts', async () => {
    const { body } = await chats.world.api.get('/chatrooms?clientId=hosted');
    const last = (await chats.history(chats.hosted)).at(-1);
    expect(body.chatRooms).to.be.an('array').with.lengthOf(1);
    expect(body)
      .to.have.nested.property('chatRooms[0]')
      .that.deep.includes({
        chatRoomId: chats.hosted.chatRoomId,
        clientId: 'hosted',
        name: 'Bob',
        myLid: lidOf(chats.hosted.phone),
        clientLid: lidOf(chats.bob),
        isGroup: false,
        remoteJid: chats.bob.lid,
        lastMessage: last?.body,
        lastMessageFromMe: last?.fromMe,
        lastMessageAt: last?.sentAt,
        avatarUrl: '',
      });
    const unread = (await chats.history(chats.hosted)).filter(({ fromMe }) => !fromMe).length;
    expect(body).to.have.nested.property('chatRooms[0].unreadCount', unread);
  });

  it('received messages leave nothing in the store where no history is kept', async () => {
    expect((await chats.world.api.get('/chatrooms?clientId=plain')).body).to.deep.equal({ chatRooms: [] });
  });
});

function encoded(content: proto.IMessage): string {
  return Buffer.from(proto.Message.encode(content).finish()).toString('base64');
}
