import { expect } from 'chai';
import { until } from '../../support/until.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const BOB_PN = '15550000002@s.whatsapp.net';

describe('the journal of a link', () => {
  let rig: LinkRig;
  let session: Session;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  /** Cuts the connection when a message has been decrypted and committed, before its receipt can leave. */
  function cutAfterCommit(): void {
    session.keys.onCommit = async ({ journal }) => {
      if (!journal?.length) return;
      session.keys.onCommit = () => undefined;
      await rig.network.fault({ kind: 'disconnect', number: ALICE });
      await until('the end of the connection', async () => !session.link?.isUp());
    };
  }

  /** Resolves when the network has seen that the connection ended. */
  async function disconnected(act: () => Promise<unknown>): Promise<void> {
    await rig.network.waitFor(
      (event) => event.type === 'device' && event.change === 'disconnected',
      undefined,
      act,
    );
  }

  it('commits content and ratchet in one step', async () => {
    await rig.network.write(BOB, { to: ALICE, text: 'kept' });
    const { message } = await session.next('message');
    const [commit, ...others] = session.keys.commits.filter(({ journal }) => journal?.length);
    expect(others).to.deep.equal([]);
    expect(commit?.journal?.map(({ id }) => id)).to.deep.equal(message.journalIds);
    expect(commit?.keys?.map(({ type }) => type)).to.include('session');
  });

  it('commits a message that arrives without encryption before it announces it', async () => {
    await rig.network.write(BOB, { to: ALICE, text: 'in plain sight', deviceCopy: 'plaintext' });
    const { message } = await session.next('message');
    const { me } = await session.next('open');
    expect(textOf(message)).to.equal('in plain sight');
    expect(rig.factory.restore(session.keys.openEntries(), me)).to.deep.equal([message]);
  });

  it('answers a redelivery after a cut between commit and receipt', async () => {
    cutAfterCommit();
    await disconnected(() => rig.network.write(BOB, { to: ALICE, text: 'precious' }));
    await session.next('closed');
    expect(await rig.held()).to.equal(1);
    session.open();
    const { message } = await session.next('message');
    expect(textOf(message)).to.equal('precious');
    expect(message.offline).to.equal(true);
    expect(message.journalIds).to.deep.equal(session.keys.openEntries().map(({ id }) => id));
    await rig.network.write(BOB, { to: ALICE, text: 'next' });
    await session.next('message', (event) => textOf(event.message) === 'next');
  });

  it('acknowledges a redelivered message that was finished, and emits no second event', async () => {
    cutAfterCommit();
    await rig.network.write(BOB, { to: ALICE, text: 'told already' });
    await session.next('closed');
    session.keys.close(
      session.keys.openEntries().map(({ id }) => id),
      Date.now(),
    );
    session.open();
    await session.next('open');
    await rig.network.write(BOB, { to: ALICE, text: 'next' });
    await session.next('message', ({ message }) => textOf(message) === 'next');
    expect(session.all('message').map(({ message }) => textOf(message))).to.deep.equal(['next']);
  });

  it('acknowledges a redelivered message whose entry was pruned, and does not request it again', async () => {
    cutAfterCommit();
    await rig.network.write(BOB, { to: ALICE, text: 'told long ago' });
    await session.next('closed');
    session.keys.journal.clear();
    session.open();
    await rig.network.write(BOB, { to: ALICE, text: 'next' });
    await session.next('message', ({ message }) => textOf(message) === 'next');
    expect([session.all('message').length, session.all('unreadable')]).to.deep.equal([1, []]);
    expect((await rig.network.stats()).retryReceipts).to.deep.equal({});
  });

  it('restores messages exactly as they were emitted live', async () => {
    for (const text of ['one', 'two']) await rig.network.write(BOB, { to: ALICE, text });
    await rig.network.write(ALICE, { to: BOB, text: 'own' });
    await session.next('message', ({ message }) => message.fromMe);
    await session.next('message', ({ message }) => textOf(message) === 'two');
    const { me } = await session.next('open');
    const restored = rig.factory.restore(session.keys.openEntries(), me);
    expect(restored).to.deep.equal(session.all('message').map(({ message }) => message));
    expect(restored).to.have.length(3);
  });

  it('skips unreadable entries', async () => {
    await rig.network.write(BOB, { to: ALICE, text: 'good' });
    const { message } = await session.next('message');
    const { me } = await session.next('open');
    const [entry] = session.keys.openEntries();
    if (!entry) throw new Error('nothing in the journal');
    const damaged = { ...entry, id: 'damaged', stanza: new Uint8Array() };
    expect(rig.factory.restore([damaged, entry], me)).to.deep.equal([message]);
  });

  it('acknowledges nothing while the store is down, and emits everything afterwards', async () => {
    session.keys.outage = new Error('store gone');
    await disconnected(() => rig.network.write(BOB, { to: ALICE, text: 'while down' }));
    expect((await session.next('closed')).reason.code).to.equal('store_unavailable');
    // of a device that is away these are messages alone: Bob's token is not acknowledged either
    expect(await rig.held()).to.equal(1);
    session.open();
    expect((await session.next('closed')).reason.code).to.equal('store_unavailable');
    session.keys.outage = undefined;
    session.open();
    const { message } = await session.next('message');
    expect(textOf(message)).to.equal('while down');
  });

  it("answers a phone's retry request, also when its ratchet was reset", async () => {
    await session.send(BOB_PN, 'first');
    const goBack = session.keys.snapshot();
    await session.send(BOB_PN, 'second');
    await session.close();
    goBack();
    session.open();
    await session.next('open');
    await session.send(BOB_PN, 'third');
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'third');
  });

  it('answers a retry request that came while the sent messages could not be read', async () => {
    session.sentOutage = new Error('store gone');
    await rig.network.fault({ kind: 'ask-again', number: BOB });
    await session.send(BOB_PN, 'asked for twice');
    expect((await session.next('closed')).reason.code).to.equal('store_unavailable');
    session.sentOutage = undefined;
    session.open();
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'asked for twice');
  });
});
