import { type BinaryNode, encodeWAMessage, getBinaryNodeChild, proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

const STATUS = 'status@broadcast';
const DAY = '25h';
const { REVOKE } = proto.Message.ProtocolMessage.Type;

describe('Sandbox: statuses of clients', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  const everybody = [ALICE, BOB, CAROL].map(pnJid);
  /** Posts a status for people, as the library does it. */
  const post = (device: BaileysDevice, people = everybody, text = 'At the lake') =>
    device.send(STATUS, { text }, { statusJidList: people, backgroundColor: '#1E6E4F', font: 2 });
  const shows = (number: string, id: string) =>
    world.client.waitForStatus(number, ({ messageId }) => messageId === id);

  it('reach the phones of the people that the client names, apart from the messages of chats', async () => {
    const alice = await world.linked(ALICE);
    const { id } = await post(alice, [ALICE, BOB].map(pnJid));
    expect(await shows(BOB, id)).to.include({
      from: ALICE,
      to: STATUS,
      fromMe: false,
      type: 'text',
      text: 'At the lake',
      backgroundColor: '#1e6e4f',
      font: 2,
    });
    expect(await shows(ALICE, id)).to.include({ from: ALICE, fromMe: true });
    expect(await world.client.statuses(CAROL)).to.deep.equal([]);
    expect(await world.client.messages(BOB)).to.deep.equal([]);
    expect((await world.client.chats(BOB)).chats).to.deep.equal([]);
  });

  it('reach the linked devices of the people, also with a file', async () => {
    const [alice, bob] = [await world.linked(ALICE), await world.linked(BOB)];
    const { id } = await post(alice, [pnJid(BOB)]);
    const status = await bob.message(id);
    expect(status.key).to.include({ remoteJid: STATUS, fromMe: false });
    expect(status.message?.extendedTextMessage?.text).to.equal('At the lake');
    const media = { kind: 'image', mimeType: 'image/png', size: 100, caption: 'the lake' } as const;
    const { messageId } = await world.client.postStatus(CAROL, '', media);
    expect((await alice.message(messageId)).message?.imageMessage?.caption).to.equal('the lake');
    expect((await shows(BOB, messageId)).media).to.include({ size: 100, caption: 'the lake' });
  });

  it('name only the people who have the key: all their devices get the status (whatsapp-rust, zapo)', async () => {
    const alice = await world.linked(ALICE);
    await shows(BOB, (await post(alice, [pnJid(BOB)])).id);
    const id = 'A'.repeat(20);
    const data = encodeWAMessage({ extendedTextMessage: { text: 'again' } });
    const { ciphertext } = await alice.socket.signalRepository.encryptGroupMessage({
      group: STATUS,
      data,
      meId: alice.creds.me?.lid ?? '',
    });
    const content: BinaryNode[] = [
      { tag: 'participants', attrs: {}, content: [{ tag: 'to', attrs: { jid: pnJid(BOB) } }] },
      { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: ciphertext },
      { tag: 'meta', attrs: { status_setting: 'contacts' } },
    ];
    const ack = await alice.socket.query({
      tag: 'message',
      attrs: { id, to: STATUS, type: 'text' },
      content,
    });
    expect(ack.attrs.error).to.equal(undefined);
    expect((await shows(BOB, id)).text).to.equal('again');
    expect((await world.client.statuses(CAROL)).length).to.equal(0);
  });

  it('report to the client who has looked at them, and not that they were delivered', async () => {
    const alice = await world.linked(ALICE);
    const { id } = await post(alice);
    await shows(BOB, id);
    await shows(CAROL, id);
    const seen = alice.until('message-receipt.update', (updates) => updates.some(({ key }) => key.id === id));
    await world.client.read(BOB, [id]);
    const [update] = await seen;
    expect(update?.key.remoteJid).to.equal(STATUS);
    expect(update?.receipt.userJid).to.equal((await world.client.phone(BOB)).lid);
    expect(update?.receipt.readTimestamp).to.be.greaterThan(0);
    expect((await shows(ALICE, id)).receipts).to.deep.equal({ [BOB]: 'read' });
  });

  it('can be looked at by a client, which the phone of the author hears', async () => {
    const alice = await world.linked(ALICE);
    const { messageId } = await world.client.postStatus(BOB, 'my holidays');
    await alice.socket.readMessages([(await alice.message(messageId)).key]);
    await world.client.waitForStatus(BOB, ({ receipts }) => receipts[ALICE] === 'read');
  });

  it('are deleted for everybody by a revoke', async () => {
    const alice = await world.linked(ALICE);
    const { id, key } = await post(alice);
    await shows(BOB, id);
    await alice.socket.sendMessage(STATUS, { delete: key }, { statusJidList: everybody });
    const deleted = await world.client.waitForStatus(BOB, ({ revoked }) => revoked);
    expect(deleted).to.include({ messageId: id, text: '' });
  });

  it('of a person are deleted on the phones and devices of all others', async () => {
    const alice = await world.linked(ALICE);
    const { messageId } = await world.client.postStatus(BOB, 'a mistake');
    await alice.message(messageId);
    const revoked = alice.until('messages.upsert', ({ messages }) =>
      messages.some(({ message }) => message?.protocolMessage?.type === REVOKE),
    );
    await world.client.deleteStatus(BOB, messageId);
    expect((await revoked).messages[0]?.message?.protocolMessage?.key).to.include({ id: messageId });
    await world.client.waitForStatus(CAROL, (status) => status.revoked);
  });

  it('stay on phones for a day', async () => {
    const { messageId } = await world.client.postStatus(BOB, 'for a day');
    await shows(CAROL, messageId);
    await world.client.advanceClock(DAY);
    expect(await world.client.statuses(CAROL)).to.deep.equal([]);
    expect(await world.client.statuses(BOB)).to.deep.equal([]);
  });

  it('do not reach a person who blocks the author', async () => {
    const alice = await world.linked(ALICE);
    await world.client.people.changePrivacy(BOB, { blocked: [ALICE] });
    await shows(CAROL, (await post(alice)).id);
    expect(await world.client.statuses(BOB)).to.deep.equal([]);
  });

  it('are encrypted again for a phone that could not read them', async () => {
    const alice = await world.linked(ALICE);
    const asked = receiptOf(alice, 'retry');
    await world.client.fault({ kind: 'ask-again', number: BOB, count: 1 });
    const { id } = await post(alice, [pnJid(BOB)]);
    expect((await asked).attrs).to.include({ id, from: STATUS });
  });

  it('are refused as malformed without people, and as not played for a reaction or an edit', async () => {
    const alice = await world.linked(ALICE);
    const enc: BinaryNode = { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: new Uint8Array(1) };
    const errorOf = async (attrs: Record<string, string>) => {
      const ack = new Promise<BinaryNode>((resolve) =>
        alice.socket.ws.once(`CB:ack,id:${attrs.id}`, resolve),
      );
      const message = { tag: 'message', attrs: { to: STATUS, type: 'text', ...attrs }, content: [enc] };
      await alice.socket.sendNode(message);
      return (await ack).attrs.error;
    };
    expect(await errorOf({ id: 'A1' })).to.equal('479');
    expect(await errorOf({ id: 'A2', type: 'reaction' })).to.equal('501');
    expect(await errorOf({ id: 'A3', edit: '1' })).to.equal('501');
  });

  describe('who may see them', () => {
    const listsOf = async (device: BaileysDevice) => {
      const query = { tag: 'iq', attrs: { xmlns: 'status', type: 'get', to: '@s.whatsapp.net' } };
      const answer = await device.socket.query({ ...query, content: [{ tag: 'privacy', attrs: {} }] });
      const lists = getBinaryNodeChild(answer, 'privacy')?.content;
      return Array.isArray(lists)
        ? lists.map(({ attrs, content }) => [
            attrs,
            Array.isArray(content) ? content.map((user) => user.attrs.jid) : [],
          ])
        : [];
    };

    it('is what the person sets on the phone', async () => {
      const alice = await world.linked(ALICE);
      await world.client.people.changePrivacy(ALICE, { statuses: { mode: 'blacklist', people: [BOB] } });
      expect(await listsOf(alice)).to.deep.equal([[{ type: 'blacklist', default: 'true' }, [pnJid(BOB)]]]);
      const { messageId } = await world.client.postStatus(ALICE, 'not for Bob');
      await shows(CAROL, messageId);
      expect(await world.client.statuses(BOB)).to.deep.equal([]);
    });

    it('can be set by a client through the settings of the account (zapo)', async () => {
      const alice = await world.linked(ALICE);
      const { ALLOW_LIST } = proto.SyncActionValue.StatusPrivacyAction.StatusDistributionMode;
      await alice.socket.appPatch({
        type: 'regular_high',
        index: ['status_privacy'],
        syncAction: { timestamp: Date.now(), statusPrivacy: { mode: ALLOW_LIST, userJid: [pnJid(CAROL)] } },
        apiVersion: 7,
        operation: proto.SyncdMutation.SyncdOperation.SET,
      });
      await world.client.chats(ALICE);
      const { statuses } = await world.client.people.privacy(ALICE);
      expect(statuses).to.deep.equal({ mode: 'whitelist', people: [CAROL] });
      expect(await listsOf(alice)).to.deep.equal([[{ type: 'whitelist', default: 'true' }, [pnJid(CAROL)]]]);
    });
  });
});

/** The next receipt of a type that a client is sent. */
function receiptOf(device: BaileysDevice, type: string): Promise<BinaryNode> {
  return new Promise((resolve) =>
    device.socket.ws.on('CB:receipt', (receipt: BinaryNode) => {
      if (receipt.attrs.type === type) resolve(receipt);
    }),
  );
}
