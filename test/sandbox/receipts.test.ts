import type { WAMessageUpdate } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, pnJid, SandboxWorld } from './support/world.js';

const DELIVERED = 3;
const READ = 4;
const PLAYED = 5;

describe('Sandbox: receipts', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('reports to a client that its message was delivered to a phone and read there', async () => {
    const alice = await world.linked(ALICE);
    const delivered = statusOf(alice, DELIVERED);
    const id = await alice.say(pnJid(BOB), 'Hello');
    expect((await delivered).key).to.include({ id, fromMe: true });
    const read = statusOf(alice, READ);
    await world.client.read(BOB, [id]);
    expect((await read).key).to.include({ id });
    const own = await world.client.waitForMessage(ALICE, ({ receipts }) => receipts[BOB] === 'read');
    expect(own.messageId).to.equal(id);
  });

  it('reports to a client that its message was played', async () => {
    const alice = await world.linked(ALICE);
    const id = await alice.say(pnJid(BOB), 'let us say, a voice note');
    await world.client.waitForMessage(BOB, ({ messageId }) => messageId === id);
    await world.client.read(BOB, [id]);
    await world.client.waitForMessage(ALICE, ({ receipts }) => receipts[BOB] === 'read');
    const played = statusOf(alice, PLAYED);
    await world.client.play(BOB, [id]);
    expect((await played).key).to.include({ id });
    const own = await world.client.waitForMessage(ALICE, ({ receipts }) => receipts[BOB] === 'played');
    expect(own.messageId).to.equal(id);
  });

  it('reports several messages to a client in one receipt', async () => {
    const alice = await world.linked(ALICE);
    const ids = [await alice.say(pnJid(BOB), 'one'), await alice.say(pnJid(BOB), 'two')];
    await world.client.waitForMessage(BOB, ({ text }) => text === 'two');
    const read = alice.until('messages.update', (updates) =>
      updates.some(({ update }) => update.status === READ),
    );
    await world.client.read(BOB, ids);
    expect((await read).map(({ key }) => key.id)).to.have.members(ids);
  });

  it('reports to a phone that a client received and read its message', async () => {
    const bob = await world.linked(BOB);
    const { messageId } = await world.client.write(ALICE, { to: BOB, text: 'Hi Bob' });
    await world.client.waitForMessage(ALICE, ({ receipts }) => receipts[BOB] === 'delivered');
    const message = await bob.text('Hi Bob');
    await bob.socket.readMessages([message.key]);
    const held = await world.client.waitForMessage(ALICE, ({ receipts }) => receipts[BOB] === 'read');
    expect(held.messageId).to.equal(messageId);
  });

  it('reports from client to client', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    const id = await alice.say(pnJid(BOB), 'Hello');
    const message = await bob.text('Hello');
    const read = statusOf(alice, READ);
    await bob.socket.readMessages([message.key]);
    expect((await read).key.id).to.equal(id);
  });

  it('tells the other devices of an account what its phone or another device has read', async () => {
    const [laptop, tablet] = [await world.linked(ALICE), await world.linked(ALICE)];
    const ids = [];
    for (const text of ['one', 'two'])
      ids.push((await world.client.write(BOB, { to: ALICE, text })).messageId);
    const [first = '', second = ''] = ids;
    const message = await laptop.message(first);
    const byTablet = statusOf(tablet, READ);
    await laptop.socket.readMessages([message.key]);
    expect((await byTablet).key).to.include({ id: first, fromMe: false, remoteJid: message.key.remoteJid });
    const both = [statusOf(laptop, READ), statusOf(tablet, READ)];
    await world.client.read(ALICE, [second]);
    for (const { key } of await Promise.all(both)) expect(key).to.include({ id: second, fromMe: false });
  });

  it('counts a request for another copy that names no error', async () => {
    const alice = await world.linked(ALICE);
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'Hello' });
    const { key } = await alice.message(messageId);
    const attrs = { id: messageId, to: key.remoteJid ?? '', type: 'retry' };
    const retry = { tag: 'retry', attrs: { id: messageId, count: '1', v: '1', t: '1' } };
    await alice.socket.sendNode({ tag: 'receipt', attrs, content: [retry] });
    await alice.socket.query({
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' },
      content: [{ tag: 'ping', attrs: {} }],
    });
    expect((await world.client.stats()).retryReceipts).to.deep.equal({ none: 1 });
  });

  it('refuses a receipt for a message that the phone does not have, or that it wrote itself', async () => {
    const { messageId } = await world.client.write(ALICE, { to: BOB, text: 'mine' });
    const refusals = await Promise.allSettled([
      world.client.read(BOB, ['nope']),
      world.client.read(ALICE, [messageId]),
    ]);
    for (const refusal of refusals) expect(refusal).to.have.nested.property('reason.status', 404);
  });
});

async function statusOf(device: BaileysDevice, status: number): Promise<WAMessageUpdate> {
  const has = ({ update }: WAMessageUpdate) => update.status === status;
  const updates = await device.until('messages.update', (all) => all.some(has));
  const found = updates.find(has);
  if (!found) throw new Error('unreachable: the event had it');
  return found;
}
