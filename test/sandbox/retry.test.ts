import { expect } from 'chai';
import { textOf } from './support/baileys-device.js';
import { ALICE, BOB, pnJid, SandboxWorld } from './support/world.js';

describe('Sandbox: messages that cannot be decrypted', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('are encrypted again by the phone when a client lost its session', async () => {
    const alice = await world.linked(ALICE);
    await talk(alice);
    await forgetSessions(alice);
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'after the loss' });
    const message = await alice.text('after the loss');
    expect(message.key.id).to.equal(messageId);
    await world.client.write(BOB, { to: ALICE, text: 'and on' });
    await alice.text('and on');
  });

  it('are encrypted again by the phone when they only change others', async () => {
    const alice = await world.linked(ALICE);
    await talk(alice);
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'frist' });
    await alice.text('frist');
    await forgetSessions(alice);
    const edited = alice.until('messages.update', ([first]) => first?.key.id === messageId);
    await world.client.write(BOB, { to: ALICE, edit: { messageId, text: 'first' } });
    const { editedMessage } = (await edited)[0]?.update.message ?? {};
    expect(editedMessage?.message?.conversation).to.equal('first');
  });

  it('are encrypted again by a client when the phone cannot read them', async () => {
    const alice = await world.linked(ALICE);
    await talk(alice);
    await garbleSessions(alice);
    const id = await alice.say(pnJid(BOB), 'read this if you can');
    const message = await world.client.waitForMessage(BOB, ({ text }) => text === 'read this if you can');
    expect(message.messageId).to.equal(id);
  });

  it('are encrypted again from client to client', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    await alice.say(pnJid(BOB), 'first');
    await bob.text('first');
    await bob.say(pnJid(ALICE), 'second');
    await alice.text('second');
    await forgetSessions(bob);
    const id = await alice.say(pnJid(BOB), 'third');
    const message = await bob.text('third');
    expect(message.key.id).to.equal(id);
    expect(bob.messages.filter((one) => textOf(one) === 'third')).to.have.length(1);
  });

  async function talk(alice: Awaited<ReturnType<SandboxWorld['linked']>>): Promise<void> {
    await alice.say(pnJid(BOB), 'ping');
    await world.client.waitForMessage(BOB, ({ text }) => text === 'ping');
    await world.client.write(BOB, { to: ALICE, text: 'pong' });
    await alice.text('pong');
  }
});

async function forgetSessions(device: { keys: { drop(type: string): void } }): Promise<void> {
  device.keys.drop('session');
}

/** Sessions that encrypt, but for nobody: their chain keys are not those that the other side has. */
async function garbleSessions(device: {
  keys: { change(type: string, edit: (row: string) => string): void };
}) {
  device.keys.change('session', (row) =>
    row.replace(/("chainType":1,|"chainKey":\{"counter":\d+,"key":")([A-Za-z0-9+/]{4})/g, '$1AAAA'),
  );
}
