import { expect } from 'chai';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

describe('Sandbox: state in a folder', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.openKept());
  afterEach(() => world.close());

  it('lets linked clients log in after a restart, and delivers messages in both directions', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    await alice.say(pnJid(BOB), 'before');
    await bob.text('before');
    await world.client.write(BOB, { to: ALICE, text: 'also before' });
    await alice.text('also before');
    const { rootKey } = world.sandbox;
    await Promise.all([alice.stop(), bob.stop()]);
    await world.restart();
    expect(world.sandbox.rootKey).to.deep.equal(rootKey);
    await Promise.all([alice.connect(world.sandbox.wsUrl), bob.connect(world.sandbox.wsUrl)]);
    await alice.say(pnJid(BOB), 'after');
    await Promise.all([bob.text('after'), world.client.waitForMessage(BOB, ({ text }) => text === 'after')]);
    await world.client.write(BOB, { to: ALICE, text: 'also after' });
    await alice.text('also after');
    expect((await world.client.messages(BOB)).map(({ text }) => text)).to.deep.equal([
      'before',
      'also before',
      'after',
      'also after',
    ]);
  });

  it('keeps the queue of an offline client through a restart', async () => {
    const alice = await world.linked(ALICE);
    await alice.stop();
    await world.client.write(BOB, { to: ALICE, text: 'while you were away' });
    await world.restart();
    expect((await world.client.stats()).waitingOffline).to.equal(1);
    await alice.connect(world.sandbox.wsUrl);
    const message = await alice.text('while you were away');
    expect(alice.upsertTypes.get(message.key.id ?? '')).to.equal('append');
    await world.client.waitForMessage(BOB, ({ receipts }) => receipts[ALICE] === 'delivered');
  });

  it('keeps people, their profiles, messages and receipts', async () => {
    await world.client.update(CAROL, { name: 'Carola', status: 'busy', username: 'carola' });
    await world.client.write(ALICE, { to: BOB, text: 'kept' });
    await world.client.waitForMessage(ALICE, ({ receipts }) => receipts[BOB] === 'delivered');
    const [phones, messages] = await Promise.all([world.client.phones(), world.client.messages(ALICE)]);
    await world.restart();
    expect(await world.client.phones()).to.deep.equal(phones);
    expect(await world.client.messages(ALICE)).to.deep.equal(messages);
    expect(await world.client.phone(CAROL)).to.include({
      name: 'Carola',
      status: 'busy',
      username: 'carola',
    });
  });

  it('keeps the changes of messages', async () => {
    const poll = { name: 'When?', options: ['now', 'later'] };
    const { messageId } = await world.client.write(ALICE, { to: BOB, poll });
    await world.client.waitForMessage(BOB, (message) => message.messageId === messageId);
    await world.client.write(BOB, { to: ALICE, vote: { pollMessageId: messageId, options: ['now'] } });
    await world.client.write(BOB, { to: ALICE, reaction: { messageId, emoji: '🕐' } });
    await world.client.waitForMessage(ALICE, ({ reactions }) => reactions[BOB] === '🕐');
    const [messages, changes] = await Promise.all([
      world.client.messages(ALICE),
      world.client.changes(ALICE),
    ]);
    expect(changes).to.have.length(2);
    await world.restart();
    expect(await world.client.messages(ALICE)).to.deep.equal(messages);
    expect(await world.client.changes(ALICE)).to.deep.equal(changes);
    await world.client.write(BOB, { to: ALICE, vote: { pollMessageId: messageId, options: ['later'] } });
    await world.client.waitForMessage(ALICE, ({ poll: counted }) => counted?.votes[BOB]?.[0] === 'later');
  });

  it('forgets a device that was unlinked', async () => {
    const alice = await world.linked(ALICE);
    await world.client.unlink(ALICE);
    await world.restart();
    alice.start(world.sandbox.wsUrl);
    expect(await alice.closed()).to.equal(401);
    await world.linked(ALICE);
    expect((await world.client.phone(ALICE)).devices.map(({ id }) => id)).to.deep.equal([2]);
  });

  it('refuses a second sandbox on the same folder', async () => {
    const second: unknown = await world.startSecond().catch((error: unknown) => error);
    expect(second)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.matches(/locked/);
  });

  it('survives a killed process', async () => {
    const killed = await world.startProcess();
    const alice = await world.linked(ALICE);
    await alice.say(pnJid(BOB), 'ping');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'ping');
    for (const text of ['pong 1', 'pong 2', 'pong 3']) await world.client.write(BOB, { to: ALICE, text });
    await alice.text('pong 3');
    await alice.stop();
    await killed();
    await world.restart();
    await alice.connect(world.sandbox.wsUrl);
    await world.client.write(BOB, { to: ALICE, text: 'after the kill' });
    await alice.text('after the kill');
    await alice.say(pnJid(BOB), 'I read you');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'I read you');
  });
});
