import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { StanzaJson } from '../../../src/client/sandbox/client.js';
import { systemClock } from '../../../src/domain/clock.js';
import { isOldCounter, retryReason } from '../../../src/gateway/link/baileys/retry-reasons.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const BOB_PN = '15550000002@s.whatsapp.net';
const DAY_MS = 24 * 3_600_000;

describe('a link with messages that cannot be read', () => {
  let rig: LinkRig;
  let session: Session;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  const received = (text: string) => session.next('message', ({ message }) => textOf(message) === text);
  const reported = (id: string) => session.next('unreadable', ({ message }) => message.messageId === id);

  /** Sends a message stanza of Bob to the session, as it stands. */
  async function deliver(id: string, children: StanzaJson[], attrs: Record<string, string> = {}) {
    const { lid } = await rig.network.phone(BOB);
    const t = String(Math.floor(Date.now() / 1000));
    const stanza = { tag: 'message', attrs: { id, from: lid, type: 'text', t, ...attrs }, children };
    await rig.network.stanzas.send(ALICE, 1, stanza);
  }

  /** What the session sends to the network from now on; `next` leaves out what does not match. */
  async function watchStanzas() {
    const done = new AbortController();
    const stream = await rig.network.stanzas.watch(done.signal);
    const next = async (tag: string | undefined, id: string): Promise<StanzaJson> => {
      for (;;) {
        const { value, done: ended } = await stream.next();
        if (ended) throw new Error(`no ${tag ?? 'stanza'} for ${id}`);
        const { direction, stanza } = value;
        const isIt = stanza.attrs?.id === id && (tag === undefined || stanza.tag === tag);
        if (direction === 'in' && isIt) return stanza;
      }
    };
    return { next, stop: () => done.abort() };
  }

  it('asks the sender five times, and then leaves it to the phone', async () => {
    const wish = { to: ALICE, text: 'broken', deviceCopy: 'damaged-for-good' } as const;
    const { messageId } = await rig.network.write(BOB, wish);
    await session.next('unreadable', ({ message }) => message.recovery === 'phone');
    const reports = session.all('unreadable').map(({ message }) => message);
    expect(reports.map(({ recovery }) => recovery)).to.deep.equal([...Array(5).fill('sender'), 'phone']);
    expect(new Set(reports.map(({ journalIds }) => journalIds.join()))).to.have.property('size', 1);
    expect(reports[0]).to.include({ messageId, reason: 'undecryptable', fromMe: false });
    // one entry stands for all copies, and brings the message back after a restart
    const { me } = await session.next('open');
    const restored = rig.factory.restoreUnreadable(session.keys.openEntries(), me);
    expect(restored).to.deep.equal([{ ...reports[0], recovery: 'phone' }]);
    expect(rig.factory.restore(session.keys.openEntries(), me)).to.deep.equal([]);
    await session.link?.requestResend(restored[0]?.journalIds[0] ?? '');
    const { message } = await received('broken');
    expect(message).to.include({ messageId, chat: reports[0]?.chat, chatAlt: BOB_PN });
  });

  it('sends keys with the first request when its session with the sender is lost', async () => {
    const goBack = session.keys.snapshot();
    await session.send(BOB_PN, 'hello');
    await rig.network.write(BOB, { to: ALICE, text: 'a session' });
    await received('a session');
    await session.close();
    goBack();
    session.open();
    await session.next('open');
    // the phone finds no others than those of the request
    await rig.network.fault({ kind: 'no-keys', number: ALICE });
    await rig.network.write(BOB, { to: ALICE, text: 'after the loss' });
    await received('after the loss');
    const { retryReceipts, messageRefusals } = await rig.network.stats();
    expect([retryReceipts, messageRefusals]).to.deep.equal([{ 1: 1 }, {}]);
  });

  it('requests nothing again after both sides began a session at the same moment', async () => {
    const { me } = await session.next('open');
    const steps = new Map<string, number>();
    session.keys.onCommit = async ({ keys = [] }) => {
      for (const { type, id } of keys) if (type === 'session') steps.set(id, (steps.get(id) ?? 0) + 1);
      // a session with Bob was opened, and the message for him is encrypted but has not left
      if (![...steps].some(([id, count]) => !id.startsWith(me.lid) && count === 2)) return;
      session.keys.onCommit = () => undefined;
      await rig.network.write(BOB, { to: ALICE, text: 'at once' });
    };
    await session.send(BOB_PN, 'first');
    await received('at once');
    for (const turn of [1, 2, 3]) {
      await rig.network.write(BOB, { to: ALICE, text: `question ${turn}` });
      await received(`question ${turn}`);
      await session.send(BOB_PN, `answer ${turn}`);
      await rig.network.waitForMessage(BOB, ({ text }) => text === `answer ${turn}`);
    }
    const { retryReceipts, repeated } = await rig.network.stats();
    expect([retryReceipts, repeated]).to.deep.equal([{}, 0]);
  });

  it('continues in the session that a phone starts with its second request for a message', async () => {
    await rig.network.fault({ kind: 'ask-again', number: BOB, count: 2 });
    await session.send(BOB_PN, 'asked for twice');
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'asked for twice');
    await rig.network.write(BOB, { to: ALICE, text: 'thanks' });
    await received('thanks');
    await session.send(BOB_PN, 'welcome');
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'welcome');
    const { retryReceipts, repeated } = await rig.network.stats();
    expect([retryReceipts, repeated]).to.deep.equal([{}, 2]);
  });

  it('answers all five requests that a phone may make for one message', async () => {
    await rig.network.fault({ kind: 'ask-again', number: BOB, count: 5 });
    await session.send(BOB_PN, 'asked for five times');
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'asked for five times');
    expect((await rig.network.stats()).repeated).to.equal(5);
  });

  it('leaves a message that has no copy for this device to the phone, and requests an old one from nobody', async () => {
    let aheadMs = 0;
    const ahead = await LinkRig.start({ clock: { ...systemClock, now: () => Date.now() + aheadMs } });
    try {
      for (const number of [ALICE, BOB]) await ahead.network.addPhone({ number, name: number });
      const reader = await ahead.connected(ALICE);
      for (const [days, recovery] of [
        [0, 'phone'],
        [13, 'phone'],
        [15, 'none'],
      ] as const) {
        aheadMs = days * DAY_MS;
        const wish = { to: ALICE, text: 'no copy', deviceCopy: 'unavailable' } as const;
        const { messageId } = await ahead.network.write(BOB, wish);
        const isIt = ({ message }: { message: { messageId: string } }) => message.messageId === messageId;
        const { message } = await reader.next('unreadable', isIt);
        expect(message).to.include({ reason: 'unavailable', recovery });
        const kept = reader.keys.openEntries().filter((entry) => entry.messageId === messageId);
        expect(message.journalIds).to.deep.equal(kept.map(({ id }) => id));
        expect(kept).to.have.length(1);
      }
    } finally {
      await ahead.stop();
    }
  });

  // zapo `resolvePlaceholderResendSkipSubtype`; whatsmeow `UnavailableTypeViewOnce`, and `msmsg` in `decryptMessages`
  it('reports at once why a stanza without a ciphertext for it can never be read, and acknowledges it', async () => {
    const stanzas = await watchStanzas();
    const unavailable = (attrs: Record<string, string> = {}) => ({ tag: 'unavailable', attrs });
    const encrypted = (type: string) => ({ tag: 'enc', attrs: { v: '2', type }, base64: 'AAAA' });
    const cases: [string, StanzaJson[], string, string][] = [
      ['VIEW-ONCE', [unavailable({ type: 'view_once' })], 'view_once', 'none'],
      ['HOSTED', [unavailable({ hosted: 'true' })], 'hosted', 'none'],
      ['NOT-HOSTED', [unavailable({ hosted: 'false' })], 'unavailable', 'phone'],
      ['OF-BOT', [unavailable(), { tag: 'bot' }], 'bot', 'none'],
      ['FOR-BOT', [encrypted('msmsg')], 'bot', 'none'],
      ['UNKNOWN', [encrypted('frskmsg')], 'unsupported', 'none'],
      ['BOTH', [encrypted('frskmsg'), unavailable()], 'unavailable', 'phone'],
      ['NOTHING', [], 'unavailable', 'phone'],
    ];
    for (const [id, children, reason, recovery] of cases) {
      await deliver(id, children);
      const { message } = await reported(id);
      expect([id, message.reason, message.recovery]).to.deep.equal([id, reason, recovery]);
      const { attrs } = await stanzas.next('ack', id);
      expect(attrs).to.include({ class: 'message' });
      expect(attrs).to.not.have.property('error');
    }
    stanzas.stop();
    expect((await rig.network.stats()).retryReceipts).to.deep.equal({});
  });

  it('reports an absent message once per author and id, however often it is delivered', async () => {
    const { jid: from } = await rig.network.groups.create(BOB, { subject: 'Team', participants: [ALICE] });
    const stanzas = await watchStanzas();
    const absent = [{ tag: 'unavailable' }];
    const { lid } = await rig.network.phone(BOB);
    await deliver('SAME', absent);
    const { message } = await reported('SAME');
    session.keys.close(message.journalIds, Date.now());
    const others: Record<string, string>[] = [
      {},
      { from, participant: lid },
      { from, participant: '90000000000009@lid' },
    ];
    for (const attrs of others) {
      await deliver('SAME', absent, attrs);
      await stanzas.next('ack', 'SAME');
    }
    await session.next('unreadable', (event) => event.message.participant === others.at(-1)?.participant);
    stanzas.stop();
    const told = session.all('unreadable').map((event) => event.message);
    expect(told.map(({ chat, participant = '' }) => [chat, participant])).to.deep.equal([
      [lid, ''],
      [from, lid],
      [from, '90000000000009@lid'],
    ]);
    expect(new Set(told.flatMap(({ journalIds }) => journalIds))).to.have.property('size', told.length);
  });

  it('leaves messages of the own phone to its devices to the library, and requests none of them again', async () => {
    const { me } = await session.next('open');
    for (const children of [[], [{ tag: 'enc', attrs: { v: '2', type: 'msg' }, base64: 'AAAA' }]])
      await deliver(`PEER${children.length}`, children, { from: me.jid, category: 'peer' });
    await rig.network.write(BOB, { to: ALICE, text: 'next' });
    await received('next');
    expect(session.all('unreadable')).to.deep.equal([]);
    expect((await rig.network.stats()).retryReceipts).to.deep.equal({});
  });

  // whatsapp-rust `MIN_RETRY_COUNT_FOR_KEYS`; whatsmeow `sendRetryReceipt`
  it('sends keys with its second retry receipt, and continues the count of the sender', async () => {
    await rig.network.write(BOB, { to: ALICE, text: 'a session' });
    await received('a session');
    const stanzas = await watchStanzas();
    const wish = { to: ALICE, text: 'broken', deviceCopy: 'damaged-for-good' } as const;
    const { messageId } = await rig.network.write(BOB, wish);
    for (const count of ['1', '2', '3', '4', '5']) {
      const { attrs, children = [] } = await stanzas.next('receipt', messageId);
      expect(attrs).to.include({ type: 'retry' }).and.not.have.any.keys('participant', 'recipient');
      const [retry] = children;
      expect(retry?.attrs).to.include({ id: messageId, count, v: '1' });
      const tags = children.map(({ tag }) => tag);
      expect(tags).to.deep.equal(['retry', 'registration', ...(count === '1' ? [] : ['keys'])]);
      const keys = (children[2]?.children ?? []).map(({ tag }) => tag);
      expect(keys).to.deep.equal(count === '1' ? [] : ['type', 'identity', 'key', 'skey', 'device-identity']);
    }
    const encrypted = (count: string) => [
      { tag: 'enc', attrs: { v: '2', type: 'msg', count }, base64: 'AAAA' },
    ];
    await deliver('COUNTED', encrypted('3'));
    const { children: [retry] = [] } = await stanzas.next('receipt', 'COUNTED');
    expect(retry?.attrs).to.include({ count: '4' });
    await deliver('COUNTED-OUT', encrypted('5'));
    expect((await reported('COUNTED-OUT')).message).to.include({ recovery: 'phone' });
    await rig.network.write(BOB, { to: ALICE, text: 'next' });
    await received('next');
    const { retryReceipts } = await rig.network.stats();
    expect(Object.values(retryReceipts).reduce((sum, count) => sum + count, 0)).to.equal(6);
    stanzas.stop();
  });

  it('names the chat in the retry receipt of a message that another own device wrote', async () => {
    const { me } = await session.next('open');
    const { lid: recipient } = await rig.network.phone(BOB);
    const stanzas = await watchStanzas();
    const broken = [{ tag: 'enc', attrs: { v: '2', type: 'msg' }, base64: 'AAAA' }];
    await deliver('OWN', broken, { from: me.jid, recipient });
    const { attrs } = await stanzas.next('receipt', 'OWN');
    expect(attrs).to.include({ type: 'retry', to: me.jid, recipient });
    expect((await reported('OWN')).message).to.include({ chat: recipient, fromMe: true, recovery: 'sender' });
    stanzas.stop();
  });

  it('ignores the answer of the phone to a request for an unknown message', async () => {
    await session.link?.requestResend('unknown');
    await rig.network.write(BOB, { to: ALICE, text: 'next' });
    await received('next');
    expect(session.all('unreadable')).to.deep.equal([]);
  });

  it("reads the phone's copy of a message like the original stanza, even if an earlier run requested it", async () => {
    const { jid: group } = await rig.network.groups.create(BOB, { subject: 'Team', participants: [ALICE] });
    const writers = [
      [BOB, ALICE],
      [ALICE, BOB],
      [BOB, group],
      [ALICE, group],
    ] as const;
    for (const [number, to] of writers) {
      const text = `from ${number} to ${to}`;
      await rig.network.write(number, { to, text });
      const { message } = await received(text);
      // a first message to a group brings the sender's key too
      const { content: _, ...head } = message;
      const [id = ''] = message.journalIds;
      const again = (copy: typeof message) => textOf(copy) === text && copy.journalIds[0] !== id;
      await session.link?.requestResend(id);
      const { message: live } = await session.next('message', (event) => again(event.message));
      const { content: _live, ...liveHead } = live;
      expect(liveHead).to.deep.equal({ ...head, journalIds: live.journalIds });
      expect(session.keys.journal.get(live.journalIds[0] ?? '')?.messageId).to.equal(message.messageId);
      session.keys.journal.delete(live.journalIds[0] ?? '');
      // the answer is in the journal, and the connection ends before it is read
      session.keys.onCommit = ({ journal = [] }) => {
        if (!journal.some(({ closedAt }) => closedAt !== undefined)) return;
        session.keys.onCommit = () => undefined;
        throw new Error('store gone');
      };
      await session.link?.requestResend(id);
      await session.next('closed');
      session.open();
      const { message: late } = await session.next('message', (event) => again(event.message));
      const { content: _late, ...lateHead } = late;
      // what a phone's copy does not say
      const { chatAlt: _chat, participantAlt: _author, ...known } = head;
      const pushName = head.fromMe ? '' : head.pushName;
      expect(lateHead).to.deep.equal({ ...known, pushName, journalIds: late.journalIds, offline: true });
    }
  });

  it('accepts copies of messages only from its own phone, and only as answers between devices', async () => {
    const copy = {
      key: { remoteJid: '90000000000009@lid', fromMe: false, id: 'FORGED' },
      message: { conversation: 'forged' },
      messageTimestamp: 1,
    };
    const webMessageInfoBytes = proto.WebMessageInfo.encode(copy).finish();
    const answer = {
      protocolMessage: {
        type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
        peerDataOperationRequestResponseMessage: {
          peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes } }],
        },
      },
    };
    const raw = Buffer.from(proto.Message.encode(answer).finish()).toString('base64');
    await rig.network.write(BOB, { to: ALICE, raw });
    await rig.network.write(ALICE, { to: BOB, raw });
    await rig.network.write(BOB, { to: ALICE, text: 'next' });
    await received('next');
    expect(session.all('message').map(({ message }) => message.messageId)).to.not.include('FORGED');
    expect([...session.keys.journal.values()].map(({ messageId }) => messageId)).to.not.include('FORGED');
  });

  it('reads a message of a group after a retry', async () => {
    const { jid: chatId } = await rig.network.groups.create(BOB, { subject: 'Team', participants: [ALICE] });
    await rig.network.write(BOB, { to: chatId, text: 'first' });
    await received('first');
    await rig.network.write(BOB, { to: chatId, text: 'broken', deviceCopy: 'damaged' });
    const { message } = await received('broken');
    expect(message.chat).to.equal(chatId);
    expect(session.all('unreadable').map(({ message: { recovery } }) => recovery)).to.deep.equal(['sender']);
    expect(session.all('message')).to.have.length(2);
  });

  /** Lets Bob write to a group, and reads it. @returns the message, and the part of its stanza that is for the whole group */
  async function readInGroup(text: string) {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Team', participants: [ALICE] });
    await rig.network.write(BOB, { to: jid, text: 'the key' });
    await received('the key');
    const done = new AbortController();
    const stream = await rig.network.stanzas.watch(done.signal);
    const { messageId } = await rig.network.write(BOB, { to: jid, text });
    const { message } = await received(text);
    for await (const { direction, stanza } of stream) {
      if (direction !== 'out' || stanza.attrs?.id !== messageId) continue;
      done.abort();
      return { message, attrs: stanza.attrs, children: stanza.children ?? [] };
    }
    throw new Error('the stanza was not seen');
  }

  it('requests a group message again whose key was used, unless the journal has read it', async () => {
    const { message, attrs, children } = await readInGroup('lost');
    expect(children.map((enc) => enc.attrs?.type)).to.deep.equal(['skmsg']);
    const { messageId } = message;
    for (const id of message.journalIds) session.keys.journal.delete(id);
    await deliver(messageId, children, attrs);
    const { message: unread } = await reported(messageId);
    expect(unread).to.include({ reason: 'undecryptable', recovery: 'sender' });
    // the sender encrypts it again
    const isCopy = ({ message: copy }: { message: typeof message }) =>
      textOf(copy) === 'lost' && copy.journalIds.join() !== message.journalIds.join();
    await session.next('message', isCopy);
    const stanzas = await watchStanzas();
    await deliver(messageId, children, attrs);
    expect((await stanzas.next(undefined, messageId)).tag).to.equal('ack');
    stanzas.stop();
    expect(session.all('unreadable')).to.have.length(1);
  });

  it('does not accept a message of another member in place of an unreadable one', async () => {
    const { message, attrs, children } = await readInGroup('lost');
    const { messageId } = message;
    for (const id of message.journalIds) session.keys.journal.delete(id);
    const { participant_pn: _, ...ofOther }: Record<string, string> = {
      ...attrs,
      participant: '90000000000009@lid',
    };
    await deliver(messageId, [{ tag: 'plaintext', attrs: {}, base64: 'CgVvdGhlcg==' }], ofOther);
    await received('other');
    await deliver(messageId, children, attrs);
    expect((await reported(messageId)).message.participant).to.equal(message.participant);
  });

  it('stores the used key of a group together with the unreadable message that came with it', async () => {
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Team', participants: [ALICE] });
    const wish = { to: jid, text: 'broken', deviceCopy: 'damaged-for-good' } as const;
    const { messageId } = await rig.network.write(BOB, wish);
    const { message } = await reported(messageId);
    const open = session.keys.openEntries().filter((entry) => entry.messageId === messageId);
    expect(message.journalIds.toSorted()).to.deep.equal(open.map(({ id }) => id).toSorted());
    expect(open).to.have.length(2);
  });
});

describe('the reason of a retry receipt', () => {
  const cases: [string, number][] = [
    ['No session record', 1],
    ['No sessions available', 1],
    ['No SenderKeyRecord found for decryption', 1],
    ['Invalid public key', 2],
    ['Invalid PreKey ID', 3],
    ['Missing SignedPreKey', 3],
    ['No matching sessions found for message', 4],
    ['InvalidMessageException', 4],
    ['Invalid signature!', 5],
    ['Over 2000 messages into the future!', 6],
    ['Bad MAC', 7],
    ['Chain closed', 8],
    ['Key used already or never filled', 9],
    ['Received message with old counter: 5, 3', 9],
    ['something else', 0],
  ];
  for (const [text, reason] of cases) {
    it(`is ${reason} for: ${text}`, () => expect(retryReason(new Error(text))).to.equal(reason));
  }

  it('recognises a key that was used before', () => {
    expect(isOldCounter(new Error('Key used already or never filled'))).to.equal(true);
    expect(isOldCounter(new Error('Bad MAC'))).to.equal(false);
  });
});
