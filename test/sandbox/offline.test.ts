import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { type BaileysDevice, textOf } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

describe('Sandbox: the queue of an offline client', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('the offline queue is delivered once, at the next connection, in order and with its count', async () => {
    const alice = await world.linked(ALICE);
    await alice.stop();
    for (const text of ['one', 'two', 'three']) await world.client.write(BOB, { to: ALICE, text });
    expect((await world.client.stats()).waitingOffline).to.equal(3);
    alice.start();
    const nodes = recorded(alice);
    await alice.text('three');
    expect(alice.messages.map(textOf)).to.deep.equal(['one', 'two', 'three']);
    expect([...alice.upsertTypes.values()]).to.deep.equal(['append', 'append', 'append']);
    // with the token that Bob's phone gives with its first message
    expect(preview(nodes)).to.include({ count: '4', message: '3', notification: '1' });
    expect(nodes.filter(({ tag }) => tag === 'message').map(({ attrs }) => attrs.offline)).to.deep.equal([
      '0',
      '2',
      '3',
    ]);
    await isReceived(3, BOB);
    await alice.stop();
    await alice.connect();
    await world.client.write(BOB, { to: ALICE, text: 'four' });
    await alice.text('four');
    expect(alice.messages.map(textOf)).to.deep.equal(['one', 'two', 'three', 'four']);
  });

  it('the offline queue is delivered only after the client reports itself active, and ends with the count', async () => {
    const alice = await world.linked(ALICE);
    await alice.stop();
    await world.client.write(BOB, { to: ALICE, text: 'waiting' });
    alice.start();
    const nodes = recorded(alice);
    await alice.text('waiting');
    const tags = nodes.map(
      (node) => `${node.tag} ${Array.isArray(node.content) ? node.content[0]?.tag : ''}`,
    );
    expect(tags.indexOf('ib offline_preview')).to.be.greaterThan(tags.lastIndexOf('success '));
    expect(tags.indexOf('message enc')).to.be.greaterThan(tags.indexOf('ib offline_preview'));
    expect(tags.indexOf('ib offline')).to.be.greaterThan(tags.indexOf('message enc'));
  });

  it('the offline queue comes in batches that the client asks for, with the fault offline-batches', async () => {
    const alice = await world.linked(ALICE);
    await alice.stop();
    const texts = ['1', '2', '3', '4', '5', '6', '7', '8'];
    for (const text of texts) await world.client.write(BOB, { to: ALICE, text });
    await world.client.fault({ kind: 'offline-batches' });
    const { ws } = alice.start();
    ws.removeAllListeners('CB:ib,,offline_preview');
    const nodes = recorded(alice);
    const withQueue = () => nodes.filter(({ attrs }) => attrs.offline !== undefined);
    const ended = new Promise((resolve) => ws.once('CB:ib,,offline', resolve));
    while (withQueue().length < 5) await new Promise((resolve) => ws.once('frame', resolve));
    await world.client.write(BOB, { to: ALICE, text: 'live' });
    const ask = (count: string) =>
      alice.socket.sendNode({
        tag: 'ib',
        attrs: {},
        content: [{ tag: 'offline_batch', attrs: { count } }],
      });
    await ask('2');
    while (withQueue().length < 7) await new Promise((resolve) => ws.once('frame', resolve));
    expect(nodes.some(({ content }) => Array.isArray(content) && content[0]?.tag === 'offline')).to.equal(
      false,
    );
    await ask('100');
    await ended;
    await alice.text('live');
    expect(alice.messages.map(textOf)).to.deep.equal([...texts, 'live']);
    await world.client.write(BOB, { to: ALICE, text: 'at once' });
    await alice.text('at once');
    expect(withQueue().map(({ attrs }) => attrs.offline)).to.deep.equal(
      Array.from({ length: 10 }, (_, index) => String(index)),
    );
  });

  it('the offline queue is delivered to a client that does not ask for it, and live messages after it', async () => {
    const alice = await world.linked(ALICE);
    await alice.stop();
    for (const text of ['one', 'two']) await world.client.write(BOB, { to: ALICE, text });
    // the library asks for the queue when it gets the preview; whatsmeow has no such stanza
    alice.start().ws.removeAllListeners('CB:ib,,offline_preview');
    const nodes = recorded(alice);
    await alice.text('two');
    expect(preview(nodes)).to.include({ message: '2' });
    await world.client.write(BOB, { to: ALICE, text: 'live' });
    await alice.text('live');
    expect(alice.messages.map(textOf)).to.deep.equal(['one', 'two', 'live']);
  });

  it('the offline queue contains receipts until they are acknowledged', async () => {
    const alice = await world.linked(ALICE);
    const id = await alice.say(pnJid(BOB), 'read me');
    await world.client.waitForMessage(ALICE, ({ receipts }) => receipts[BOB] === 'delivered');
    await alice.stop();
    await world.client.read(BOB, [id]);
    alice.start();
    const { length } = await alice.until('messages.update', (updates) =>
      updates.some(({ update }) => update.status === 4),
    );
    expect(length).to.equal(1);
  });

  it('the offline queue contains messages that the client did not acknowledge before the connection broke', async () => {
    const alice = await world.linked(ALICE);
    await world.client.fault({ kind: 'delay', number: ALICE, ms: 60_000 });
    const { messageId } = await world.client.write(CAROL, { to: ALICE, text: 'do not lose me' });
    await alice.text('do not lose me');
    // the message, and the token that Carol's phone gives with it
    expect((await world.client.stats()).unacknowledged).to.equal(2);
    const closed = alice.closed();
    await world.client.fault({ kind: 'disconnect', number: ALICE });
    await closed;
    expect((await world.client.stats()).waitingOffline).to.equal(1);
    await world.client.clearFaults();
    alice.start();
    const nodes = recorded(alice);
    await alice.until('connection.update', (update) => update.receivedPendingNotifications === true);
    const again = nodes.find(({ tag, attrs }) => tag === 'message' && attrs.id === messageId);
    expect(again?.attrs).to.include({ offline: '0' });
  });

  async function isReceived(count: number, author: string): Promise<void> {
    const messages = await world.client.messages(author);
    for (const { messageId } of messages.slice(0, count)) {
      await world.client.waitForMessage(
        author,
        (message) => message.messageId === messageId && message.receipts[ALICE] === 'delivered',
      );
    }
  }
});

/** Everything that a client is sent, from now on. */
function recorded(device: BaileysDevice): BinaryNode[] {
  const nodes: BinaryNode[] = [];
  const { ws } = device.socket;
  for (const tag of ['message', 'ib', 'success', 'receipt', 'notification']) {
    ws.on(`CB:${tag}`, (node: BinaryNode) => nodes.push(node));
  }
  return nodes;
}

function preview(nodes: BinaryNode[]) {
  return nodes.flatMap((node) => getBinaryNodeChild(node, 'offline_preview') ?? [])[0]?.attrs;
}
