import { createHash } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { WriteContent } from '../../../src/client/sandbox/client.js';
import { isGatewayError } from '../../../src/domain/errors.js';
import type { ComposedContent, IncomingMessage, OutgoingMessage } from '../../../src/gateway/link/link.js';
import { LinkRig, protoOf, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const ALICE_PN = '15550000001@s.whatsapp.net';
const BOB_PN = '15550000002@s.whatsapp.net';

interface FromPhone {
  what: string;
  /** @param messageId of an earlier message of that chat: a poll, and by the person who writes now */
  content(messageId: string): WriteContent;
  field: keyof proto.IMessage;
}

const EVENT = proto.Message.encode({ eventMessage: { name: 'Dinner' } }).finish();
/** One byte, which says so. */
const PADDING = Buffer.of(1);
const BYTES = Buffer.from('some bytes').toString('base64');
const FROM_PHONE: readonly FromPhone[] = [
  { what: 'a text', content: () => ({ text: 'hello' }), field: 'conversation' },
  {
    what: 'a picture',
    content: () => ({ media: { kind: 'image', mimeType: 'image/png', base64: BYTES } }),
    field: 'imageMessage',
  },
  {
    what: 'a voice note',
    content: () => ({ media: { kind: 'audio', mimeType: 'audio/ogg', base64: BYTES, voice: true } }),
    field: 'audioMessage',
  },
  {
    what: 'a poll',
    content: () => ({ poll: { name: 'Now?', options: ['yes', 'no'] } }),
    field: 'pollCreationMessageV3',
  },
  {
    what: 'a vote',
    content: (pollMessageId) => ({ vote: { pollMessageId, options: ['tea'] } }),
    field: 'pollUpdateMessage',
  },
  {
    what: 'a reaction',
    content: (messageId) => ({ reaction: { messageId, emoji: '👍' } }),
    field: 'reactionMessage',
  },
  { what: 'a deletion', content: (messageId) => ({ revoke: { messageId } }), field: 'protocolMessage' },
  {
    what: 'a location',
    content: () => ({ location: { latitude: 1, longitude: 2 } }),
    field: 'locationMessage',
  },
  {
    what: 'a live location',
    content: () => ({ location: { latitude: 1, longitude: 2, live: true } }),
    field: 'liveLocationMessage',
  },
  {
    what: 'a contact card',
    content: () => ({ contact: { displayName: 'Carol', phone: '+15550000003' } }),
    field: 'contactMessage',
  },
  {
    what: 'an unknown content',
    content: () => ({ raw: Buffer.from(EVENT).toString('base64') }),
    field: 'eventMessage',
  },
];

describe('a link that carries contents', () => {
  let rig: LinkRig;
  let session: Session;
  let bobLid: string;
  let aliceLid: string;

  before(async () => {
    rig = await LinkRig.start();
    aliceLid = (await rig.network.addPhone({ number: ALICE, name: 'Alice' })).lid;
    bobLid = (await rig.network.addPhone({ number: BOB, name: 'Bob' })).lid;
    session = await rig.connected(ALICE);
  });

  after(() => rig.stop());

  const arrived = async (id: string): Promise<IncomingMessage> =>
    (await session.next('message', ({ message }) => message.messageId === id)).message;
  const held = (number: string, id: string) =>
    rig.network.waitForMessage(number, ({ messageId }) => messageId === id);
  const send = (content: ComposedContent, more: Partial<OutgoingMessage> = {}) =>
    session.send(BOB_PN, '', { content, ...more });

  /** A poll that a person wrote to the other one. */
  async function pollOf(author: string, to: string): Promise<string> {
    const poll = { name: 'What?', options: ['tea', 'cake'], selectableCount: 0 };
    const { messageId } = await rig.network.write(author, { to, poll });
    await held(to, messageId);
    await arrived(messageId);
    return messageId;
  }

  for (const { what, content, field } of FROM_PHONE) {
    for (const [who, author, to] of [
      ['somebody', BOB, ALICE],
      ['the linked phone itself', ALICE, BOB],
    ] as const) {
      it(`emits ${what} from ${who}, and restores it identically`, async () => {
        const earlier = await pollOf(author, to);
        const { messageId } = await rig.network.write(author, { to, ...content(earlier) });
        const message = await arrived(messageId);
        expect(message).to.include({ chat: bobLid, fromMe: author === ALICE });
        expect(Object.keys(message.content)).to.include(field);
        const { me } = await session.next('open');
        const restored = rig.factory.restore(session.keys.openEntries(), me);
        expect(restored.find((other) => other.messageId === messageId)).to.deep.equal(message);
      });
    }
  }

  it("keys reactions and votes from the linked number's point of view", async () => {
    const own = await pollOf(ALICE, BOB);
    const theirs = await pollOf(BOB, ALICE);
    for (const [id, fromMe] of [
      [own, true],
      [theirs, false],
    ] as const) {
      for (const author of [ALICE, BOB]) {
        const to = author === ALICE ? BOB : ALICE;
        const reaction = { messageId: id, emoji: '👍' };
        const vote = { pollMessageId: id, options: ['tea'] };
        const { content: reacted } = await arrived(
          (await rig.network.write(author, { to, reaction })).messageId,
        );
        const { content: voted } = await arrived((await rig.network.write(author, { to, vote })).messageId);
        const key = { remoteJid: bobLid, fromMe, id };
        expect({ ...protoOf(reacted).reactionMessage?.key }).to.deep.equal(key);
        expect({ ...protoOf(voted).pollUpdateMessage?.pollCreationMessageKey }).to.deep.equal(key);
      }
    }
  });

  it("keeps the secret outside of the linked phone's wrapper", async () => {
    const { messageId } = await rig.network.write(ALICE, { to: BOB, text: 'mine' });
    await arrived(messageId);
    const entry = session.keys.openEntries().find((each) => each.messageId === messageId);
    if (!entry) throw new Error('nothing in the journal');
    const messageContextInfo = { messageSecret: Buffer.alloc(32, 7) };
    const wrapped = { deviceSentMessage: { message: { conversation: 'mine' } }, messageContextInfo };
    const plain = Buffer.concat([proto.Message.encode(wrapped).finish(), PADDING]);
    const { me } = await session.next('open');
    const [restored] = rig.factory.restore([{ ...entry, plain }], me);
    const content = protoOf(restored?.content ?? {});
    expect(content.conversation).to.equal('mine');
    expect(content.messageContextInfo?.messageSecret).to.have.length(32);
  });

  it('decrypts a vote with the secret of its poll, whichever addresses it was encrypted with', async () => {
    const sent = await send({ poll: { name: 'What?', values: ['tea', 'cake'], selectableCount: 2 } });
    await held(BOB, sent.messageId);
    const vote = { pollMessageId: sent.messageId, options: ['tea', 'cake'] };
    const { content } = await arrived((await rig.network.write(BOB, { to: ALICE, vote })).messageId);
    const secret = {
      content,
      targetId: sent.messageId,
      secret: protoOf(sent.content).messageContextInfo?.messageSecret ?? Buffer.of(),
      targetAuthors: [ALICE_PN, aliceLid.replace('@', ':7@')],
      authors: [BOB_PN, bobLid],
    };
    expect(rig.factory.openSecret(secret)).to.deep.equal({
      type: 'vote',
      selectedHashes: [sha256('tea'), sha256('cake')],
    });
    expect(rig.factory.openSecret({ ...secret, authors: [BOB_PN] })).to.equal(undefined);
    expect(rig.factory.openSecret({ ...secret, secret: Buffer.alloc(32) })).to.equal(undefined);
    expect(rig.factory.openSecret({ ...secret, content: { conversation: 'no secret' } })).to.equal(undefined);
  });

  it('decrypts an encrypted edit into the form of a plain one', async () => {
    const { messageId } = await rig.network.write(BOB, { to: ALICE, text: 'before' });
    const { content: original } = await arrived(messageId);
    await held(ALICE, messageId);
    const encryptedEdit = { messageId, text: 'after' };
    const edit = await arrived((await rig.network.write(BOB, { to: ALICE, encryptedEdit })).messageId);
    const opened = rig.factory.openSecret({
      content: edit.content,
      targetId: messageId,
      secret: protoOf(original).messageContextInfo?.messageSecret ?? Buffer.of(),
      targetAuthors: [BOB_PN, bobLid],
      authors: [BOB_PN, bobLid],
    });
    const { protocolMessage } = opened?.type === 'message' ? protoOf(opened.content) : {};
    expect({ ...protocolMessage?.key }).to.deep.equal({ remoteJid: bobLid, fromMe: false, id: messageId });
    expect(protocolMessage?.editedMessage?.conversation).to.equal('after');
  });

  it('changes messages on the phone by reactions, edits and deletions', async () => {
    const { messageId: id } = await session.send(BOB_PN, 'befroe');
    await held(BOB, id);
    const key = { remoteJid: BOB_PN, fromMe: true, id };
    await send({ react: { key, text: '👍' } });
    await send({ text: 'before', edit: key });
    const changed = ({ messageId, reactions }: { messageId: string; reactions: object }) =>
      messageId === id && Object.keys(reactions).length > 0;
    const edited = await rig.network.waitForChange(
      BOB,
      ({ type, targetId }) => type === 'edit' && targetId === id,
    );
    expect(edited).to.include({ targetId: id, text: 'before', applied: true });
    const message = await rig.network.waitForMessage(BOB, changed);
    expect(message).to.deep.include({ text: 'before', edited: true, reactions: { [ALICE]: '👍' } });
    await send({ delete: key });
    const revoked = await rig.network.waitForChange(
      BOB,
      ({ type, targetId }) => type === 'revoke' && targetId === id,
    );
    expect(revoked).to.include({ targetId: id, applied: true });
  });

  it("reports the network's refusal to delete another person's message outside of groups", async () => {
    const { messageId: id } = await rig.network.write(BOB, { to: ALICE, text: 'mine' });
    await arrived(id);
    const error = await send({ delete: { remoteJid: BOB_PN, fromMe: false, id } }).catch(reason);
    expect(isGatewayError(error, 'send_rejected')).to.equal(true);
  });

  const interactiveMessage = {
    body: { text: 'Well?' },
    nativeFlowMessage: { buttons: [{ name: 'quick_reply', buttonParamsJson: '{"id":"yes"}' }] },
  };
  for (const [what, raw] of [
    ['as they stand', { interactiveMessage }],
    ['in a wrapper', { viewOnceMessage: { message: { interactiveMessage } } }],
  ] as const) {
    it(`shows buttons ${what}, and delivers the replies to them`, async () => {
      const { messageId } = await rig.network.write(BOB, { to: ALICE, text: 'what?' });
      const { content } = await arrived(messageId);
      const sent = await send(
        { raw },
        { quoted: { messageId, fromMe: false, participant: bobLid, content } },
      );
      const message = await held(BOB, sent.messageId);
      expect(message).to.include({ type: 'buttons', rendered: true, quotedMessageId: messageId });
      expect(message.quotedText).to.equal('what?');
    });
  }

  it('sends a raw content without buttons unchanged', async () => {
    const sent = await send({ raw: { locationMessage: { degreesLatitude: 1, degreesLongitude: 2 } } });
    expect(Object.keys(sent.content)).to.deep.equal(['locationMessage']);
    expect((await held(BOB, sent.messageId)).location).to.include({ latitude: 1, longitude: 2 });
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function reason(error: unknown): unknown {
  return error;
}
