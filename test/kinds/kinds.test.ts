import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import Joi from 'joi';
import { MESSAGE_EVENT_TYPES } from '../../src/events/catalogue.js';
import { readContext } from '../../src/kinds/context-info.js';
import { envelopeFields } from '../../src/kinds/envelope.js';
import { KINDS, kindOfFile, readContent, sendableKinds } from '../../src/kinds/index.js';
import type { Content, Kind, SendPayload } from '../../src/kinds/kind.js';
import { isSilent } from '../../src/kinds/silent.js';
import { unknownName } from '../../src/kinds/unknown.js';

describe('reading message contents', () => {
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
      'a title further inside',
      { productMessage: { product: { productId: '1', title: 'A chair' } } },
      'text',
      '[product] A chair',
    ],
    [
      'no title of what it quotes',
      { orderMessage: { contextInfo: { quotedMessage: { conversation: 'no title' } } } },
      'text',
      '[order]',
    ],
    [
      'what the network keeps from linked devices',
      { placeholderMessage: { type: 0 } },
      'text',
      '[message that only the phone shows]',
    ],
    ['an edit that nobody could open', { secretEncryptedMessage: {} }, 'text', '[encrypted edit]'],
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

  it('shows whatever the protocol knows, empty as it may be, as something that JSON can hold', () => {
    const names = Object.keys(proto.Message.prototype);
    expect(names).to.include.members(['imageMessage', 'pollCreationMessageV5', 'protocolMessage']);
    for (const name of names) {
      const content = proto.Message.fromObject({ [name]: name === 'conversation' ? 'hi' : {} });
      const { reading } = readContent(content);
      expect(MESSAGE_EVENT_TYPES, name).to.include(reading.type);
      expect(JSON.parse(JSON.stringify(reading)), name).to.deep.equal(reading);
    }
  });

  it('names an unknown kind for counting', () => {
    expect(unknownName({ messageContextInfo: {}, eventMessage: { name: 'x' } })).to.equal('eventMessage');
  });

  it('keeps the housekeeping between devices silent, and nothing that a person did', () => {
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

  it('finds quote, mentions and the forwarded flag, whatever kind carries them', () => {
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

  it('counts what was forwarded often as forwarded, and quotes what is not known by its id', () => {
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

  it('reads what is quoted by its own kind', () => {
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

  it('is read where it is in the list, also within other contents', () => {
    const wrapped = { ephemeralMessage: { message: { albumMessage: {} } } };
    expect(readContent(wrapped, kinds)).to.deep.equal({
      kind: album,
      reading: { type: 'image', body: 'an album' },
    });
    const edit = { protocolMessage: { type: 14, key: { id: 'A1' }, editedMessage: wrapped } };
    expect(readContent(edit, kinds).reading.body).to.equal('an album');
  });

  it('has a route, and takes files', () => {
    expect(sendableKinds(kinds).map(({ path }) => path)).to.include('/send-album');
    const wishes = { caption: '', asVoice: false, asSticker: false };
    expect(kindOfFile('application/x-album', wishes, kinds)?.name).to.equal('album');
  });

  it('is unknown, and said to be so, where it is not', () => {
    expect(readContent({ albumMessage: {} })).to.deep.equal({ reading: { type: 'text', body: '[album]' } });
    expect(unknownName({ albumMessage: {} })).to.equal('albumMessage');
  });
});
