import { createHash } from 'node:crypto';
import { decryptPollVote, proto, type WAMessage, type WAMessageUpdate } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { SandboxRefusal, type WriteContent } from '../../src/client/sandbox/client.js';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

describe('Sandbox: changes of messages', () => {
  const world = new SandboxWorld();
  let alice: BaileysDevice;

  before(async () => {
    await world.open();
    alice = await world.linked(ALICE);
  });
  after(() => world.close());

  /** The matching message as a phone shows it. */
  const shown = (number: string, id: string, matches: (shown: Shown) => boolean = () => true) =>
    world.client.waitForMessage(number, (message) => message.messageId === id && matches(message));

  async function fromAlice(text: string): Promise<WAMessage & { id: string }> {
    const message = await alice.send(pnJid(BOB), { text });
    await shown(BOB, message.id);
    await shown(ALICE, message.id);
    return message;
  }

  async function fromBob(text: string): Promise<string> {
    const { messageId } = await world.client.write(BOB, { to: ALICE, text });
    await alice.message(messageId);
    return messageId;
  }

  const byBob = (content: WriteContent) => world.client.write(BOB, { to: ALICE, ...content });

  it('stores a reaction of a client with its message, replaces it and removes it', async () => {
    const id = await fromBob('nice?');
    const { key } = await alice.message(id);
    for (const emoji of ['👍', '❤️']) {
      await alice.send(pnJid(BOB), { react: { text: emoji, key } });
      await shown(BOB, id, ({ reactions }) => reactions[ALICE] === emoji);
      await shown(ALICE, id, ({ reactions }) => reactions[ALICE] === emoji);
    }
    await alice.send(pnJid(BOB), { react: { text: '', key } });
    const bare = await shown(BOB, id, ({ reactions }) => reactions[ALICE] === undefined);
    expect(bare.reactions).to.deep.equal({});
  });

  it("sends a reaction to a client, with the key from the client's point of view", async () => {
    const { id } = await fromAlice('nice?');
    const event = alice.until('messages.reaction', () => true);
    const { messageId } = await byBob({ reaction: { messageId: id, emoji: '🎉' } });
    const [told] = await event;
    expect(told?.key).to.include({ id, fromMe: true });
    expect(told?.reaction.text).to.equal('🎉');
    expect((await shown(ALICE, id)).reactions).to.deep.equal({ [BOB]: '🎉' });
    const change = await world.client.waitForChange(ALICE, (one) => one.messageId === messageId);
    expect(change).to.include({ type: 'reaction', targetId: id, emoji: '🎉', applied: true, from: BOB });
  });

  it('replaces a text that a client edits, and keeps the earlier versions', async () => {
    const { id, key } = await fromAlice('frist');
    await alice.send(pnJid(BOB), { text: 'first', edit: key });
    await shown(BOB, id, ({ text }) => text === 'first');
    await alice.send(pnJid(BOB), { text: 'the first', edit: key });
    const edited = await shown(BOB, id, ({ text }) => text === 'the first');
    expect(edited).to.deep.include({ edited: true, history: ['frist', 'first'], type: 'text' });
    await shown(ALICE, id, ({ text }) => text === 'the first');
  });

  for (const wrapped of [false, true]) {
    it(`sends an edit to a client${wrapped ? ' inside a wrapper' : ''}`, async () => {
      const id = await fromBob('frist');
      const event = alice.until('messages.update', isUpdateOf(id));
      await byBob({ edit: { messageId: id, text: 'first', wrapped } });
      const { editedMessage } = (await event)[0]?.update.message ?? {};
      expect(editedMessage?.message?.conversation).to.equal('first');
      expect(await shown(ALICE, id)).to.include({ text: 'first', edited: true });
      expect(await shown(BOB, id)).to.include({ text: 'first', edited: true });
    });
  }

  it('replaces a text after an edit that is encrypted with the secret of its message', async () => {
    const id = await fromBob('frist');
    const { messageId } = await byBob({ encryptedEdit: { messageId: id, text: 'first' } });
    const { message } = await alice.message(messageId);
    expect(message?.secretEncryptedMessage?.targetMessageKey).to.include({ id });
    expect(JSON.stringify(message)).not.to.contain('first');
    expect(await shown(ALICE, id)).to.deep.include({ text: 'first', edited: true, history: ['frist'] });
    expect(await shown(BOB, id)).to.include({ text: 'first', edited: true });
  });

  it('empties a message that a client deletes', async () => {
    const { id, key } = await fromAlice('oops');
    await alice.send(pnJid(BOB), { delete: key });
    const gone = await shown(BOB, id, ({ revoked }) => revoked);
    expect(gone).to.include({ text: '', revoked: true });
    await shown(ALICE, id, ({ revoked }) => revoked);
  });

  it('sends the deletion of a message to a client', async () => {
    const id = await fromBob('oops');
    const event = alice.until('messages.update', isUpdateOf(id));
    await byBob({ revoke: { messageId: id } });
    expect((await event)[0]?.update).to.include({ message: null });
    expect(await shown(ALICE, id)).to.include({ text: '', revoked: true });
  });

  it('ignores edits and deletions by people other than the author', async () => {
    const id = await fromBob('mine');
    const { key } = await alice.message(id);
    const edit = await alice.send(pnJid(BOB), { text: 'yours', edit: { ...key, fromMe: true } });
    const revoke = await alice.send(pnJid(BOB), { delete: { ...key, fromMe: true } });
    for (const change of [edit, revoke]) {
      const told = await world.client.waitForChange(BOB, ({ messageId }) => messageId === change.id);
      expect(told).to.include({ applied: false, targetId: id });
    }
    expect(await shown(BOB, id)).to.include({ text: 'mine', edited: false, revoked: false });
  });

  it('refuses a deletion as an admin outside of groups', async () => {
    const { id, key } = await fromAlice('here to stay');
    const ack = new Promise<{ attrs: object }>((resolve) =>
      alice.socket.ws.once('CB:ack,class:message', resolve),
    );
    await alice.socket.relayMessage(
      pnJid(BOB),
      { protocolMessage: { type: 0, key } },
      { messageId: '3EB0ADADADADADADADADAD', additionalAttributes: { edit: '8' } },
    );
    expect((await ack).attrs).to.include({ error: '403' });
    expect(await shown(BOB, id)).to.include({ revoked: false });
  });

  it('counts votes for a poll of a client, decrypted with the secret of the poll', async () => {
    const poll = await alice.send(pnJid(BOB), {
      poll: { name: 'When?', values: ['now', 'later', 'never'], selectableCount: 2 },
    });
    await shown(BOB, poll.id);
    await shown(ALICE, poll.id);
    const { messageId } = await byBob({ vote: { pollMessageId: poll.id, options: ['later', 'now'] } });
    const update = (await alice.message(messageId)).message?.pollUpdateMessage;
    expect(update?.pollCreationMessageKey).to.include({ id: poll.id, fromMe: true });
    const [creator, voter] = await Promise.all([world.client.phone(ALICE), world.client.phone(BOB)]);
    const { selectedOptions } = decryptPollVote(update?.vote ?? {}, {
      pollCreatorJid: creator.lid,
      voterJid: voter.lid,
      pollMsgId: poll.id,
      pollEncKey: poll.message.messageContextInfo?.messageSecret ?? new Uint8Array(),
    });
    expect(selectedOptions?.map((hash) => Buffer.from(hash).toString('hex'))).to.deep.equal(
      ['later', 'now'].map((option) => createHash('sha256').update(option).digest('hex')),
    );
    const counted = await shown(ALICE, poll.id, (one) => one.poll?.votes[BOB] !== undefined);
    expect(counted.poll?.votes).to.deep.equal({ [BOB]: ['later', 'now'] });
    await byBob({ vote: { pollMessageId: poll.id, options: [] } });
    await shown(ALICE, poll.id, (one) => one.poll?.votes[BOB] === undefined);
  });

  it('counts votes of the own account and of others, also in polls of phones', async () => {
    const { messageId } = await byBob({ poll: { name: 'When?', options: ['now', 'later'] } });
    await shown(ALICE, messageId);
    await byBob({ vote: { pollMessageId: messageId, options: ['now'] } });
    await world.client.write(ALICE, { to: BOB, vote: { pollMessageId: messageId, options: ['later'] } });
    for (const number of [ALICE, BOB]) {
      const counted = await shown(
        number,
        messageId,
        ({ poll }) => Object.keys(poll?.votes ?? {}).length === 2,
      );
      expect(counted.poll?.votes).to.deep.equal({ [ALICE]: ['later'], [BOB]: ['now'] });
    }
  });

  it('sends the tap on a button to the client', async () => {
    const id = await fromBob('a message with buttons, let us say');
    const tap = { messageId: id, id: 'yes', displayText: 'Yes, please' };
    const { messageId } = await world.client.write(ALICE, { to: BOB, buttonReply: tap });
    const told = (await alice.message(messageId)).message?.interactiveResponseMessage;
    expect(told?.body?.text).to.equal('Yes, please');
    expect(told?.contextInfo?.stanzaId).to.equal(id);
    expect(JSON.parse(told?.nativeFlowResponseMessage?.paramsJson ?? '')).to.deep.equal({ id: 'yes' });
    const seen = await shown(BOB, messageId);
    expect(seen).to.deep.include({ type: 'buttonReply', text: 'Yes, please', buttonReply: tap });
    expect(seen.quotedMessageId).to.equal(id);
  });

  for (const as of ['buttons', 'template'] as const) {
    it(`sends a tap as ${as} too`, async () => {
      const { id } = await fromAlice('old buttons');
      const tap = { messageId: id, id: 'yes', displayText: 'Yes' };
      const { messageId } = await byBob({ buttonReply: { ...tap, as } });
      expect(await shown(ALICE, messageId)).to.deep.include({ type: 'buttonReply', buttonReply: tap });
    });
  }

  it('shows a pin of a client with its message, until it is unpinned', async () => {
    const id = await fromBob('the address');
    const { key } = await alice.message(id);
    const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.PinInChat.Type;
    await alice.send(pnJid(BOB), { pin: key, type: PIN_FOR_ALL, time: 86_400 });
    const pinned = await shown(BOB, id, ({ pin }) => pin !== undefined);
    expect(pinned.pin?.by).to.equal(ALICE);
    await shown(ALICE, id, ({ pin }) => pin !== undefined);
    await alice.send(pnJid(BOB), { pin: key, type: UNPIN_FOR_ALL });
    await shown(BOB, id, ({ pin }) => pin === undefined);
  });

  it('ignores a pin without a duration', async () => {
    const id = await fromBob('the address');
    const type = proto.Message.PinInChatMessage.Type.PIN_FOR_ALL;
    const message = proto.Message.fromObject({ pinInChatMessage: { key: { id, fromMe: true }, type } });
    const raw = Buffer.from(proto.Message.encode(message).finish()).toString('base64');
    const { messageId } = await byBob({ raw });
    const change = await world.client.waitForChange(ALICE, (one) => one.messageId === messageId);
    expect(change).to.include({ type: 'pin', targetId: id, applied: false });
  });

  it('sends a choice from a list to the client', async () => {
    const { id } = await fromAlice('a list, let us say');
    const listReply = { messageId: id, id: 'row-2', title: 'Second' };
    const { messageId } = await byBob({ listReply });
    const told = (await alice.message(messageId)).message?.listResponseMessage;
    expect(told?.singleSelectReply?.selectedRowId).to.equal('row-2');
    expect(await shown(ALICE, messageId)).to.deep.include({ type: 'listReply', text: 'Second', listReply });
  });

  describe('invalid changes', () => {
    let own: string;
    let theirs: string;
    let poll: string;

    before(async () => {
      own = await fromBob('mine');
      theirs = (await fromAlice('hers')).id;
      poll = (await byBob({ poll: { name: '?', options: ['a', 'b'] } })).messageId;
    });

    const REFUSED: [why: string, status: number, content: () => WriteContent & { to?: string }][] = [
      ['a reaction to nothing', 404, () => ({ reaction: { messageId: 'A', emoji: '👍' } })],
      ['a reaction in another chat', 400, () => ({ to: CAROL, reaction: { messageId: own, emoji: '👍' } })],
      ["an edit of somebody else's message", 403, () => ({ edit: { messageId: theirs, text: 'x' } })],
      ["a deletion of somebody else's message", 403, () => ({ revoke: { messageId: theirs } })],
      ['a sealed edit of a poll', 400, () => ({ encryptedEdit: { messageId: poll, text: 'x' } })],
      ['raw bytes that are no message', 400, () => ({ raw: Buffer.from('no message').toString('base64') })],
      ['an edit of a poll', 400, () => ({ edit: { messageId: poll, text: 'x' } })],
      ['a vote for what is no poll', 400, () => ({ vote: { pollMessageId: own, options: [] } })],
      ['a vote for what is no option', 400, () => ({ vote: { pollMessageId: poll, options: ['c'] } })],
      ['too many votes', 400, () => ({ vote: { pollMessageId: poll, options: ['a', 'b'] } })],
      ['two contents at once', 400, () => ({ text: 'x', revoke: { messageId: own } })],
      ['a preview of no text', 400, () => ({ linkPreview: { matchedText: 'x', title: 'x' } })],
    ];

    for (const [why, status, content] of REFUSED) {
      it(`refuses a change: ${why}`, async () => {
        const error: unknown = await byBob(content()).catch((reason: unknown) => reason);
        expect(error).to.be.instanceOf(SandboxRefusal).with.property('status', status);
      });
    }
  });
});

type Shown = Parameters<Parameters<SandboxWorld['client']['waitForMessage']>[1]>[0];

function isUpdateOf(id: string): (updates: WAMessageUpdate[]) => boolean {
  return (updates) => updates.some(({ key }) => key.id === id);
}
