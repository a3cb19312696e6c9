import { randomBytes } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { type Chat, type Contact, proto, type WAMessage } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { BaileysDevice } from './support/baileys-device.js';
import { downloadRoute } from './support/media-route.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

const { ON_DEMAND } = proto.HistorySync.HistorySyncType;
const READ = 4;
const REVOKED = 1;
/** Bytes that do not compress: these few messages are too much for one stanza. */
const LONG = 8_000;
const LONG_MESSAGES = 12;
/** More than one part holds. */
const MANY = 520;
const PATIENCE_MS = 30_000;

/** The history that a client received. */
class Past {
  readonly messages: WAMessage[] = [];
  readonly chats: Chat[] = [];
  readonly contacts: Contact[] = [];
  parts = 0;

  constructor(device: BaileysDevice) {
    device.socket.ev.on('messaging-history.set', ({ messages, chats, contacts }) => {
      this.messages.push(...messages);
      this.chats.push(...chats);
      this.contacts.push(...contacts);
      this.parts++;
    });
  }

  message(id: string): WAMessage | undefined {
    return this.messages.find(({ key }) => key.id === id);
  }
}

describe('Sandbox: history', () => {
  const world = new SandboxWorld();
  let route: ReturnType<typeof downloadRoute>;

  beforeEach(async () => {
    await world.open();
    route = downloadRoute(world);
  });
  afterEach(async () => {
    await world.close();
    await route.close();
  });

  /** Links a client and waits until it knows how people call themselves, which comes last. */
  async function linked(number: string): Promise<{ device: BaileysDevice; past: Past }> {
    const device = world.device({ options: route.options });
    const qr = await device.qr();
    const closed = device.closed();
    await world.client.scan(number, qr);
    await closed;
    device.start();
    const past = new Past(device);
    await device.until(
      'messaging-history.set',
      () => past.contacts.some(({ notify }) => notify !== undefined),
      PATIENCE_MS,
    );
    return { device, past };
  }

  async function settled(number: string, messageId: string) {
    return world.client.waitForMessage(number, (message) => message.messageId === messageId);
  }

  it('the history contains the chats, names and messages of the phone, with their changes', async () => {
    const { messageId: asked } = await world.client.write(BOB, { to: ALICE, text: 'How are yuo?' });
    await settled(ALICE, asked);
    await world.client.write(BOB, { to: ALICE, edit: { messageId: asked, text: 'How are you?' } });
    await world.client.waitForChange(ALICE, ({ targetId }) => targetId === asked);
    await world.client.read(ALICE, [asked]);
    const { messageId: answered } = await world.client.write(ALICE, { to: BOB, text: 'Fine' });
    await settled(BOB, answered);
    await world.client.read(BOB, [answered]);
    await world.client.write(BOB, { to: ALICE, reaction: { messageId: answered, emoji: '👍' } });
    await world.client.waitForChange(ALICE, ({ targetId }) => targetId === answered);
    const { messageId: deleted } = await world.client.write(CAROL, { to: ALICE, text: 'Oops' });
    await settled(ALICE, deleted);
    await world.client.write(CAROL, { to: ALICE, revoke: { messageId: deleted } });
    await world.client.waitForChange(ALICE, ({ targetId }) => targetId === deleted);
    const { messageId: last } = await world.client.write(CAROL, { to: ALICE, text: 'Anybody?' });
    await settled(ALICE, last);

    const { past, device } = await linked(ALICE);
    const [bob, carol] = await Promise.all([world.client.phone(BOB), world.client.phone(CAROL)]);
    expect(past.messages).to.have.length(4);
    expect(past.message(asked)?.message?.conversation).to.equal('How are you?');
    expect(past.message(asked)?.key).to.include({ remoteJid: bob.lid, fromMe: false });
    expect(past.message(asked)?.pushName).to.equal('Bob');
    expect(past.message(answered)?.status).to.equal(READ);
    expect(past.message(answered)?.reactions?.map(({ text }) => text)).to.deep.equal(['👍']);
    expect(past.message(deleted)).to.include({ messageStubType: REVOKED });
    expect(past.message(deleted)?.message ?? undefined).to.equal(undefined);
    const chats = new Map(past.chats.map((chat) => [chat.id, chat]));
    expect(chats.get(bob.lid)).to.include({ unreadCount: 0, displayName: 'Bob', pnJid: pnJid(BOB) });
    expect(chats.get(carol.lid)).to.include({ unreadCount: 2 });
    expect(past.contacts).to.deep.include({ id: carol.lid, notify: 'Carol' });
    const { lidMapping } = device.socket.signalRepository;
    expect(await lidMapping.getLIDForPN(pnJid(BOB))).to.equal(bob.lid);
  });

  it('counts messages that a client has read as read', async () => {
    const first = await world.linked(ALICE);
    await world.client.write(BOB, { to: ALICE, text: 'Hello' });
    const { key } = await first.text('Hello');
    await first.socket.readMessages([key]);
    await world.client.waitForMessage(BOB, ({ receipts }) => receipts[ALICE] === 'read');
    const { past } = await linked(ALICE);
    expect(past.chats.map(({ unreadCount }) => unreadCount)).to.deep.equal([0]);
  });

  it('the history is sent through the media host when it is large', async () => {
    const texts = Array.from({ length: LONG_MESSAGES }, () => randomBytes(LONG).toString('base64'));
    for (const text of texts) await world.client.write(ALICE, { to: BOB, text });
    const { past } = await linked(ALICE);
    expect(past.messages.map(({ message }) => message?.conversation)).to.have.members(texts);
  });

  it('the history is sent in parts when it is long', async () => {
    const texts = Array.from({ length: MANY }, (_, position) => `no ${position}`);
    await Promise.all(texts.map((text) => world.client.write(ALICE, { to: BOB, text })));
    await world.client.write(ALICE, { to: CAROL, text: 'the end' });
    const { past, device } = await linked(ALICE);
    const parts = device.everything.flatMap(
      ({ message }) => message?.protocolMessage?.historySyncNotification ?? [],
    );
    expect(parts.map(({ chunkOrder }) => chunkOrder)).to.deep.equal([1, 2, 3]);
    expect(new Set(past.messages.map(({ key }) => key.id)).size).to.equal(MANY + 1);
    expect(past.message((await world.client.messages(CAROL))[0]?.messageId ?? '')).not.to.equal(undefined);
  }).timeout(60_000);

  it('reaches each device once', async () => {
    const { messageId } = await world.client.write(ALICE, { to: BOB, text: 'before' });
    const { device, past } = await linked(ALICE);
    expect(past.message(messageId)).not.to.equal(undefined);
    await device.stop();
    await device.connect();
    const again = new Past(device);
    await world.client.write(BOB, { to: ALICE, text: 'after' });
    await device.text('after');
    expect(again.parts).to.equal(0);
  });

  it('says that the chats of the account have been moved to LIDs, unless they have not', async () => {
    const migratedAt = async () => {
      const { device } = await linked(ALICE);
      const notices = device.everything.map(
        ({ message }) => message?.protocolMessage?.historySyncNotification,
      );
      const first = notices.find((one) => one?.initialHistBootstrapInlinePayload);
      const bytes = inflateSync(first?.initialHistBootstrapInlinePayload ?? Buffer.alloc(0));
      return proto.HistorySync.decode(bytes).globalSettings?.chatDbLidMigrationTimestamp;
    };
    await world.client.write(BOB, { to: ALICE, text: 'Hello' });
    expect(Number(await migratedAt())).to.be.greaterThan(0);
    await world.client.fault({ kind: 'no-lid-chats', number: ALICE });
    expect(await migratedAt()).to.equal(undefined);
  });

  it('sends the messages before the oldest one that a device knows, when the device asks for them', async () => {
    const ids = [];
    for (const text of ['one', 'two', 'three', 'four'])
      ids.push((await world.client.write(BOB, { to: ALICE, text })).messageId);
    const { device, past } = await linked(ALICE);
    const [, , third = ''] = ids;
    const key = past.message(third)?.key;
    const ask = async (count: number, oldest = key) => {
      const request = await device.socket.fetchMessageHistory(count, oldest ?? {}, 0);
      const notice = ({ message }: WAMessage) => message?.protocolMessage?.historySyncNotification;
      const answers = (message: WAMessage) => notice(message)?.peerDataRequestSessionId === request;
      const known = device.everything.find(answers);
      const { messages } = known
        ? { messages: [known] }
        : await device.until('messages.upsert', (event) => event.messages.some(answers));
      const part = messages.map(notice).find((one) => one?.peerDataRequestSessionId === request);
      // the library's own event leaves out what it has reported before
      const bytes = inflateSync(part?.initialHistBootstrapInlinePayload ?? Buffer.alloc(0));
      const { syncType, conversations } = proto.HistorySync.decode(bytes);
      expect(syncType).to.equal(ON_DEMAND);
      const [chat] = conversations;
      return {
        ids: chat?.messages?.map(({ message }) => message?.key?.id),
        end: chat?.endOfHistoryTransferType,
      };
    };
    expect(await ask(1)).to.deep.equal({ ids: [ids[1]], end: 0 });
    expect(await ask(10)).to.deep.equal({ ids: [ids[1], ids[0]], end: 1 });
    expect(await ask(10, past.message(ids[0] ?? '')?.key)).to.deep.equal({ ids: [], end: 1 });
  });
});
