import { type BinaryNode, getBinaryNodeChild, proto, type WAMessage } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { BaileysDevice } from './support/baileys-device.js';
import { downloadRoute } from './support/media-route.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

/** Clients check the phone's patches as strictly as the phone checks theirs. */
const STRICT = { appStateMacVerification: { patch: true, snapshot: true } };
/** More than one answer carries. */
const MANY = 130;
/** So many that the network keeps only the outcome of the first ones. */
const LONG_AGO = 250;

describe('Sandbox: shared settings', () => {
  const world = new SandboxWorld();

  afterEach(() => world.close());

  const marked = (unread: boolean, partner = BOB) =>
    world.client.waitForChat(ALICE, (chat) => chat.with === partner && chat.unread === unread);

  /** A message of Bob's, as a client of Alice's has it. */
  async function hear(alice: BaileysDevice, text = 'Hello'): Promise<WAMessage> {
    await world.client.write(BOB, { to: ALICE, text });
    return alice.text(text);
  }

  describe('with a connected client', () => {
    beforeEach(() => world.open());

    it('has the name and the language of the phone before a client asks for the first time', async () => {
      const alice = await world.linked(ALICE, STRICT);
      await alice.named('Alice');
      const answer = await alice.socket.query({
        tag: 'iq',
        attrs: { to: 's.whatsapp.net', xmlns: 'w:sync:app:state', type: 'set' },
        content: [
          {
            tag: 'sync',
            attrs: {},
            content: [
              {
                tag: 'collection',
                attrs: { name: 'critical_block', version: '0', return_snapshot: 'false' },
              },
            ],
          },
        ],
      });
      const collection = getBinaryNodeChild(getBinaryNodeChild(answer, 'sync'), 'collection');
      expect(collection?.attrs).to.include({ version: '2' });
      expect((await world.client.chats(ALICE)).rejected).to.equal(0);
    });

    it('shows on the phone that a client marked a chat as unread, and as read again', async () => {
      const alice = await world.linked(ALICE, STRICT);
      const message = await hear(alice);
      const { remoteJid } = message.key;
      await alice.socket.chatModify({ markRead: false, lastMessages: [message] }, remoteJid ?? '');
      await marked(true);
      await alice.socket.chatModify({ markRead: true, lastMessages: [message] }, remoteJid ?? '');
      await marked(false);
      expect((await world.client.chats(ALICE)).rejected).to.equal(0);
    });

    it('treats a phone number and a LID as the same chat', async () => {
      const alice = await world.linked(ALICE, STRICT);
      const message = await hear(alice);
      await alice.socket.chatModify({ markRead: false, lastMessages: [message] }, pnJid(BOB));
      await marked(true);
      const { lid } = await world.client.phone(BOB);
      await alice.socket.chatModify({ markRead: true, lastMessages: [message] }, lid);
      await marked(false);
      expect((await world.client.chats(ALICE)).chats).to.have.length(1);
    });

    it('shows on the phone which messages are deleted for oneself, and which chats are archived, pinned and muted', async () => {
      const alice = await world.linked(ALICE, STRICT);
      const { key, ...message } = await hear(alice);
      const jid = key.remoteJid ?? '';
      const timestamp = Number(message.messageTimestamp);
      await alice.socket.chatModify({ deleteForMe: { key, timestamp, deleteMedia: false } }, jid);
      await alice.socket.chatModify(
        { archive: true, lastMessages: [{ key, messageTimestamp: timestamp }] },
        jid,
      );
      await alice.socket.chatModify({ pin: true }, jid);
      await alice.socket.chatModify({ mute: Date.now() + 60_000 }, jid);
      const { chats, rejected } = await world.client.chats(ALICE);
      expect(rejected).to.equal(0);
      expect(chats).to.deep.equal([
        { with: BOB, unread: false, archived: true, pinned: true, muted: true, deletedMessages: [key.id] },
      ]);
    });

    it("sends a client the changes of the phone and of the account's other clients", async () => {
      const [first, second] = [await world.linked(ALICE, STRICT), await world.linked(ALICE, STRICT)];
      const message = await hear(first);
      const { lid } = await world.client.phone(BOB);
      const news = [first, second].map((device) => unreadNews(device, lid));
      await world.client.updateChat(ALICE, BOB, { unread: true });
      await Promise.all(news);
      const read = second.until('chats.update', (chats) =>
        chats.some(({ id, unreadCount }) => id === lid && unreadCount === 0),
      );
      await first.socket.chatModify({ markRead: true, lastMessages: [message] }, lid);
      await Promise.all([read, marked(false)]);
    });

    it('sends changes to a client that was offline, and to one that is linked later', async () => {
      const first = await world.linked(ALICE, STRICT);
      await hear(first);
      await first.stop();
      const { lid } = await world.client.phone(BOB);
      const turns = Array.from({ length: MANY - 1 }, (_, turn) => turn % 2 === 0);
      await Promise.all(turns.map((pinned) => world.client.updateChat(ALICE, BOB, { pinned })));
      await world.client.updateChat(ALICE, BOB, { unread: true });
      first.start();
      await unreadNews(first, lid);
      const second = await world.linked(ALICE, STRICT);
      expect(await versionOf(second)).to.equal(MANY);
    }).timeout(60_000);

    it('syncs the name of the phone to clients, and the name that a client sets to the phone', async () => {
      const alice = await world.linked(ALICE, STRICT);
      const renamed = alice.until('creds.update', ({ me }) => me?.name === 'Alice B.');
      await world.client.update(ALICE, { name: 'Alice B.' });
      await renamed;
      await alice.socket.updateProfileName('Alice C.');
      await world.client.chats(ALICE);
      expect((await world.client.phone(ALICE)).name).to.equal('Alice C.');
    });

    it('refuses a change with an outdated version, and accepts it after the client has synced', async () => {
      const alice = await world.linked(ALICE, STRICT);
      const message = await hear(alice);
      const { lid } = await world.client.phone(BOB);
      await world.client.fault({ kind: 'app-state-conflict', number: ALICE });
      const refused = errors(alice);
      await alice.socket.chatModify({ markRead: false, lastMessages: [message] }, lid);
      expect(await refused).to.equal('409');
      // the library ignores the refusal, and its stored version is one ahead
      await alice.keys.set({ 'app-state-sync-version': { regular_low: null } });
      await alice.socket.chatModify({ markRead: false, lastMessages: [message] }, lid);
      await marked(true);
      expect((await world.client.chats(ALICE)).rejected).to.equal(0);
    });

    it('refuses an upload on an old version with the patches that the device lacks', async () => {
      const alice = await world.linked(ALICE, STRICT);
      const message = await hear(alice);
      const { lid } = await world.client.phone(BOB);
      await world.client.fault({ kind: 'app-state-conflict', number: ALICE });
      const refused = refusal(alice);
      await alice.socket.chatModify({ markRead: false, lastMessages: [message] }, lid);
      const collection = await refused;
      expect(collection.attrs).to.include({ name: 'regular_low', type: 'error', has_more_patches: 'false' });
      expect(getBinaryNodeChild(collection, 'error')?.attrs).to.include({ code: '409' });
      expect(childrenOf(getBinaryNodeChild(collection, 'patches')).map(({ tag }) => tag)).to.deep.equal([
        'patch',
      ]);
    });

    it('rejects a change with a wrong MAC', async () => {
      const alice = await world.linked(ALICE, STRICT);
      const message = await hear(alice);
      const { lid } = await world.client.phone(BOB);
      const markRead = (read: boolean) =>
        alice.socket.chatModify({ markRead: read, lastMessages: [message] }, lid);
      await markRead(false);
      await marked(true);
      const { regular_low: state } = await alice.keys.get('app-state-sync-version', ['regular_low']);
      if (!state) throw new Error('unreachable: the client has just written');
      await alice.keys.set({
        'app-state-sync-version': { regular_low: { ...state, hash: Buffer.alloc(128) } },
      });
      await markRead(true);
      const { chats, rejected } = await world.client.chats(ALICE);
      expect(rejected).to.equal(1);
      expect(chats[0]?.unread).to.equal(true);
    });

    it('refuses a malformed change', async () => {
      const alice = await world.linked(ALICE, STRICT);
      const patches = [Buffer.from('garbage'), Buffer.from(proto.SyncdPatch.encode({}).finish())];
      for (const patch of patches) {
        const refused = errors(alice);
        await upload(alice, 'regular_low', patch);
        expect(await refused).to.equal('400');
      }
      const refused = errors(alice);
      await upload(alice, 'irregular', Buffer.alloc(0));
      expect(await refused).to.equal('400');
    });

    it('refuses a change of a chat with an unknown number', async () => {
      const refusals = await Promise.allSettled([
        world.client.updateChat(ALICE, '+15559999999', { unread: true }),
        world.client.updateChat(ALICE, 'Bob', { unread: true }),
      ]);
      expect(refusals.map((one) => one.status === 'rejected' && one.reason.status)).to.deep.equal([404, 400]);
    });
  });

  it('sends a snapshot first when there were many changes', async () => {
    await world.openKept();
    const turns = Array.from({ length: LONG_AGO - 1 }, (_, turn) => turn);
    await Promise.all(
      turns.map((turn) =>
        world.client.updateChat(ALICE, turn % 2 ? BOB : CAROL, { archived: turn % 3 === 0 }),
      ),
    );
    await world.client.updateChat(ALICE, BOB, { pinned: true });
    const before = await world.client.chats(ALICE);
    await world.restart();
    expect(await world.client.chats(ALICE)).to.deep.equal(before);
    const { options, close } = downloadRoute(world);
    const alice = await world.linked(ALICE, { ...STRICT, options });
    expect(await versionOf(alice)).to.equal(LONG_AGO);
    await alice.socket.chatModify({ pin: false }, (await world.client.phone(BOB)).lid);
    await close();
    const { chats, rejected } = await world.client.chats(ALICE);
    expect(rejected).to.equal(0);
    expect(chats.find((chat) => chat.with === BOB)?.pinned).to.equal(false);
  }).timeout(60_000);

  it('keeps shared settings through a restart', async () => {
    await world.openKept();
    const alice = await world.linked(ALICE, STRICT);
    const message = await hear(alice);
    const { lid } = await world.client.phone(BOB);
    await alice.socket.chatModify({ markRead: false, lastMessages: [message] }, lid);
    await world.client.updateChat(ALICE, CAROL, { archived: true });
    const before = await world.client.chats(ALICE);
    await alice.stop();
    await world.restart();
    expect(await world.client.chats(ALICE)).to.deep.equal(before);
    await alice.connect(world.sandbox.wsUrl);
    await alice.socket.chatModify({ markRead: true, lastMessages: [message] }, lid);
    await marked(false);
    expect((await world.client.chats(ALICE)).rejected).to.equal(0);
  }).timeout(60_000);
});

/** The version that a client has of the settings of chats. */
async function versionOf(device: BaileysDevice): Promise<number | undefined> {
  return (await device.keys.get('app-state-sync-version', ['regular_low'])).regular_low?.version;
}

/** Waits until a client knows that a chat is marked as unread. */
function unreadNews(device: BaileysDevice, jid: string) {
  return device.until('chats.update', (chats) =>
    chats.some(({ id, unreadCount }) => id === jid && unreadCount === -1),
  );
}

/** The code of the next error in an answer about collections. */
async function errors(device: BaileysDevice): Promise<string | undefined> {
  return getBinaryNodeChild(await refusal(device), 'error')?.attrs.code;
}

/** The next collection that the network refuses to a device. */
function refusal(device: BaileysDevice): Promise<BinaryNode> {
  return new Promise((resolve) => {
    device.socket.ws.on('CB:iq,type:result,sync', (iq: BinaryNode) => {
      const [sync] = childrenOf(iq);
      const [collection] = childrenOf(sync);
      if (collection?.attrs.type === 'error') resolve(collection);
    });
  });
}

function childrenOf(node: BinaryNode | undefined): BinaryNode[] {
  return Array.isArray(node?.content) ? node.content : [];
}

/** Uploads bytes as a patch. */
async function upload(device: BaileysDevice, name: string, patch: Buffer): Promise<void> {
  const collection = {
    tag: 'collection',
    attrs: { name, version: '0' },
    content: [{ tag: 'patch', attrs: {}, content: patch }],
  };
  await device.socket.query({
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', xmlns: 'w:sync:app:state', type: 'set' },
    content: [{ tag: 'sync', attrs: {}, content: [collection] }],
  });
}
