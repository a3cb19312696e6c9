import { expect } from 'chai';
import { isGatewayError } from '../../src/domain/errors.js';
import { LIMITS } from '../../src/domain/limits.js';
import { ReadReceipts } from '../../src/link/baileys/read-receipts.js';
import type { IncomingMessage, MessageReference } from '../../src/link/link.js';
import { ManualClock } from '../support/manual-clock.js';
import { Rig, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const BOB_PN = '15550000002@s.whatsapp.net';
const CATCH_UP_MS = 30_000;
const VERSIONS = 'app-state-sync-version';

describe('chats over the wire', () => {
  let rig: Rig;
  let session: Session;

  beforeEach(async () => {
    rig = await Rig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  async function incoming(text: string): Promise<IncomingMessage> {
    const { messageId } = await rig.network.write(BOB, { to: ALICE, text });
    return (await session.next('message', ({ message }) => message.messageId === messageId)).message;
  }

  const link = () => {
    if (!session.link) throw new Error('open the session first');
    return session.link;
  };

  it('typing is shown on the phone, and taken back', async () => {
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

  it('messages are marked read in one receipt, and are told as read', async () => {
    const messages = [await incoming('one'), await incoming('two')];
    await link().markRead(messages[0]?.chat ?? '', messages.map(referenceTo));
    for (const { messageId } of messages) {
      await rig.network.waitForMessage(
        BOB,
        (held) => held.messageId === messageId && held.receipts[ALICE] === 'read',
      );
    }
  });

  it('own messages need no receipt', async () => {
    await link().markRead(BOB_PN, [{ messageId: '3EB0AA', fromMe: true, sentAt: 0 }]);
  });

  it('a chat is marked unread on the phone', async () => {
    const message = await incoming('hello');
    await link().changeChat({ type: 'mark-unread', chat: message.chat, last: referenceTo(message) });
    const chat = await rig.network.waitForChat(ALICE, ({ unread }) => unread);
    expect(chat.with).to.equal(BOB);
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('a message is deleted for the own account only', async () => {
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

  it('changes at once all come through', async () => {
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

  it('a change that another device was faster than is made on top of that', async () => {
    const message = await incoming('hello');
    const change = { type: 'mark-unread', chat: message.chat, last: referenceTo(message) } as const;
    await rig.network.fault({ kind: 'app-state-conflict', number: ALICE });
    await link().changeChat(change);
    await rig.network.waitForChat(ALICE, ({ unread }) => unread);
    const later = await incoming('later');
    await link().changeChat({ type: 'delete-for-me', chat: later.chat, message: referenceTo(later) });
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('a change that is refused again and again says so, and the next one is made', async () => {
    const message = await incoming('hello');
    const change = { type: 'mark-unread', chat: message.chat, last: referenceTo(message) } as const;
    await rig.network.fault({ kind: 'app-state-conflict', number: ALICE, count: 2 });
    const error = await link().changeChat(change).catch(reason);
    expect(isGatewayError(error, 'app_state_rejected') && error.message).to.include('409');
    await link().changeChat(change);
    await rig.network.waitForChat(ALICE, ({ unread }) => unread);
  });

  it('a wrong version that a crash left behind is overcome', async () => {
    const message = await incoming('hello');
    const change = { type: 'mark-unread', chat: message.chat, last: referenceTo(message) } as const;
    await link().changeChat(change);
    const [stored] = (await session.keys.get(VERSIONS, ['regular_low'])).values();
    const ahead = Buffer.from(String(Buffer.from(stored ?? '')).replace(/"version":\d+/, '"version":90'));
    await session.keys.commit({ keys: [{ type: VERSIONS, id: 'regular_low', value: ahead }] });
    await link().changeChat(change);
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('an anchor without its time cannot be used', async () => {
    const last = { messageId: '3EB0AA', fromMe: false, sentAt: 0 };
    const error = await link().changeChat({ type: 'mark-unread', chat: BOB_PN, last }).catch(reason);
    expect(isGatewayError(error, 'app_state_rejected')).to.equal(true);
  });

  it('a change right after the pairing waits for the keys of the phone', async () => {
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

  it('nothing of it works on a closed link', async () => {
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

describe('chats on a network that does not answer', () => {
  let clock: ManualClock;
  let rig: Rig;
  let session: Session;
  const change = {
    type: 'delete-for-me',
    chat: BOB_PN,
    message: { messageId: '3EB0AA', fromMe: true, sentAt: 1_700_000_000_000 },
  } as const;

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    rig = await Rig.start({ clock });
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(async () => {
    // a peer that is silent would not close in good order either
    await rig.network.fault({ kind: 'disconnect', number: ALICE });
    await rig.stop();
  });

  it('a phone that never shares its keys fails the change', async () => {
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

  it('a change that is not answered fails, and ends the link that it would hold up', async () => {
    await rig.network.fault({ kind: 'silence', number: ALICE });
    const changed = session.link?.changeChat(change).catch(reason);
    await clock.scheduled(CATCH_UP_MS);
    clock.advance(CATCH_UP_MS);
    expect(isGatewayError(await changed, 'app_state_rejected')).to.equal(true);
    expect((await session.next('closed')).reason).to.equal('connection_silent');
  });

  it('a receipt that is not acknowledged fails in time', async () => {
    await rig.network.fault({ kind: 'silence', number: ALICE });
    const marked = session.link?.markRead(BOB_PN, [{ messageId: '3AAA', fromMe: false, sentAt: 0 }]);
    const outcome = marked?.catch(reason);
    await clock.scheduled(LIMITS.receiptAckMs);
    clock.advance(LIMITS.receiptAckMs);
    expect(isGatewayError(await outcome, 'receipt_rejected')).to.equal(true);
  });

  it('a receipt that the end of the link overtakes fails at once', async () => {
    await rig.network.fault({ kind: 'silence', number: ALICE });
    const marked = session.link?.markRead(BOB_PN, [{ messageId: '3AAA', fromMe: false, sentAt: 0 }]);
    const outcome = marked?.catch(reason);
    await rig.network.fault({ kind: 'disconnect', number: ALICE });
    expect(isGatewayError(await outcome, 'receipt_rejected')).to.equal(true);
  });

  it('a file that the phone does not answer for can be had later, perhaps', async () => {
    await rig.network.fault({ kind: 'silence', number: ALICE });
    const content = { imageMessage: { mediaKey: Buffer.alloc(32) } };
    const asked = session.link?.renewMedia({ ...change.message, chat: BOB_PN, content }).catch(reason);
    await clock.scheduled(LIMITS.mediaRenewMs);
    clock.advance(LIMITS.mediaRenewMs);
    expect(isGatewayError(await asked, 'media_phone_silent')).to.equal(true);
  });
});

describe('acknowledgements of read receipts', () => {
  const receipts = () => new ReadReceipts({ readMessages: async () => undefined }, new ManualClock());
  const message = { messageId: '3AAA', fromMe: false, sentAt: 0 };
  const ack = (attrs: Record<string, string>) => ({ tag: 'ack', attrs: { id: '3AAA', ...attrs } });

  it('with an error reject', async () => {
    const sent = receipts();
    const outcome = sent.markRead(BOB_PN, [message]).catch(reason);
    sent.onAck(ack({ error: '500' }));
    const error = await outcome;
    expect(isGatewayError(error, 'receipt_rejected') && error.message).to.include('500');
  });

  it('of a delivery receipt for the same message do not count', async () => {
    const sent = receipts();
    const outcome = sent.markRead(BOB_PN, [message]).catch(reason);
    sent.onAck(ack({ type: 'inactive', error: '500' }));
    sent.onAck(ack({ type: 'read' }));
    expect(await outcome).to.equal(undefined);
  });

  it('are waited for from each author', async () => {
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
