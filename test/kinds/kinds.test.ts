import { expect } from 'chai';
import { readContext } from '../../src/kinds/context-info.js';
import { KINDS, readContent, sendableKinds } from '../../src/kinds/index.js';
import type { Content, Kind } from '../../src/kinds/kind.js';
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
    ['an event', { eventMessage: { name: 'Team dinner' } }, 'text', '[event invitation] Team dinner'],
    ['a group invitation', { groupInviteMessage: { caption: 'join us' } }, 'text', '[group invitation] join us'],
    ['a kind without a title', { callLogMesssage: {} }, 'text', '[call]'],
    ['a deleted message', { protocolMessage: { type: 0 } }, 'text', '[deleted message]'],
    [
      'an edited message',
      { protocolMessage: { type: 14, editedMessage: { conversation: 'better' } } },
      'text',
      '[edited message] better',
    ],
    ['a reaction', { reactionMessage: { text: '👍' } }, 'text', '[reaction] 👍'],
    ['nothing at all', {}, 'text', '[empty]'],
  ];
  for (const [what, content, type, body] of readings) {
    it(`shows ${what} as ${type} ${JSON.stringify(body)}`, () => {
      expect(readContent(content).reading).to.deep.equal({ type, body });
    });
  }

  it('names an unknown kind for counting', () => {
    expect(unknownName({ messageContextInfo: {}, eventMessage: { name: 'x' } })).to.equal('eventMessage');
  });

  it('keeps the housekeeping between devices silent, and nothing that a person did', () => {
    expect(isSilent({ protocolMessage: { type: 6 } })).to.equal(true);
    expect(isSilent({ senderKeyDistributionMessage: {}, messageContextInfo: {} })).to.equal(true);
    expect(isSilent({ protocolMessage: { type: 0 } })).to.equal(false);
    expect(isSilent({ protocolMessage: { type: 14 } })).to.equal(false);
    expect(isSilent({ senderKeyDistributionMessage: {}, conversation: 'hi' })).to.equal(false);
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
});

describe('the list of kinds', () => {
  it('gives each name and path to one kind only', () => {
    const names = KINDS.map(({ name }) => name);
    const paths = sendableKinds().map(({ path }) => path);
    expect(new Set(names)).to.have.property('size', names.length);
    expect(new Set(paths)).to.have.property('size', paths.length);
  });

  it('is all that a new kind needs', () => {
    const album: Kind = {
      name: 'album',
      storedType: 'image',
      read: (content) => (content.albumMessage ? { type: 'image', body: 'an album' } : undefined),
    };
    const { kind, reading } = readContent({ albumMessage: {} }, [...KINDS, album]);
    expect(kind?.name).to.equal('album');
    expect(reading).to.deep.equal({ type: 'image', body: 'an album' });
  });
});
