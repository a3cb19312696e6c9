import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from '../sandbox/support/world.js';
import { Witness, WitnessProgram } from './witness.js';

/** Complaints of the library that are no fault of the network, each with its reason. */
const EXPECTED: readonly { text: RegExp; reason: string }[] = [];

const BACKLOG = 50;

describe('whatsapp-rust', () => {
  let program: WitnessProgram;
  const world = new SandboxWorld();
  let witness: Witness;

  before(async function () {
    // the first build compiles the library and what it needs: three minutes
    this.timeout(900_000);
    program = await WitnessProgram.build('whatsapp-rust');
    await world.open();
    await world.client.write(BOB, { to: ALICE, text: 'before the pairing' });
    witness = new Witness(program, world.sandbox);
  });

  after(async () => {
    await witness?.stop();
    await world.close();
    await program?.remove();
  });

  it('links by QR, logs in again after 515, and reads the history and the name', async () => {
    await witness.take('connect');
    const { code } = await witness.named('PairingQrCode');
    await world.client.scan(ALICE, String(code));
    expect(await witness.named('PairSuccess')).to.include({ business_name: '' });
    expect(await witness.named('Connected')).to.include({ name: 'Alice' });
    await witness.until(({ event, messages }) => event === 'HistorySync' && messages === 1);
  });

  it('receives and sends a text, and hears that it was delivered and read', async () => {
    await world.client.write(BOB, { to: ALICE, text: 'Hello Alice' });
    const received = await witness.until(({ text }) => text === 'Hello Alice');
    expect(received).to.include({ fromMe: false });
    const sent = await witness.take('text', { to: pnJid(BOB), text: 'Hello Bob' });
    const held = await world.client.waitForMessage(BOB, ({ text }) => text === 'Hello Bob');
    expect(sent).to.include({ id: held.messageId });
    await world.client.read(BOB, [held.messageId]);
    await witness.until(({ event, type }) => event === 'Receipt' && type === 'Read');
  });

  it('complains of nothing', () => {
    const unexpected = witness.complaints.filter((line) => !EXPECTED.some(({ text }) => text.test(line)));
    expect(unexpected).to.deep.equal([]);
  });
});
