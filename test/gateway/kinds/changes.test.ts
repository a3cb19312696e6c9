import { expect } from 'chai';
import type { SendPayload } from '../../../src/contract/sends/send-request.js';
import { LIMITS } from '../../../src/domain/limits.js';
import { isSilent, targetOf } from '../../../src/gateway/kinds/content.js';
import { readContext } from '../../../src/gateway/kinds/context-info.js';
import { edit } from '../../../src/gateway/kinds/edit.js';
import { composeForward } from '../../../src/gateway/kinds/forward.js';
import { readContent } from '../../../src/gateway/kinds/index.js';
import type { Content, MessageKey } from '../../../src/gateway/kinds/kind.js';
import { pin } from '../../../src/gateway/kinds/pin.js';
import { reaction } from '../../../src/gateway/kinds/reaction.js';
import { composeRevoke } from '../../../src/gateway/kinds/revoke.js';
import { composeTimer } from '../../../src/gateway/kinds/timer.js';
import { CHAT, CONTEXT, overTheWire } from './support/wire.js';

const REVOKE = 0;
const MESSAGE_EDIT = 14;
const key = { remoteJid: CHAT, id: 'EARLIER', fromMe: true };
const GROUP_KEY: MessageKey = { remoteJid: '1203@g.us', id: 'EARLIER', fromMe: false, participant: CHAT };

const editOf = (editedMessage: Content): Content => ({
  protocolMessage: { type: MESSAGE_EDIT, key, editedMessage },
});
const payload = (more: object): SendPayload => ({ clientId: 'acme', to: '+15550000002', ...more });

describe('a reaction', () => {
  it("a reaction names its target from the linked number's point of view", async () => {
    const reacting = payload({ messageId: 'EARLIER', emoji: '👍', targetFromMe: false });
    const composed = reaction.send?.compose(reacting, { ...CONTEXT, target: GROUP_KEY });
    const content = composed && (await overTheWire(composed));
    expect(content?.reactionMessage?.key).to.include(GROUP_KEY);
    expect(reaction.send?.target?.(reacting)).to.deep.equal({ messageId: 'EARLIER', fromMe: false });
  });

  it('a reaction is removed by an empty emoji', async () => {
    const takenBack = payload({ messageId: 'EARLIER', emoji: '', targetFromMe: true });
    const composed = reaction.send?.compose(takenBack, { ...CONTEXT, target: key });
    const { reading } = readContent(composed ? await overTheWire(composed) : {});
    expect(reading).to.deep.equal({
      type: 'reaction',
      body: '',
      extra: { reaction: { targetId: 'EARLIER', targetFromMe: true, emoji: '' } },
    });
  });

  it('accepts any single emoji', () => {
    for (const emoji of ['👍', '👍🏽', '❤️', '❤', '👨‍👩‍👧‍👦', '🇩🇪', '1️⃣', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🫱🏻‍🫲🏿', '']) {
      const { error } = reaction.send?.payload.validate(payload({ messageId: 'EARLIER', emoji })) ?? {};
      expect(error?.message, emoji).to.equal(undefined);
    }
  });

  it('a reaction is not composed without a target', () => {
    const reacting = payload({ messageId: 'EARLIER', emoji: '👍' });
    expect(() => reaction.send?.compose(reacting, CONTEXT)).to.throw('composed with its key');
  });
});

describe('an edit', () => {
  it('an edit is limited to the time that the network allows', () => {
    const target = edit.send?.target?.(payload({ messageId: 'EARLIER', body: 'better' }));
    expect(target).to.deep.equal({ messageId: 'EARLIER', fromMe: true, withinMs: LIMITS.editWindowMs });
  });

  for (const field of ['imageMessage', 'videoMessage', 'documentMessage'] as const) {
    it(`an edit replaces the caption in the ${field} of a file`, async () => {
      const targetContent = { ephemeralMessage: { message: { [field]: { caption: 'good' } } } };
      const context = { ...CONTEXT, target: key, targetContent };
      const composed = edit.send?.compose(payload({ messageId: 'EARLIER', body: 'better' }), context);
      const { protocolMessage } = composed ? await overTheWire(composed) : {};
      expect(protocolMessage).to.have.nested.property('key.id', 'EARLIER');
      expect(protocolMessage).to.have.property('type', MESSAGE_EDIT);
      expect(Number(protocolMessage?.timestampMs)).to.equal(CONTEXT.now);
      expect(protocolMessage?.editedMessage?.conversation).not.to.be.a('string');
      expect(protocolMessage?.editedMessage?.[field]?.caption).to.equal('better');
    });
  }

  const edits: [string, Content, string][] = [
    ['a text', editOf({ conversation: 'better' }), 'better'],
    ['a formatted text', editOf({ extendedTextMessage: { text: 'better' } }), 'better'],
    ['a caption', editOf({ imageMessage: { caption: 'better' } }), 'better'],
    [
      'the caption of a document',
      editOf({ documentWithCaptionMessage: { message: { documentMessage: { caption: 'better' } } } }),
      'better',
    ],
    ['a caption that is gone', editOf({ videoMessage: {} }), ''],
    [
      'a text in the wrapper that some phones use',
      { editedMessage: { message: editOf({ conversation: 'better' }) } },
      'better',
    ],
    [
      'a disappearing text',
      {
        ephemeralMessage: { message: editOf({ ephemeralMessage: { message: { conversation: 'better' } } }) },
      },
      'better',
    ],
    ['nothing', { protocolMessage: { type: MESSAGE_EDIT, key } }, ''],
    ['an empty message', editOf({ messageContextInfo: {} }), ''],
    ['an edit', editOf(editOf({ conversation: 'nested' })), ''],
  ];
  for (const [what, content, body] of edits) {
    it(`an edit names its target and has the new text of ${what}`, () => {
      const { kind, reading } = readContent(content);
      expect(reading).to.deep.equal({ type: 'edit', body, extra: { edit: { targetId: 'EARLIER', body } } });
      expect(kind?.storedType).to.equal(undefined);
      expect(isSilent(content)).to.equal(false);
    });
  }

  it('an edit has the mentions of the new text', () => {
    const contextInfo = { mentionedJid: ['90000000000003@lid'] };
    const content = editOf({ extendedTextMessage: { text: 'better', contextInfo } });
    expect(readContext(content, () => readContent(content).reading).mentions).to.deep.equal([
      '90000000000003',
    ]);
  });
});

describe('a revoke', () => {
  it('a revoke can be read as it was composed, for an own message and for another person’s', async () => {
    for (const target of [key, GROUP_KEY]) {
      const content = await overTheWire(composeRevoke(target));
      expect(content.protocolMessage?.key).to.include(target);
      expect(readContent(content).reading).to.deep.equal({
        type: 'revoke',
        body: '',
        extra: { revoke: { targetId: 'EARLIER', byAdmin: !target.fromMe } },
      });
      expect(isSilent(content)).to.equal(false);
    }
  });

  it('a revoke is recognised without its type, which is the default value', () => {
    const content = { protocolMessage: { key } };
    expect(readContent(content).reading.type).to.equal('revoke');
    expect(isSilent(content)).to.equal(false);
  });
});

describe('a vote', () => {
  it('names its poll, and leaves the choice unresolved', () => {
    const content: Content = {
      pollUpdateMessage: { pollCreationMessageKey: key, vote: { encPayload: Buffer.alloc(9) } },
    };
    const { kind, reading } = readContent(content);
    expect(reading).to.deep.equal({
      type: 'vote_update',
      body: '',
      extra: {
        pollVote: {
          pollMessageId: 'EARLIER',
          voter: '',
          resolved: false,
          selectedOptions: [],
          selectedHashes: [],
        },
      },
    });
    expect(kind?.storedType).to.equal('vote_update');
  });
});

describe('the target of a content', () => {
  const named = { messageId: 'EARLIER', fromMe: false, participant: CHAT };
  const contents: [string, Content][] = [
    ['a reaction', { reactionMessage: { key: GROUP_KEY, text: '👍' } }],
    ['a vote', { pollUpdateMessage: { pollCreationMessageKey: GROUP_KEY } }],
    ['a revoke', { protocolMessage: { type: REVOKE, key: GROUP_KEY } }],
    [
      'a wrapped edit',
      { editedMessage: { message: { protocolMessage: { type: MESSAGE_EDIT, key: GROUP_KEY } } } },
    ],
  ];
  for (const [what, content] of contents) {
    it(`the target is named by ${what}`, () => {
      expect(targetOf(content)).to.deep.equal(named);
    });
  }

  it('the target is not named by other contents, nor without an id', () => {
    const others: Content[] = [
      {},
      { conversation: 'hi' },
      { protocolMessage: { type: 6, key } },
      { protocolMessage: {} },
      { reactionMessage: { text: '👍' } },
      { pollUpdateMessage: { pollCreationMessageKey: { remoteJid: CHAT } } },
    ];
    for (const content of others) expect(targetOf(content)).to.equal(undefined);
  });
});

describe('a forwarded message', () => {
  const text = (contextInfo?: object): Content => ({
    extendedTextMessage: { text: 'news', ...(contextInfo && { contextInfo }) },
  });
  const scoreOf = (content: Content, fromMe: boolean) =>
    composeForward(content, fromMe)?.extendedTextMessage?.contextInfo ?? undefined;

  it('counts one more forward for messages of others, and for own ones only if they were forwarded before', () => {
    const marked = (forwardingScore: number) => ({ isForwarded: true, forwardingScore });
    expect(scoreOf({ conversation: 'news' }, false)).to.deep.equal(marked(1));
    expect(scoreOf(text({ forwardingScore: 4 }), false)).to.deep.equal(marked(5));
    expect(scoreOf(text({ isForwarded: true }), false)).to.deep.equal(marked(2));
    expect(scoreOf(text(), true)).to.deep.equal({});
    expect(scoreOf(text({ forwardingScore: 4 }), true)).to.deep.equal(marked(4));
  });

  it('has neither quote nor mentions, and no wrapper', () => {
    const contextInfo = { stanzaId: 'A1', mentionedJid: [CHAT], quotedMessage: { conversation: 'x' } };
    const imageMessage = { caption: 'Look!', directPath: '/v/1', contextInfo };
    expect(composeForward({ ephemeralMessage: { message: { imageMessage } } }, true)).to.deep.equal({
      imageMessage: { caption: 'Look!', directPath: '/v/1', contextInfo: {} },
    });
  });

  it('is never made of view-once content, or of content that is not a message by itself', () => {
    const viewOnce = { viewOnceMessageV2: { message: { imageMessage: {} } } };
    const refused: Content[] = [viewOnce, { reactionMessage: { key } }, { pollCreationMessage: {} }, {}];
    for (const content of refused) expect(composeForward(content, false)).to.equal(undefined);
  });
});

describe('the timer of a private chat', () => {
  it('is set with the time of the clock that it is given, in seconds', async () => {
    const { protocolMessage } = await overTheWire(composeTimer(86_400, CONTEXT.now + 999));
    expect(protocolMessage?.ephemeralExpiration).to.equal(86_400);
    expect(Number(protocolMessage?.ephemeralSettingTimestamp)).to.equal(CONTEXT.now / 1_000);
  });
});

describe('a pin', () => {
  it('an unpin has no duration', async () => {
    const unpinning = payload({ messageId: 'EARLIER', pinned: false, duration: 86_400 });
    const composed = pin.send?.compose(unpinning, { ...CONTEXT, target: key });
    const content = composed ? await overTheWire(composed) : {};
    expect(Number(content.pinInChatMessage?.senderTimestampMs)).to.equal(CONTEXT.now);
    const { reading } = readContent(content);
    expect(reading).to.deep.equal({
      type: 'text',
      body: '[unpinned message]',
      extra: { pin: { targetId: 'EARLIER', pinned: false, duration: 0 } },
    });
  });
});
