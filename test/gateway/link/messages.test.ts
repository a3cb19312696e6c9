import { expect } from 'chai';
import { isGatewayError } from '../../../src/domain/errors.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const BOB_PN = '15550000002@s.whatsapp.net';

describe('a link that carries messages', () => {
  let rig: LinkRig;
  let session: Session;
  let bobLid: string;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    bobLid = (await rig.network.addPhone({ number: BOB, name: 'Bob' })).lid;
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  for (const form of ['PN', 'LID']) {
    it(`resolves a send to a ${form} once the phone can decrypt it`, async () => {
      const sent = await session.send(form === 'PN' ? BOB_PN : bobLid, 'hello');
      expect(textOf(sent)).to.equal('hello');
      const message = await rig.network.waitForMessage(BOB, ({ text }) => text === 'hello');
      expect(message.messageId).to.equal(sent.messageId);
      expect(message.from).to.equal(ALICE);
    });
  }

  it('names the number of a recipient whom it writes to by LID', async () => {
    await rig.network.write(BOB, { to: ALICE, text: 'from both addresses' });
    await session.next('message');
    const done = new AbortController();
    const stanzas = await rig.network.stanzas.watch(done.signal);
    const sent = await session.send(bobLid, 'hello');
    for await (const { direction, stanza } of stanzas) {
      if (direction !== 'in' || stanza.tag !== 'message' || stanza.attrs?.id !== sent.messageId) continue;
      expect(stanza.attrs).to.include({ to: bobLid, peer_recipient_pn: BOB_PN });
      break;
    }
    done.abort();
  });

  it('records a message before it leaves, and sends nothing when that fails', async () => {
    const outcome = await session
      .send(BOB_PN, 'never', { record: () => Promise.reject(new Error('disk full')) })
      .catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Error);
    await session.send(BOB_PN, 'after');
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'after');
    expect((await rig.network.messages(BOB)).map(({ text }) => text)).to.deep.equal(['after']);
    const [bytes] = session.sent.values();
    expect(textOf({ content: rig.factory.decode(bytes ?? new Uint8Array()) })).to.equal('after');
  });

  it('does not send a message that waited for another one while the network imposed a time lock', async () => {
    let [isLocked, isWritten] = [false, false];
    let wrote: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const written = new Promise<void>((resolve) => {
      wrote = resolve;
    });
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await session.send(bobLid, 'hello');
    // the library writes one message after the other, and the next one when the keys of the one before are stored
    session.keys.onCommit = async ({ keys = [] }) => {
      if (!isWritten || !keys.some(({ type }) => type === 'session')) return;
      session.keys.onCommit = () => undefined;
      wrote();
      await held;
    };
    const refusal = new Error('locked');
    const locked = { guard: { check: () => !isLocked }, blocked: () => Promise.reject(refusal) };
    let asked = 0;
    const freed = {
      guard: { check: () => asked > 0 || !isLocked },
      blocked: async () => {
        asked += 1;
      },
    };
    const leaves = {
      check: () => {
        isWritten = true;
        return true;
      },
    };
    const first = session.send(bobLid, 'first', { guard: leaves });
    const [refused, tried] = [
      session.send(bobLid, 'refused', locked).catch((error: unknown) => error),
      session.send(bobLid, 'tried again', freed),
    ];
    await written;
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'first');
    await rig.network.fault({ kind: 'reachout-lock', number: ALICE });
    await session.next('restriction', ({ restriction }) => restriction.active);
    isLocked = true;
    goOn();
    await first;
    expect(await refused).to.equal(refusal);
    // the network itself refuses what is written under the lock
    expect(await tried.catch(String)).to.match(/restricted this account/);
    expect(asked).to.equal(1);
    expect((await rig.network.messages(BOB)).map(({ text }) => text)).to.deep.equal(['hello', 'first']);
  });

  it('quotes a message', async () => {
    const { messageId } = await rig.network.write(BOB, { to: ALICE, text: 'how are you?' });
    const { message } = await session.next('message');
    await session.send(message.chat, 'fine', {
      quoted: { messageId, fromMe: false, content: message.content },
    });
    const answer = await rig.network.waitForMessage(BOB, ({ text }) => text === 'fine');
    expect(answer.quotedMessageId).to.equal(messageId);
  });

  it('delivers concurrent sends, each once and intact', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    await Promise.all(texts.map((text, index) => session.send(index % 2 ? BOB_PN : bobLid, text)));
    const got = (await rig.network.messages(BOB)).map(({ text }) => text);
    expect(got.sort()).to.deep.equal([...texts].sort());
  });

  it('keeps both directions decryptable when it sends to the number of a person who writes from the LID', async () => {
    const texts = Array.from({ length: 25 }, (_, index) => `text ${index}`);
    const written = texts.map((text) => rig.network.write(BOB, { to: ALICE, text: `in ${text}` }));
    const sent = texts.map((text) => session.send(BOB_PN, `out ${text}`));
    await Promise.all([...written, ...sent]);
    for (const text of texts)
      await session.next('message', ({ message }) => textOf(message) === `in ${text}`);
    const got = (await rig.network.messages(BOB)).filter(({ fromMe }) => !fromMe).map(({ text }) => text);
    expect(got.sort()).to.deep.equal(texts.map((text) => `out ${text}`).sort());
  });

  it('keeps the ratchets of two sessions apart that write to one person', async () => {
    await rig.network.addPhone({ number: '+15550000003', name: 'Carol' });
    const other = await rig.connected('+15550000003');
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    const both = texts.flatMap((text) => [session.send(bobLid, text), other.send(bobLid, text)]);
    const written = texts.flatMap((text) =>
      [ALICE, '+15550000003'].map((to) => rig.network.write(BOB, { to, text })),
    );
    await Promise.all([...both, ...written]);
    for (const text of texts) {
      await session.next('message', ({ message }) => textOf(message) === text);
      await other.next('message', ({ message }) => textOf(message) === text);
    }
    const ofOther = other.keys.commits.filter(({ journal }) => journal?.length);
    expect(ofOther.every(({ keys }) => keys?.some(({ type }) => type === 'session'))).to.equal(true);
    expect((await rig.network.messages(BOB)).filter(({ fromMe }) => !fromMe)).to.have.length(40);
  });

  it('rejects a send after a nack, with its code', async () => {
    await rig.network.fault({ kind: 'reject-sends', number: ALICE });
    const error = await session.send(BOB_PN, 'no').catch((reason: unknown) => reason);
    expect(isGatewayError(error, 'send_rejected') && error.message).to.include('479');
  });

  it('refuses a number that the network does not know before anything is sent', async () => {
    const error = await session.send('15559999999@s.whatsapp.net', 'no').catch((reason: unknown) => reason);
    expect(isGatewayError(error, 'recipient_unknown')).to.equal(true);
    expect(session.sent.size).to.equal(0);
  });

  it('refuses a send once it is closed', async () => {
    await session.close();
    const error = await session.send(BOB_PN, 'no').catch((reason: unknown) => reason);
    expect(isGatewayError(error, 'send_not_connected')).to.equal(true);
  });

  it('emits a live message with both addresses, name and time, and journals it', async () => {
    const { messageId } = await rig.network.write(BOB, { to: ALICE, text: 'hi' });
    const { message } = await session.next('message');
    expect(message).to.deep.include({
      messageId,
      chat: bobLid,
      chatAlt: BOB_PN,
      fromMe: false,
      pushName: 'Bob',
      offline: false,
    });
    expect(textOf(message)).to.equal('hi');
    expect(message.timestamp).to.be.closeTo(Date.now(), 60_000);
    expect(session.keys.openEntries().map(({ id }) => id)).to.deep.equal(message.journalIds);
    const [contact] = session.all('contact').filter(({ pushName }) => pushName === 'Bob');
    expect(contact).to.deep.include({ lid: bobLid.split('@')[0], pn: '15550000002', source: 'message' });
  });

  it("emits messages of the linked phone as own ones in the recipient's chat", async () => {
    await rig.network.write(ALICE, { to: BOB, text: 'from my phone' });
    const { message } = await session.next('message');
    expect(message).to.deep.include({ fromMe: true, chat: bobLid });
  });

  it('emits the statuses delivered and read with the person', async () => {
    const { messageId } = await session.send(BOB_PN, 'read me');
    const delivered = await session.next('message-status', ({ status }) => status === 'delivered');
    expect(delivered.messageId).to.equal(messageId);
    expect([bobLid, BOB_PN]).to.include(delivered.by);
    await rig.network.read(BOB, [messageId]);
    const read = await session.next('message-status', ({ status }) => status === 'read');
    expect(read.messageId).to.equal(messageId);
  });

  it('ignores what the own phone has read', async () => {
    const { messageId } = await rig.network.write(BOB, { to: ALICE, text: 'for the phone' });
    await session.next('message', ({ message }) => textOf(message) === 'for the phone');
    await rig.network.read(ALICE, [messageId]);
    const own = await session.send(BOB_PN, 'after it');
    await session.next('message-status', (status) => status.messageId === own.messageId);
    expect(session.all('message-status').filter((status) => status.messageId === messageId)).to.deep.equal(
      [],
    );
  });

  it('emits messages from the offline queue of the network once, as offline', async () => {
    await session.close();
    for (const text of ['one', 'two', 'three']) await rig.network.write(BOB, { to: ALICE, text });
    session.open();
    await session.next('message', ({ message }) => textOf(message) === 'three');
    expect(session.all('message').map(({ message }) => message.offline)).to.deep.equal([true, true, true]);
  });

  it('asks for the offline queue batch by batch, and gets what is live after it, where the network waits for that', async () => {
    await session.close();
    const waiting = Array.from({ length: 240 }, (_, index) => `waiting ${index}`);
    for (const text of waiting) await rig.network.write(BOB, { to: ALICE, text });
    await rig.network.fault({ kind: 'offline-batches', number: ALICE, count: 1 });
    session.open();
    await session.next('message', ({ message }) => textOf(message) === 'waiting 0');
    await rig.network.write(BOB, { to: ALICE, text: 'live' });
    await session.next('message', ({ message }) => textOf(message) === 'live');
    expect(session.all('message').map(({ message }) => textOf(message))).to.deep.equal([...waiting, 'live']);
  });

  it('looks people up by number and by LID', async () => {
    const lid = bobLid.split('@')[0] ?? '';
    const known = { lid, pn: '15550000002' };
    expect(await session.link?.lookUp({ kind: 'pn', user: '15550000002' })).to.deep.equal(known);
    expect(await session.link?.lookUp({ kind: 'lid', user: lid })).to.deep.equal(known);
    expect(await session.link?.lookUp({ kind: 'pn', user: '15559999999' })).to.equal(undefined);
    expect(await session.link?.lookUp({ kind: 'lid', user: '90000000099999' })).to.equal(undefined);
  });
});
