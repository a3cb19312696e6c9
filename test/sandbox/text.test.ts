import { expect } from 'chai';
import { ALICE, BOB, pnJid, SandboxWorld } from './support/world.js';

describe('Sandbox: text between clients and phones', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('brings a text from a client to the phone, decrypted', async () => {
    const alice = await world.linked(ALICE);
    const id = await alice.say(pnJid(BOB), 'Hello Bob');
    const message = await world.client.waitForMessage(BOB, ({ text }) => text === 'Hello Bob');
    expect(message).to.include({ messageId: id, from: ALICE, to: BOB, fromMe: false, type: 'text' });
  });

  it('brings a text from a phone to the client', async () => {
    const alice = await world.linked(ALICE);
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'Hi Alice' });
    const message = await alice.text('Hi Alice');
    expect(message.key).to.include({ id: messageId, fromMe: false, remoteJidAlt: pnJid(BOB) });
    expect(message.pushName).to.equal('Bob');
  });
});
