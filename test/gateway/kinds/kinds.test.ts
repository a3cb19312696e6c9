import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import Joi from 'joi';
import { MESSAGE_EVENT_TYPES } from '../../../src/contract/events/catalogue.js';
import { envelopeFields } from '../../../src/contract/fields.js';
import type { SendPayload } from '../../../src/contract/sends/send-request.js';
import { isSilent } from '../../../src/gateway/kinds/content.js';
import { readContext } from '../../../src/gateway/kinds/context-info.js';
import { KINDS, kindOfFile, readContent, sendableKinds } from '../../../src/gateway/kinds/index.js';
import type { Content, Kind } from '../../../src/gateway/kinds/kind.js';
import { pollCreation } from '../../../src/gateway/kinds/poll-creation.js';
import { text } from '../../../src/gateway/kinds/text.js';
import { unknownName } from '../../../src/gateway/kinds/unknown.js';
import { CHAT, CONTEXT, overTheWire } from './support/wire.js';

describe('the reader of message contents', () => {
  const readings: [string, Content, string, string][] = [
    ['a plain text', { conversation: 'hi' }, 'text', 'hi'],
    ['an extended text', { extendedTextMessage: { text: 'hi', matchedText: 'x' } }, 'text', 'hi'],
    ['a disappearing text', { ephemeralMessage: { message: { conversation: 'hi' } } }, 'text', 'hi'],
    [
      'a copy for the own devices',
      { deviceSentMessage: { message: { extendedTextMessage: { text: 'hi' } } } },
      'text',
      'hi',
    ],
    [
      'wrappers within wrappers',
      { ephemeralMessage: { message: { viewOnceMessageV2: { message: { conversation: 'hi' } } } } },
      'text',
      'hi',
    ],
    [
      'a link preview without a text',
      { extendedTextMessage: { matchedText: 'https://a.b' } },
      'text',
      'https://a.b',
    ],
    ['a text for a bot', { botInvokeMessage: { message: { conversation: '@bot hi' } } }, 'text', '@bot hi'],
    [
      'a text that mentions a group',
      { groupMentionedMessage: { message: { extendedTextMessage: { text: 'hi all' } } } },
      'text',
      'hi all',
    ],
    ['an event', { eventMessage: { name: 'Team dinner' } }, 'text', '[event invitation] Team dinner'],
    [
      'a group invitation',
      { groupInviteMessage: { caption: 'join us' } },
      'text',
      '[group invitation] join us',
    ],
    ['a kind without a title', { callLogMesssage: {} }, 'text', '[call]'],
    ['a kind by its own name', { stickerPackMessage: { name: 'Cats' } }, 'text', '[sticker pack] Cats'],
    [
      'a nested title',
      { productMessage: { product: { productId: '1', title: 'A chair' } } },
      'text',
      '[product] A chair',
    ],
    [
      'a message without a title that quotes one',
      { orderMessage: { contextInfo: { quotedMessage: { conversation: 'no title' } } } },
      'text',
      '[order]',
    ],
    [
      'a message that the network keeps from linked devices',
      { placeholderMessage: { type: 0 } },
      'text',
      '[message that only the phone shows]',
    ],
    ['an edit that could not be decrypted', { secretEncryptedMessage: {} }, 'text', '[encrypted edit]'],
    ['a deleted message without a target', { protocolMessage: { type: 0 } }, 'text', '[deleted message]'],
    [
      'an edited message without a target',
      { protocolMessage: { type: 14, editedMessage: { conversation: 'better' } } },
      'text',
      '[edited message] better',
    ],
    ['a reaction without a target', { reactionMessage: { text: '👍' } }, 'text', '[reaction] 👍'],
    ['nothing at all', {}, 'text', '[empty]'],
  ];
  for (const [what, content, type, body] of readings) {
    it(`shows ${what} as ${type} ${JSON.stringify(body)}`, () => {
      expect(readContent(content).reading).to.deep.equal({ type, body });
    });
  }

  it('reads every content of the protocol, even empty, as valid JSON', () => {
    const names = Object.keys(proto.Message.prototype);
    expect(names).to.include.members(['imageMessage', 'pollCreationMessageV5', 'protocolMessage']);
    for (const name of names) {
      const content = proto.Message.fromObject({ [name]: name === 'conversation' ? 'hi' : {} });
      const { reading } = readContent(content);
      expect(MESSAGE_EVENT_TYPES, name).to.include(reading.type);
      expect(JSON.parse(JSON.stringify(reading)), name).to.deep.equal(reading);
    }
  });

  it('names an unknown kind for metrics', () => {
    expect(unknownName({ messageContextInfo: {}, eventMessage: { name: 'x' } })).to.equal('eventMessage');
  });

  it('treats protocol messages between devices as silent, and nothing that a person caused', () => {
    expect(isSilent({ protocolMessage: { type: 6 } })).to.equal(true);
    expect(isSilent({ senderKeyDistributionMessage: {}, messageContextInfo: {} })).to.equal(true);
    expect(isSilent({ placeholderMessage: { type: 0 } })).to.equal(false);
    expect(isSilent({ protocolMessage: { type: 0 } })).to.equal(false);
    expect(isSilent({ protocolMessage: { type: 14 } })).to.equal(false);
    expect(isSilent({ senderKeyDistributionMessage: {}, conversation: 'hi' })).to.equal(false);
    const setting = { protocolMessage: { type: 3, ephemeralExpiration: 86_400 } };
    expect(isSilent({ ephemeralMessage: { message: setting } })).to.equal(true);
    expect(isSilent({ ephemeralMessage: { message: { conversation: 'hi' } } })).to.equal(false);
  });

  it('finds quote, mentions and the forwarded flag in every kind', () => {
    const contextInfo = {
      stanzaId: 'A1',
      participant: '90000000000002:3@lid',
      quotedMessage: { ephemeralMessage: { message: { conversation: 'before' } } },
      mentionedJid: ['90000000000001@lid', '15550000003@s.whatsapp.net', 'nonsense'],
      isForwarded: true,
    };
    const read = (content: Content) => readContent(content).reading;
    for (const content of [
      { extendedTextMessage: { text: 'x', contextInfo } },
      { imageMessage: { contextInfo } },
      { ephemeralMessage: { message: { locationMessage: { contextInfo } } } },
    ]) {
      expect(readContext(content, read)).to.deep.equal({
        quoted: { messageId: 'A1', participant: '90000000000002', body: 'before', type: 'text' },
        mentions: ['90000000000001', '15550000003'],
        isForwarded: true,
      });
    }
    expect(readContext({ conversation: 'x' }, read)).to.deep.equal({ mentions: [], isForwarded: false });
  });

  it('marks often forwarded contents as forwarded, and quotes an unknown message by its id', () => {
    const read = (content: Content) => readContent(content).reading;
    for (const quotedMessage of [undefined, {}, { messageContextInfo: {} }]) {
      const contextInfo = { stanzaId: 'A1', forwardingScore: 5, ...(quotedMessage && { quotedMessage }) };
      expect(readContext({ extendedTextMessage: { text: 'x', contextInfo } }, read)).to.deep.equal({
        quoted: { messageId: 'A1', body: '', type: 'text' },
        mentions: [],
        isForwarded: true,
      });
    }
  });

  it('reads a quoted content by its own kind', () => {
    const read = (content: Content) => readContent(content).reading;
    const quotedMessage = { viewOnceMessage: { message: { imageMessage: { caption: 'Look!' } } } };
    const contextInfo = { stanzaId: 'A1', quotedMessage };
    expect(readContext({ extendedTextMessage: { text: 'x', contextInfo } }, read).quoted).to.deep.equal({
      messageId: 'A1',
      body: 'Look!',
      type: 'image',
    });
  });
});

describe('a new kind', () => {
  interface AlbumPayload extends SendPayload {
    title: string;
  }

  /** All that there is to write for it. */
  const album: Kind = {
    name: 'album',
    storedType: 'image',
    send: {
      path: '/send-album',
      description: 'Send an album',
      payload: Joi.object<AlbumPayload>({ ...envelopeFields, title: Joi.string().required() }),
      compose: () => ({ raw: { albumMessage: { expectedImageCount: 2 } } }),
    },
    file: {
      takes: (mimeType) => mimeType === 'application/x-album',
      compose: () => ({ raw: { albumMessage: {} } }),
    },
    read: ({ albumMessage }) => (albumMessage ? { type: 'image', body: 'an album' } : undefined),
  };
  const kinds = [album, ...KINDS];

  it('a new kind is read once it is in the list, also nested in other contents', () => {
    const wrapped = { ephemeralMessage: { message: { albumMessage: {} } } };
    expect(readContent(wrapped, kinds)).to.deep.equal({
      kind: album,
      reading: { type: 'image', body: 'an album' },
    });
    const edit = { protocolMessage: { type: 14, key: { id: 'A1' }, editedMessage: wrapped } };
    expect(readContent(edit, kinds).reading.body).to.equal('an album');
  });

  it('a new kind has a route, and accepts files', () => {
    expect(sendableKinds(kinds).map(({ path }) => path)).to.include('/send-album');
    const wishes = { caption: '', asVoice: false, asSticker: false };
    expect(kindOfFile('application/x-album', wishes, kinds)?.name).to.equal('album');
  });

  it('a new kind is read as unknown while it is not in the list', () => {
    expect(readContent({ albumMessage: {} })).to.deep.equal({ reading: { type: 'text', body: '[album]' } });
    expect(unknownName({ albumMessage: {} })).to.equal('albumMessage');
  });
});

async function sent(selectableCount?: number): Promise<Content> {
  const asked = { clientId: 'acme', to: '+15550000002', pollName: 'Lunch?', pollOptions: ['Pizza', 'Soup'] };
  const { send } = pollCreation;
  const payload = send && Joi.attempt({ ...asked, selectableCount }, send.payload);
  if (!payload) throw new Error('polls cannot be sent');
  return overTheWire(send.compose(payload, CONTEXT));
}

describe('a poll', () => {
  it('a poll allows one choice by default, in the field that phones use for such polls', async () => {
    expect((await sent()).pollCreationMessageV3?.selectableOptionsCount).to.equal(1);
    expect((await sent(1)).pollCreationMessageV3?.selectableOptionsCount).to.equal(1);
    expect((await sent(2)).pollCreationMessage?.selectableOptionsCount).to.equal(2);
  });

  it('a poll has a unique secret, with which votes are encrypted', async () => {
    const secrets = await Promise.all([sent(), sent()]).then((polls) =>
      polls.map(({ messageContextInfo }) =>
        Buffer.from(messageContextInfo?.messageSecret ?? []).toString('hex'),
      ),
    );
    expect(secrets[0]).to.match(/^[0-9a-f]{64}$/);
    expect(secrets[0]).to.not.equal(secrets[1]);
  });

  it('refuses more choices than options, with a clear error', () => {
    const asked = { clientId: 'acme', to: '1'.repeat(9), pollName: '?', pollOptions: ['a', 'b'] };
    const { error } = pollCreation.send?.payload.validate({ ...asked, selectableCount: 3 }) ?? {};
    expect(error?.message).to.contain('must not be more than the number of pollOptions');
  });

  it('a poll is read the same in every version', () => {
    const poll = { name: 'Lunch?', options: [{ optionName: 'Pizza' }, { optionName: 'Soup' }] };
    const one = { ...poll, selectableOptionsCount: 1 };
    const versions: Content[] = [
      { pollCreationMessage: one },
      { pollCreationMessageV2: one },
      { pollCreationMessageV3: one },
      { pollCreationMessageV4: { message: { pollCreationMessage: one } } },
      { pollCreationMessageV5: one },
      { ephemeralMessage: { message: { pollCreationMessageV3: one } } },
    ];
    for (const content of versions) {
      const { kind, reading } = readContent(content);
      expect(reading).to.deep.equal({
        type: 'poll_creation',
        body: 'Lunch?',
        extra: { poll: { name: 'Lunch?', options: ['Pizza', 'Soup'], selectableCount: 1 } },
      });
      expect(kind?.storedType).to.equal('poll');
    }
  });

  it('a poll allows all options when no limit is set', () => {
    const options = [{ optionName: 'Pizza' }, { optionName: 'Soup' }];
    for (const bound of [{}, { selectableOptionsCount: 0 }]) {
      const { reading } = readContent({ pollCreationMessage: { name: 'Lunch?', options, ...bound } });
      expect(reading.extra?.poll?.selectableCount).to.equal(2);
    }
  });
});

const BERLIN = { degreesLatitude: 52.5, degreesLongitude: 13.25 };
const berlin = { latitude: 52.5, longitude: 13.25, name: '', address: '', live: false };

describe('the reader of locations', () => {
  const readings: [string, Content, string, object][] = [
    [
      'a named location',
      { locationMessage: { ...BERLIN, name: 'Office', address: 'Main Street 1' } },
      'Office',
      { ...berlin, name: 'Office', address: 'Main Street 1' },
    ],
    [
      'a location with an address only',
      { locationMessage: { ...BERLIN, address: 'Main Street 1' } },
      'Main Street 1',
      { ...berlin, address: 'Main Street 1' },
    ],
    ['a location without a name', { locationMessage: BERLIN }, '52.5, 13.25', berlin],
    ['a live location', { liveLocationMessage: BERLIN }, '52.5, 13.25', { ...berlin, live: true }],
    [
      'a live location with a caption',
      { liveLocationMessage: { ...BERLIN, caption: 'on my way' } },
      'on my way',
      { ...berlin, name: 'on my way', live: true },
    ],
    [
      'a live location of the old kind',
      { locationMessage: { ...BERLIN, isLive: true } },
      '52.5, 13.25',
      { ...berlin, live: true },
    ],
    [
      'nonsense as what JSON can hold',
      { locationMessage: { degreesLatitude: Number.NaN, degreesLongitude: Number.POSITIVE_INFINITY } },
      '0, 0',
      { ...berlin, latitude: 0, longitude: 0 },
    ],
  ];
  for (const [what, content, body, location] of readings) {
    it(`shows ${what}`, () => {
      expect(readContent(content).reading).to.deep.equal({ type: 'location', body, extra: { location } });
    });
  }
});

describe('the link of a text', () => {
  const linkIn = (body: string) => text.send?.link?.({ clientId: 'acme', to: CHAT, ...{ body } })?.url;

  it('is the first web address, without the punctuation around it', () => {
    const cases = {
      'see https://example.com/a?b=c#d and https://example.org': 'https://example.com/a?b=c#d',
      'see (https://example.com/menu).': 'https://example.com/menu',
      '"HTTPS://Example.com"!': 'HTTPS://Example.com',
      'http://example.com\nis plain': 'http://example.com',
    };
    for (const [body, url] of Object.entries(cases)) expect(linkIn(body)).to.equal(url);
    for (const body of ['hello', 'example.com', 'https:// no', 'ftp://example.com', 'https://']) {
      expect(linkIn(body), body).to.equal(undefined);
    }
  });
});
