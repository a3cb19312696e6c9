import { expect } from 'chai';
import { parseJid } from '../../../src/domain/address.js';
import { isGatewayError } from '../../../src/domain/errors.js';
import { LIMITS } from '../../../src/domain/limits.js';
import { ReadReceipts } from '../../../src/gateway/link/baileys/receipts.js';
import type { IncomingMessage, MessageReference } from '../../../src/gateway/link/link.js';
import { ManualClock } from '../../support/manual-clock.js';
import { LinkRig, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const BOB_PN = '15550000002@s.whatsapp.net';
const CATCH_UP_MS = 30_000;
const NEWS_MS = 120_000;
const VERSIONS = 'app-state-sync-version';
const NEWS = { from: 's.whatsapp.net', id: '1', type: 'server_sync', t: '1' };

describe('a link that changes chats', () => {
  let rig: LinkRig;
  let session: Session;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  async function incoming(text: string): Promise<IncomingMessage> {
    const { messageId } = await rig.network.write(BOB, { to: ALICE, text });
    return (await session.next('message', ({ message }) => message.messageId === messageId)).message;
  }

  const appStateQueries = async () => (await rig.network.stats()).queries['w:sync:app:state'] ?? 0;

  const link = () => {
    if (!session.link) throw new Error('open the session first');
    return session.link;
  };

  it('shows on the phone that the client starts and stops typing', async () => {
    await link().sendTyping(BOB_PN, true);
    await link().sendTyping(BOB_PN, false);
    await session.send(BOB_PN, 'done');
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'done');
    const states = (await rig.network.chatstates(BOB)).map(({ from, state }) => [from, state]);
    expect(states).to.deep.equal([
      [ALICE, 'composing'],
      [ALICE, 'paused'],
    ]);
  });

  it('marks messages read in one receipt, which the sender sees', async () => {
    const messages = [await incoming('one'), await incoming('two')];
    await link().markRead(messages[0]?.chat ?? '', messages.map(referenceTo));
    for (const { messageId } of messages) {
      await rig.network.waitForMessage(
        BOB,
        (held) => held.messageId === messageId && held.receipts[ALICE] === 'read',
      );
    }
  });

  it('sends no receipt for own messages', async () => {
    await link().markRead(BOB_PN, [{ messageId: '3EB0AA', fromMe: true, sentAt: 0 }]);
  });

  it('marks a chat unread on the phone', async () => {
    const message = await incoming('hello');
    await link().changeChat({ type: 'mark-unread', chat: message.chat, last: referenceTo(message) });
    const chat = await rig.network.waitForChat(ALICE, ({ unread }) => unread);
    expect(chat.with).to.equal(BOB);
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('deletes a message for the own account only', async () => {
    const message = await incoming('hello');
    await link().changeChat({
      type: 'delete-for-me',
      chat: message.chat,
      message: referenceTo(message),
    });
    await rig.network.waitForChat(ALICE, ({ deletedMessages }) =>
      deletedMessages.includes(message.messageId),
    );
  });

  it('stars messages on the phone, and removes the star', async () => {
    const message = referenceTo(await incoming('hello'));
    const star = { type: 'star', chat: BOB_PN, message } as const;
    await link().changeChat({ ...star, starred: true });
    await rig.network.waitForChat(ALICE, ({ starredMessages = [] }) =>
      starredMessages.includes(message.messageId),
    );
    await link().changeChat({ ...star, starred: false });
    await rig.network.waitForChat(ALICE, ({ starredMessages }) => starredMessages === undefined);
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('makes all of several concurrent changes', async () => {
    const messages = [await incoming('one'), await incoming('two'), await incoming('three')];
    await Promise.all(
      messages.map((message) =>
        link().changeChat({ type: 'delete-for-me', chat: message.chat, message: referenceTo(message) }),
      ),
    );
    const chat = await rig.network.waitForChat(ALICE, ({ deletedMessages }) => deletedMessages.length === 3);
    expect(chat.deletedMessages).to.have.members(messages.map(({ messageId }) => messageId));
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('repeats a change after a conflict with another device', async () => {
    const message = await incoming('hello');
    const change = { type: 'mark-unread', chat: message.chat, last: referenceTo(message) } as const;
    await rig.network.fault({ kind: 'app-state-conflict', number: ALICE });
    await link().changeChat(change);
    await rig.network.waitForChat(ALICE, ({ unread }) => unread);
    const later = await incoming('later');
    await link().changeChat({ type: 'delete-for-me', chat: later.chat, message: referenceTo(later) });
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('reports a change that is refused repeatedly, and makes the next one', async () => {
    const message = await incoming('hello');
    const change = { type: 'mark-unread', chat: message.chat, last: referenceTo(message) } as const;
    await rig.network.fault({ kind: 'app-state-conflict', number: ALICE, count: 2 });
    const error = await link().changeChat(change).catch(reason);
    expect(isGatewayError(error, 'app_state_rejected') && error.message).to.include('409');
    await link().changeChat(change);
    await rig.network.waitForChat(ALICE, ({ unread }) => unread);
  });

  it('recovers from a wrong version that a crash left behind', async () => {
    const message = await incoming('hello');
    const change = { type: 'mark-unread', chat: message.chat, last: referenceTo(message) } as const;
    await link().changeChat(change);
    const [stored] = (await session.keys.get(VERSIONS, ['regular_low'])).values();
    const ahead = Buffer.from(String(Buffer.from(stored ?? '')).replace(/"version":\d+/, '"version":90'));
    await session.keys.commit({ keys: [{ type: VERSIONS, id: 'regular_low', value: ahead }] });
    await link().changeChat(change);
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('refuses a change whose last message has no time', async () => {
    const last = { messageId: '3EB0AA', fromMe: false, sentAt: 0 };
    const error = await link().changeChat({ type: 'mark-unread', chat: BOB_PN, last }).catch(reason);
    expect(isGatewayError(error, 'app_state_rejected')).to.equal(true);
  });

  it('ignores changes of a collection that does not exist, and reads what comes after them', async () => {
    const before = await appStateQueries();
    rig.inject(ALICE, { tag: 'notification', attrs: NEWS });
    const spoiled: Record<string, string>[] = [{}, { name: '' }, { name: 'unheard_of' }];
    for (const attrs of spoiled)
      rig.inject(ALICE, { tag: 'notification', attrs: NEWS, content: [{ tag: 'collection', attrs }] });
    await incoming('after them');
    expect(await appStateQueries()).to.equal(before);
  });

  it("waits for the phone's keys right after the pairing", async () => {
    await rig.network.addPhone({ number: '+15550000003', name: 'Carol' });
    const fresh = await rig.paired('+15550000003');
    fresh.open();
    await fresh.next('open');
    const message = { messageId: '3EB0AA', fromMe: true, sentAt: Date.now() };
    await fresh.link?.changeChat({ type: 'delete-for-me', chat: BOB_PN, message });
    await rig.network.waitForChat('+15550000003', ({ deletedMessages }) =>
      deletedMessages.includes('3EB0AA'),
    );
  });

  it('refuses every change once it is closed', async () => {
    const closed = link();
    await session.close();
    const message = { messageId: '3EB0AA', fromMe: false, sentAt: 1 };
    for (const attempt of [
      closed.sendTyping(BOB_PN, true),
      closed.markRead(BOB_PN, [message]),
      closed.changeChat({ type: 'mark-unread', chat: BOB_PN, last: message }),
      closed.renewMedia({ ...message, chat: BOB_PN, content: {} }),
    ]) {
      expect(isGatewayError(await attempt.catch(reason), 'send_not_connected')).to.equal(true);
    }
  });
});

describe('a link after its pairing', () => {
  let rig: LinkRig;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
  });

  afterEach(() => rig.stop());

  const firstSyncs = async () => (await rig.network.stats()).queries['w:sync:app:state'] ?? 0;

  it('learns once the names of the address book, and which chats are archived, muted and pinned', async () => {
    await rig.network.people.nameContacts(ALICE, [{ number: BOB, name: 'Bob Builder' }]);
    await rig.network.updateChat(ALICE, BOB, { archived: true });
    await rig.network.updateChat(ALICE, BOB, { muted: true });
    const session = await rig.paired(ALICE);
    session.open();
    const { lid, pn } = await session.next('contact', ({ name }) => name === 'Bob Builder');
    expect(pn).to.equal(BOB.slice(1));
    await session.next(
      'chat-changed',
      ({ chat, archived }) => parseJid(chat)?.user === lid && archived === true,
    );
    await session.next('chat-changed', ({ mutedUntil = 0 }) => mutedUntil > Date.now());
    await session.firstSync();
    const asked = await firstSyncs();
    await session.close();
    session.open();
    await session.next('open');
    await session.send(BOB_PN, 'here again');
    expect(await firstSyncs()).to.equal(asked);
    expect(session.all('contact').filter(({ source }) => source === 'address-book')).to.deep.equal([]);
  });

  it('reads a long address book from a snapshot, and the patches after it', async () => {
    const names = Array.from({ length: 250 }, (_, index) => ({ number: BOB, name: `Bob ${index}` }));
    await rig.network.people.nameContacts(ALICE, names);
    const session = await rig.paired(ALICE);
    session.open();
    await session.firstSync();
    const learnt = session.all('contact').filter(({ source }) => source === 'address-book');
    expect(learnt.at(-1)?.name).to.equal('Bob 249');
    await session.link?.changeChat({ type: 'pin', chat: BOB_PN, pinned: true });
    await rig.network.waitForChat(ALICE, ({ pinned }) => pinned);
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('sends and receives while the network has not answered it', async () => {
    await rig.network.fault({ kind: 'ignore-app-state', number: ALICE });
    const session = await rig.paired(ALICE);
    session.open();
    await session.next('open');
    const { messageId } = await rig.network.write(BOB, { to: ALICE, text: 'are you there?' });
    await session.next('message', ({ message }) => message.messageId === messageId);
    await session.send(BOB_PN, 'yes');
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'yes');
    expect(await firstSyncs()).to.be.greaterThan(0);
    await rig.network.clearFaults();
    await session.close();
    session.keys.commits.length = 0;
    session.open();
    await session.firstSync();
  });
});

describe('a link that changes chats while the network does not answer', () => {
  let clock: ManualClock;
  let rig: LinkRig;
  let session: Session;
  const change = {
    type: 'delete-for-me',
    chat: BOB_PN,
    message: { messageId: '3EB0AA', fromMe: true, sentAt: 1_700_000_000_000 },
  } as const;

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    rig = await LinkRig.start({ clock });
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(async () => {
    // a peer that is silent would not close in good order either
    await rig.network.fault({ kind: 'disconnect', number: ALICE });
    await rig.stop();
  });

  it('fails a change if the phone never shares its keys', async () => {
    await session.close();
    const credentials = JSON.parse(Buffer.from((await session.keys.credentials()) ?? '').toString());
    const keyless = JSON.stringify({ ...credentials, myAppStateKeyId: undefined });
    await session.keys.commit({ credentials: Buffer.from(keyless) });
    session.open();
    await session.next('open');
    const changed = session.link?.changeChat(change).catch(reason);
    await clock.scheduled(LIMITS.appStateKeyMs);
    clock.advance(LIMITS.appStateKeyMs);
    expect(isGatewayError(await changed, 'app_state_rejected')).to.equal(true);
  });

  it('fails an unanswered change, and ends the link that it would block', async () => {
    await rig.network.fault({ kind: 'silence', number: ALICE });
    const changed = session.link?.changeChat(change).catch(reason);
    await clock.scheduled(CATCH_UP_MS);
    clock.advance(CATCH_UP_MS);
    expect(isGatewayError(await changed, 'app_state_rejected')).to.equal(true);
    expect((await session.next('closed')).reason.code).to.equal('connection_silent');
  });

  it('ends a link that cannot read what another device has changed', async () => {
    await rig.network.fault({ kind: 'ignore-app-state', number: ALICE });
    await rig.network.updateChat(ALICE, BOB, { archived: true });
    await clock.scheduled(NEWS_MS);
    clock.advance(NEWS_MS);
    expect((await session.next('closed')).reason.code).to.equal('connection_silent');
  });

  it('fails an unacknowledged receipt at its deadline', async () => {
    await rig.network.fault({ kind: 'silence', number: ALICE });
    const marked = session.link?.markRead(BOB_PN, [{ messageId: '3AAA', fromMe: false, sentAt: 0 }]);
    const outcome = marked?.catch(reason);
    await clock.scheduled(LIMITS.receiptAckMs);
    clock.advance(LIMITS.receiptAckMs);
    expect(isGatewayError(await outcome, 'receipt_rejected')).to.equal(true);
  });

  it('fails an open receipt as soon as the link ends', async () => {
    await rig.network.fault({ kind: 'silence', number: ALICE });
    const marked = session.link?.markRead(BOB_PN, [{ messageId: '3AAA', fromMe: false, sentAt: 0 }]);
    const outcome = marked?.catch(reason);
    await rig.network.fault({ kind: 'disconnect', number: ALICE });
    expect(isGatewayError(await outcome, 'receipt_rejected')).to.equal(true);
  });

  it('reports a phone that does not answer a request for a file as retryable', async () => {
    await rig.network.fault({ kind: 'silence', number: ALICE });
    const content = { imageMessage: { mediaKey: Buffer.alloc(32) } };
    const asked = session.link?.renewMedia({ ...change.message, chat: BOB_PN, content }).catch(reason);
    await clock.scheduled(LIMITS.mediaRenewMs);
    clock.advance(LIMITS.mediaRenewMs);
    expect(isGatewayError(await asked, 'media_phone_silent')).to.equal(true);
  });
});

describe('ReadReceipts', () => {
  const receipts = () => new ReadReceipts({ readMessages: async () => undefined }, new ManualClock());
  const message = { messageId: '3AAA', fromMe: false, sentAt: 0 };
  const ack = (attrs: Record<string, string>) => ({ tag: 'ack', attrs: { id: '3AAA', ...attrs } });

  it('rejects after an acknowledgement with an error', async () => {
    const sent = receipts();
    const outcome = sent.markRead(BOB_PN, [message]).catch(reason);
    sent.onAck(ack({ error: '500' }));
    const error = await outcome;
    expect(isGatewayError(error, 'receipt_rejected') && error.message).to.include('500');
  });

  it('ignores the acknowledgement of a delivery receipt for the same message', async () => {
    const sent = receipts();
    const outcome = sent.markRead(BOB_PN, [message]).catch(reason);
    sent.onAck(ack({ type: 'inactive', error: '500' }));
    sent.onAck(ack({ type: 'read' }));
    expect(await outcome).to.equal(undefined);
  });

  it("waits for the acknowledgement of each author's receipt", async () => {
    const sent = receipts();
    const other = { ...message, messageId: '3ABB', participant: 'b@lid' };
    const outcome = sent.markRead('1@g.us', [{ ...message, participant: 'a@lid' }, other]).catch(reason);
    sent.onAck(ack({}));
    sent.onAck(ack({ id: '3ABB', error: '404' }));
    expect(isGatewayError(await outcome, 'receipt_rejected')).to.equal(true);
  });
});

function referenceTo({ messageId, fromMe, timestamp }: IncomingMessage): MessageReference {
  return { messageId, fromMe, sentAt: timestamp };
}

function reason(error: unknown): unknown {
  return error;
}
