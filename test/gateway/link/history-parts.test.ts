import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { createDeflate, deflateSync } from 'node:zlib';
import { encodeWAMessage, proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { pino } from 'pino';
import { systemClock } from '../../../src/domain/clock.js';
import type { JournalEntry } from '../../../src/domain/signal-state.js';
import { encodeStanza } from '../../../src/gateway/link/baileys/incoming.js';
import { createBaileysLinks } from '../../../src/gateway/link/baileys/index.js';
import type { HistoryBatch } from '../../../src/gateway/link/history.js';
import { usedHeap } from '../../fuzz/support/values.js';
import { protoOf } from './rig.js';

const { HISTORY_SYNC_NOTIFICATION, MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
const { RECENT, PUSH_NAME, INITIAL_STATUS_V3 } = proto.HistorySync.HistorySyncType;
const { StubType } = proto.WebMessageInfo;
const ME = '15550000001@s.whatsapp.net';
const BOB = '90000000000002@lid';
const BOB_PN = '15550000002@s.whatsapp.net';
const GROUP = '120363040000000000@g.us';
const AT = 1_767_323_045;
/** Of the large history: messages, their bytes, and how much of all of them may be held at a time. */
const CHATS = 40;
const MESSAGES_PER_CHAT = 500;
const MESSAGE_BYTES = 2_000;
const MAX_GROWTH_BYTES = 24 * 1024 * 1024;
/** Batches between two looks at the memory. */
const LOOK_EVERY = 50;

describe('a part of the history', () => {
  const links = createBaileysLinks({ network: {}, log: pino({ level: 'silent' }), clock: systemClock });

  function announced(
    compressed: Uint8Array,
    notice: proto.Message.IHistorySyncNotification = {},
  ): JournalEntry {
    const historySyncNotification = {
      syncType: RECENT,
      progress: 40,
      initialHistBootstrapInlinePayload: compressed,
      ...notice,
    };
    const protocolMessage = { type: HISTORY_SYNC_NOTIFICATION, historySyncNotification };
    return {
      id: 'J1',
      messageId: 'N1',
      plain: encodeWAMessage({ protocolMessage }),
      stanza: encodeStanza({ attrs: { id: 'N1', from: ME, category: 'peer', t: String(AT) }, parts: ['J1'] }),
      receivedAt: AT * 1_000,
    };
  }

  async function batchesOf(entry: JournalEntry): Promise<HistoryBatch[]> {
    const batches: HistoryBatch[] = [];
    const part = links.history(entry, '');
    if (!part) throw new Error('the entry announces no history');
    for await (const batch of part.batches(new AbortController().signal)) batches.push(batch);
    return batches;
  }

  async function read(history: Partial<proto.IHistorySync>): Promise<HistoryBatch> {
    const encoded = proto.HistorySync.encode({ syncType: RECENT, ...history }).finish();
    const batches = await batchesOf(announced(deflateSync(encoded)));
    const hasMore = batches.find((batch) => batch.hasMore !== undefined)?.hasMore;
    const oldest = batches.find((batch) => batch.oldest)?.oldest;
    return {
      people: batches.flatMap(({ people }) => people),
      messages: batches.flatMap(({ messages }) => messages),
      ...(hasMore !== undefined && { hasMore }),
      ...(oldest && { oldest }),
    };
  }

  const chat = (...messages: proto.IWebMessageInfo[]): proto.IConversation => ({
    id: BOB,
    messages: messages.map((message) => ({ message })),
  });
  const message = (id: string, more: Partial<proto.IWebMessageInfo> = {}): proto.IWebMessageInfo => ({
    key: { id, remoteJid: BOB, fromMe: false },
    messageTimestamp: AT,
    message: { conversation: id },
    ...more,
  });
  const messagesOf = async (...messages: proto.IWebMessageInfo[]) =>
    (await read({ conversations: [chat(...messages)] })).messages;

  it('a history part contains the progress and the account', () => {
    const part = links.history(announced(deflateSync(Buffer.alloc(0))), '');
    expect(part?.progress).to.equal(40);
    expect(part?.account).to.deep.equal({ pn: '15550000001' });
  });

  it('a history part is not announced for status posts', () => {
    expect(links.history(announced(new Uint8Array(), { syncType: INITIAL_STATUS_V3 }), '')).to.equal(
      undefined,
    );
  });

  it('yields people before messages, wherever the stream has them', async () => {
    const encoded = proto.HistorySync.encode({
      syncType: PUSH_NAME,
      conversations: [
        { ...chat(message('M1')), pnJid: BOB_PN, name: 'Robert', displayName: 'Robert' },
        { id: '90000000000004@lid', displayName: 'Dora' },
      ],
      pushnames: [
        { id: BOB, pushname: 'Bob' },
        { id: '90000000000003@lid', pushname: '-' },
      ],
      phoneNumberToLidMappings: [{ pnJid: '15550000003@s.whatsapp.net', lidJid: '90000000000003@lid' }],
    }).finish();
    const batches = await batchesOf(announced(deflateSync(encoded)));
    expect(batches.map(({ people, messages }) => [people.length, messages.length])).to.deep.equal([
      [5, 0],
      [0, 1],
    ]);
    expect(batches[0]?.people).to.deep.equal([
      { lid: '90000000000002', pn: '15550000002', name: 'Robert' },
      { lid: '90000000000004', pushName: 'Dora' },
      { lid: '90000000000002', pushName: 'Bob' },
      { lid: '90000000000003' },
      { lid: '90000000000003', pn: '15550000003' },
    ]);
    expect(batches[1]?.messages[0]).to.deep.include({ chat: BOB, chatAlt: BOB_PN, subject: '' });
  });

  it('a history part contains the subject and the authors of a group', async () => {
    const key = { id: 'M1', remoteJid: GROUP, fromMe: false, participant: '90000000000002:3@lid' };
    const conversation = { ...chat(message('M1', { key })), id: GROUP, name: 'Friends' };
    const { people, messages } = await read({ conversations: [conversation] });
    expect(people).to.deep.equal([]);
    expect(messages[0]).to.deep.include({ chat: GROUP, subject: 'Friends', participant: BOB });
  });

  it('a history part contains the new text and the time of an edit', async () => {
    const edited = { conversation: 'better' };
    const change = {
      type: MESSAGE_EDIT,
      key: { id: 'M1' },
      editedMessage: edited,
      timestampMs: AT * 1_000 + 7,
    };
    const plain = message('E1', { message: { protocolMessage: change } });
    const wrapped = message('E2', {
      message: { editedMessage: { message: { protocolMessage: { ...change, key: { id: 'M2' } } } } },
    });
    const messages = await messagesOf(plain, wrapped);
    expect(messages.map(({ messageId }) => messageId)).to.have.members(['M1', 'M2']);
    for (const { content, editedAt, deleted } of messages) {
      expect(protoOf(content).conversation).to.equal('better');
      expect([editedAt, deleted]).to.deep.equal([AT * 1_000 + 7, false]);
    }
  });

  it('marks a deleted message in each of its forms', async () => {
    const revoke = { type: REVOKE, key: { id: 'M3' } };
    const messages = await messagesOf(
      { ...message('M1'), message: null, messageStubType: StubType.REVOKE },
      { ...message('M2'), message: null, messageStubType: StubType.ADMIN_REVOKE },
      message('R3', { message: { protocolMessage: revoke } }),
    );
    expect(
      messages.map(({ messageId, deleted, content }) => [messageId, deleted, content]),
    ).to.have.deep.members([
      ['M1', true, {}],
      ['M2', true, {}],
      ['M3', true, {}],
    ]);
  });

  it('a history part contains the status of own messages, in a group the furthest of any member', async () => {
    const { ERROR, PENDING, SERVER_ACK, DELIVERY_ACK, READ, PLAYED } = proto.WebMessageInfo.Status;
    const key = (id: string) => ({ id, remoteJid: BOB, fromMe: true });
    const userReceipt = [
      { userJid: BOB, receiptTimestamp: AT },
      { userJid: ME, receiptTimestamp: AT, readTimestamp: AT },
    ];
    const told = [ERROR, PENDING, SERVER_ACK, DELIVERY_ACK, READ, PLAYED].map((status) =>
      message(`M${status}`, { key: key(`M${status}`), status }),
    );
    const messages = await messagesOf(
      ...told,
      message('M6', { key: key('M6') }),
      message('M7', { key: key('M7'), status: SERVER_ACK, userReceipt }),
      message('M8', { status: READ }),
    );
    const byId = new Map(messages.map(({ messageId, status }) => [messageId, status]));
    expect(Array.from({ length: 9 }, (_, n) => byId.get(`M${n}`))).to.deep.equal([
      ...['failed', undefined, 'sent', 'delivered', 'read', 'played'],
      ...[undefined, 'read', undefined],
    ]);
  });

  it('keeps the secret that votes and edits are encrypted with', async () => {
    const messageSecret = Buffer.alloc(32, 7);
    const [poll] = await messagesOf(message('M1', { messageSecret }));
    expect(Buffer.from(protoOf(poll?.content ?? {}).messageContextInfo?.messageSecret ?? [])).to.deep.equal(
      messageSecret,
    );
  });

  it('skips messages without an author, and unreadable ones', async () => {
    const broken = { id: BOB, messages: [] };
    const good = proto.HistorySync.encode({
      syncType: RECENT,
      conversations: [chat(message('M1'))],
    }).finish();
    // a conversation with a message that is none
    const bad = Buffer.from([0x12, 0x05, 0x12, 0x03, 0x0a, 0x7f, 0x01]);
    const batches = await batchesOf(announced(deflateSync(Buffer.concat([bad, good]))));
    expect(batches.flatMap(({ messages }) => messages.map(({ messageId }) => messageId))).to.deep.equal([
      'M1',
    ]);
    const { messages } = await read({
      conversations: [
        broken,
        chat({ ...message('C1'), message: null, messageStubType: StubType.CALL_MISSED_VOICE }),
        chat({ ...message('T1'), messageTimestamp: 0 }),
        { ...chat(message('S1')), id: 'status@broadcast' },
        { ...chat(message('N1')), id: '120363000000000000@newsletter' },
      ],
    });
    expect(messages).to.deep.equal([]);
  });

  it('counts unread messages as the phone does, and ignores the mark "unread"', async () => {
    const unread = (unreadCount: number) => ({ ...chat(message('M1')), unreadCount });
    const { messages } = await read({ conversations: [unread(3), unread(2 ** 32 - 1)] });
    expect(messages.map(({ unreadInChat }) => unreadInChat)).to.have.members([3, 0]);
  });

  it('yields the messages of one second from the newest to the oldest', async () => {
    const at = (id: string, seconds: number) => message(id, { messageTimestamp: AT + seconds });
    const ids = async (...messages: proto.IWebMessageInfo[]) =>
      (await messagesOf(...messages)).map(({ messageId }) => messageId);
    expect(await ids(at('5', 2), at('4', 1), at('3', 1), at('2', 1), at('1', 0))).to.deep.equal([
      '5',
      '4',
      '3',
      '2',
      '1',
    ]);
    expect(await ids(at('1', 0), at('2', 1), at('3', 1), at('4', 2))).to.deep.equal(['1', '3', '2', '4']);
  });

  it('names the oldest message of an answer, also one that is not yielded', async () => {
    const change = { ...message('stub', { messageTimestamp: AT - 5 }), message: null };
    const listed = chat(message('M1'), change);
    const end = proto.Conversation.EndOfHistoryTransferType.COMPLETE_BUT_MORE_MESSAGES_REMAIN_ON_PRIMARY;
    const { messages, hasMore, oldest } = await read({
      conversations: [{ ...listed, endOfHistoryTransferType: end }],
    });
    expect(messages.map(({ messageId }) => messageId)).to.deep.equal(['M1']);
    expect({ hasMore, oldest }).to.deep.equal({
      hasMore: true,
      oldest: { messageId: 'stub', fromMe: false, sentAt: (AT - 5) * 1_000 },
    });
    expect(await read({ conversations: [listed] })).not.to.have.property('oldest');
  });

  const NONSENSE: [what: string, payload: Uint8Array][] = [
    ['is not compressed', Buffer.from('nonsense')],
    ['is cut off', deflateSync(Buffer.from([0x12, 0x7f, 0x01]))],
    ['is no history', deflateSync(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))],
    ['has fields of an unknown type', deflateSync(Buffer.from([0x0f, 0x01]))],
  ];
  for (const [what, payload] of NONSENSE) {
    it(`fails if it ${what}`, async () => {
      const failed = await batchesOf(announced(payload)).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Error);
    });
  }

  it('a history part is never held in memory as a whole', async () => {
    const messages = Array.from({ length: MESSAGES_PER_CHAT }, (_, index) =>
      message(`M${index}`, {
        message: { conversation: 'x'.repeat(MESSAGE_BYTES) },
        messageTimestamp: AT - index,
      }),
    );
    const one = proto.HistorySync.encode({ syncType: RECENT, conversations: [chat(...messages)] }).finish();
    const deflate = createDeflate();
    const compressed = buffer(deflate);
    for (let index = 0; index < CHATS; index++) if (!deflate.write(one)) await once(deflate, 'drain');
    deflate.end();
    const part = links.history(announced(await compressed), '');
    const before = usedHeap();
    let most = 0;
    let count = 0;
    let batches = 0;
    for await (const batch of part?.batches(new AbortController().signal) ?? []) {
      count += batch.messages.length;
      if (++batches % LOOK_EVERY === 0) most = Math.max(most, usedHeap() - before);
    }
    expect(count).to.equal(CHATS * MESSAGES_PER_CHAT);
    expect(most).to.be.lessThan(MAX_GROWTH_BYTES);
  });
});
