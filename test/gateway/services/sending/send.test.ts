import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { SendAnswer } from '../../../../src/contract/index.js';
import type { SendPayload } from '../../../../src/contract/sends/send-request.js';
import { GatewayError, isGatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import { sendableKinds } from '../../../../src/gateway/kinds/index.js';
import type { KindSend } from '../../../../src/gateway/kinds/kind.js';
import type { FilePayload } from '../../../../src/gateway/services/files/media.js';
import { OncePerKey } from '../../../../src/gateway/services/sending/idempotency.js';
import { Rig } from '../../../support/rig/rig.js';
import { GROUP, type Sending } from '../../../support/rig/sending.js';

const BOB_LID = '90000000000002@lid';
const BOB_PN = '15550000002@s.whatsapp.net';
const MY_LID = '90000000000001@lid';
const TO_BOB = { clientId: 'acme', to: BOB_LID };

function kind(path: string): KindSend {
  const found = sendableKinds().find((candidate) => candidate.path === path);
  if (found) return found;
  throw new Error(`there is no ${path}`);
}

interface Request extends SendPayload {
  [field: string]: unknown;
}

// groups, a failing history and lost answers cannot be had over the wire: here the link is played by hand
describe('Sends', () => {
  let rig: Sending;
  beforeEach(async () => {
    rig = await (await Rig.start()).sending();
  });
  afterEach(() => rig.close());

  const send = (path: string, payload: Request, key?: string) =>
    rig.sends.send(kind(path), kind(path).payload.validate(payload).value ?? payload, key);
  const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  async function remember(messageId: string, trace: { chat: string; fromMe?: boolean; author?: string }) {
    await rig.store.traces.add('acme', {
      messageId,
      chat: trace.chat,
      fromMe: trace.fromMe ?? false,
      authorLid: trace.author ?? '',
      authorPn: '',
      secret: undefined,
      sentAt: rig.clock.now(),
    });
  }

  describe('a warning that the history did not record a sent message', () => {
    it('the warning is part of the answer', async () => {
      rig.recorded = false;
      const answer = await send('/send-message', { ...TO_BOB, body: 'hello' });
      expect(answer).to.include({ status: 'sent', messageId: rig.sent[0]?.messageId });
      expect(answer.warning).to.match(/delivered.*history/);
    });

    it('the warning is absent when the message was recorded', async () => {
      expect(await send('/send-message', { ...TO_BOB, body: 'hello' })).to.have.keys('status', 'messageId');
    });
  });

  describe('the author of a target in a group', () => {
    const reaction = { clientId: 'acme', to: GROUP, emoji: '👍' };
    const key = () => {
      const content = rig.sent.at(-1)?.content;
      const react: unknown = content && 'react' in content ? content.react : undefined;
      return react instanceof Object && 'key' in react ? react.key : undefined;
    };

    it('the author comes from the trace of the target', async () => {
      await remember('HIS', { chat: GROUP, author: BOB_LID });
      await send('/send-reaction', { ...reaction, messageId: 'HIS' });
      expect(key()).to.deep.equal({ remoteJid: GROUP, id: 'HIS', fromMe: false, participant: BOB_LID });
    });

    it('a star names the author in a group', async () => {
      await remember('HIS', { chat: GROUP, author: BOB_LID });
      await rig.messages.star({ clientId: 'acme', to: GROUP, messageId: 'HIS', starred: true });
      const message = { messageId: 'HIS', fromMe: false, participant: BOB_LID, sentAt: rig.clock.now() };
      expect(rig.asked).to.deep.equal([
        ['changeChat', { type: 'star', chat: GROUP, message, starred: true }],
      ]);
    });

    it('the author is the own number for an own message', async () => {
      await remember('MINE', { chat: GROUP, fromMe: true });
      await send('/send-reaction', { ...reaction, messageId: 'MINE' });
      expect(key()).to.deep.equal({ remoteJid: GROUP, id: 'MINE', fromMe: true, participant: MY_LID });
      await send('/send-reaction', { ...reaction, messageId: 'UNKNOWN', targetFromMe: true });
      expect(key()).to.deep.equal({ remoteJid: GROUP, id: 'UNKNOWN', fromMe: true, participant: MY_LID });
    });

    it('the author is required: the sender refuses every action on an unknown target', async () => {
      await remember('HIS', { chat: GROUP, author: BOB_LID });
      const unknown = { clientId: 'acme', to: GROUP, messageId: 'UNKNOWN', fromMe: false };
      for (const work of [
        () => send('/send-reaction', { ...reaction, messageId: 'UNKNOWN' }),
        () => rig.chats.markRead('acme', GROUP, ['HIS', 'UNKNOWN']),
        () => rig.chats.deleteMessage({ ...unknown, mode: 'everyone' }),
        () => rig.chats.deleteMessage({ ...unknown, mode: 'me' }),
      ]) {
        expect(isGatewayError(await failure(work()), 'target_author_unknown')).to.equal(true);
      }
      expect([rig.sent, rig.asked]).to.deep.equal([[], []]);
    });

    it('the author appears in quotes and receipts too', async () => {
      await remember('HIS', { chat: GROUP, author: BOB_LID });
      await send('/send-message', { clientId: 'acme', to: GROUP, body: 'yes', quotedMessageId: 'HIS' });
      expect(rig.sent[0]?.quoted).to.deep.equal({
        messageId: 'HIS',
        fromMe: false,
        participant: BOB_LID,
        content: {},
      });
      await rig.chats.markRead('acme', GROUP, ['HIS']);
      const his = { messageId: 'HIS', fromMe: false, participant: BOB_LID, sentAt: rig.clock.now() };
      expect(rig.asked).to.deep.equal([['markRead', GROUP, [his]]]);
    });

    it('the target is not taken from a group in a chat of two, nor from a chat of two in a group', async () => {
      await remember('GROUPS', { chat: GROUP, author: BOB_LID });
      await remember('HIS', { chat: BOB_LID });
      for (const [to, messageId] of [
        [BOB_LID, 'GROUPS'],
        [GROUP, 'HIS'],
      ] as const) {
        const error = await failure(send('/send-reaction', { ...reaction, to, messageId }));
        expect(isGatewayError(error, 'invalid_request')).to.equal(true);
      }
    });

    it('the author is not taken from a message of another chat', async () => {
      await remember('HIS', { chat: BOB_LID });
      const error = await failure(send('/send-reaction', { ...reaction, messageId: 'HIS' }));
      expect(isGatewayError(error, 'invalid_request')).to.equal(true);
      expect(rig.sent).to.deep.equal([]);
    });
  });

  it('treats the two addresses of a person as one chat', async () => {
    const reaction = { emoji: '👍', ...TO_BOB };
    await remember('EARLY', { chat: BOB_PN });
    await send('/send-reaction', { ...reaction, messageId: 'EARLY' });
    await rig.contacts.learn('acme', { lid: '90000000000002', pn: '15550000002', source: 'test' });
    await send('/send-reaction', { ...reaction, messageId: 'EARLY' });
    expect(rig.sent).to.have.length(2);
    await remember('ELSEWHERE', { chat: '15550000003@s.whatsapp.net' });
    const error = await failure(send('/send-reaction', { ...reaction, messageId: 'ELSEWHERE' }));
    expect(isGatewayError(error, 'invalid_request')).to.equal(true);
  });

  it('reports at once that the store is unavailable when that is why there is no connection', async () => {
    await rig.disconnect();
    const { ping } = rig.store;
    rig.store.ping = () => Promise.reject(new GatewayError('store_unavailable', 'away'));
    const error = await failure(send('/send-message', { ...TO_BOB, body: 'hello' }));
    rig.store.ping = ping;
    expect(isGatewayError(error, 'store_unavailable')).to.equal(true);
    expect(rig.clock.pending()).to.not.include(LIMITS.connectionWaitMs);
  });

  describe('Sends: forwarding', () => {
    const forward = (messageId: string) =>
      rig.messages.forward({ clientId: 'acme', to: GROUP, from: BOB_LID, messageId });
    const own = (messageId: string, conversation: string) => ({
      ...{ messageId, to: BOB_LID, metaData: '', fileName: '', sentAt: rig.clock.now() },
      content: proto.Message.encode({ conversation }).finish(),
      ...{ acknowledged: true, closed: true },
    });

    it('forwarding sends the known content of the message', async () => {
      await rig.store.sends.put('acme', own('MINE', 'read this'));
      expect(await forward('MINE')).to.include({ status: 'sent', targetId: 'MINE' });
      const content = rig.sent[0]?.content;
      const raw: unknown = content && 'raw' in content ? content.raw : undefined;
      expect(JSON.stringify(raw)).to.contain('read this');
    });

    it('forwarding refuses messages that are deleted, unknown, or known without their content', async () => {
      await rig.store.sends.put('acme', { ...own('DELETED', ''), content: new Uint8Array() });
      await remember('TRACED', { chat: BOB_LID });
      for (const [messageId, code] of [
        ['DELETED', 'message_deleted'],
        ['UNKNOWN', 'message_unknown'],
        ['TRACED', 'message_unknown'],
      ] as const) {
        expect(isGatewayError(await failure(forward(messageId)), code), messageId).to.equal(true);
      }
      expect(rig.sent).to.deep.equal([]);
    });
  });

  it('edits own messages only, within the time that the network allows, and no deleted ones', async () => {
    const edit = kind('/edit-message');
    const own = { to: BOB_LID, metaData: '', fileName: '', acknowledged: true, closed: true };
    const put = (messageId: string, ageMs: number, text: string) =>
      rig.store.sends.put('acme', {
        ...{ ...own, messageId, sentAt: rig.clock.now() - ageMs },
        content: text ? proto.Message.encode({ conversation: text }).finish() : new Uint8Array(),
      });
    const { withinMs = 0 } = edit.target?.({ ...TO_BOB, ...{ messageId: 'M', body: 'x' } }) ?? {};
    expect(withinMs).to.be.above(0);
    await put('YOUNG', withinMs, 'text');
    await put('OLD', withinMs + 60_000, 'text');
    await put('DELETED', 0, '');
    await remember('HIS', { chat: BOB_LID });
    const change = (messageId: string) => send('/edit-message', { ...TO_BOB, messageId, body: 'better' });
    expect(await change('YOUNG')).to.include({ status: 'sent' });
    for (const [messageId, code] of [
      ['OLD', 'edit_window_over'],
      ['DELETED', 'target_not_editable'],
      ['HIS', 'target_not_own'],
    ] as const) {
      expect(isGatewayError(await failure(change(messageId)), code), messageId).to.equal(true);
    }
    expect(rig.sent).to.have.length(1);
  });

  it('writes a mention in a text as the network expects, and mentions unknown people', async () => {
    await rig.contacts.learn('acme', { lid: '90000000000002', pn: '15550000002', source: 'test' });
    const body = 'for @+15550000002, @15550000002 and @90000000000009, not @15550000003';
    const mentions = ['+15550000002', '90000000000009'];
    await send('/send-message', { ...TO_BOB, body, mentions });
    expect(rig.sent[0]?.content).to.deep.include({
      text: 'for @90000000000002, @90000000000002 and @90000000000009, not @15550000003',
      mentions: [BOB_LID, '90000000000009@lid'],
    });
  });

  it('writes a mention as the network expects in every text that a phone shows', async () => {
    await rig.contacts.learn('acme', { lid: '90000000000002', pn: '15550000002', source: 'test' });
    const text = 'for @15550000002';
    const mentions = ['15550000002'];
    const buttons = [{ type: 'quick_reply', displayText: 'Yes', id: 'yes' }];
    await send('/send-poll-message', { ...TO_BOB, mentions, pollName: text, pollOptions: ['a', 'b'] });
    await send('/send-interactive-message', {
      ...TO_BOB,
      ...{ mentions, bodyText: text, footerText: text, buttons },
    });
    rig.prepare = async () => ({
      file: { path: '/spool/1', mimeType: 'application/pdf', fileName: 'offer.pdf', size: 4_711 },
      givenName: '',
      discard: async () => undefined,
    });
    const file = { ...TO_BOB, mentions, caption: text, asVoice: false, asSticker: false };
    await rig.sends.sendFile(
      { ...file, mimeType: '', fileName: '' },
      { downloadUrl: 'https://example.com/a' },
    );
    const written = rig.sent.map(({ content }) => JSON.stringify(content).match(/for @\d+/g));
    const shown = 'for @90000000000002';
    expect(written).to.deep.equal([[shown], [shown, shown], [shown]]);
  });

  it('fails after 10 s without a connection, with an error that names the timeout', async () => {
    await rig.disconnect();
    for (const work of [
      () => send('/send-message', { ...TO_BOB, body: 'hello' }),
      () => rig.chats.setTyping('acme', BOB_LID, true),
      () => rig.chats.markRead('acme', BOB_LID, ['M1']),
      () => rig.chats.markUnread('acme', BOB_LID),
    ]) {
      const outcome = failure(work());
      await rig.clock.scheduled(LIMITS.connectionWaitMs);
      rig.clock.advance(LIMITS.connectionWaitMs);
      expect(isGatewayError(await outcome, 'send_not_connected')).to.equal(true);
    }
  });

  describe('Sends: files', () => {
    const FILE: FilePayload = {
      ...TO_BOB,
      caption: '',
      asVoice: false,
      asSticker: false,
      mimeType: '',
      fileName: '',
    };
    const SOURCE = { downloadUrl: 'https://example.com/offer.pdf' };
    const DOCUMENT = {
      documentMessage: { mimetype: 'application/pdf', fileName: 'offer.pdf', fileLength: 4_711 },
    };

    beforeEach(() => {
      rig.content = DOCUMENT;
      rig.prepare = async () => ({
        file: { path: '/spool/1', mimeType: 'application/pdf', fileName: 'offer.pdf', size: 4_711 },
        givenName: 'offer.pdf',
        discard: async () => {
          rig.discarded += 1;
        },
      });
    });

    it('composes a file by its kind, and discards it afterwards', async () => {
      const answer = await rig.sends.sendFile(FILE, SOURCE);
      const messageId = rig.sent[0]?.messageId;
      expect(answer).to.deep.equal({ status: 'sent', messageId, mediaType: 'document', bytes: 4_711 });
      expect(rig.sent[0]?.content).to.deep.include({ document: { url: '/spool/1' } });
      expect([rig.prepared, rig.discarded]).to.deep.equal([1, 1]);
    });

    it('discards a file when the network refuses it', async () => {
      rig.failure = new GatewayError('send_rejected', 'no');
      expect(isGatewayError(await failure(rig.sends.sendFile(FILE, SOURCE)), 'send_rejected')).to.equal(true);
      expect([rig.prepared, rig.discarded]).to.deep.equal([1, 1]);
    });

    it('discards a file that may be held when the held messages of its session cannot be read', async () => {
      await rig.store.sends.put('acme', {
        ...{ messageId: 'DAMAGED', to: BOB_LID, content: new Uint8Array(), metaData: '', fileName: '' },
        ...{ sentAt: rig.clock.now(), acknowledged: false, closed: true, held: '{}' },
      });
      const error = await failure(rig.sends.sendFile({ ...FILE, whenAllowed: true }, SOURCE));
      expect(isGatewayError(error, 'store_damaged')).to.equal(true);
      expect([rig.prepared, rig.discarded]).to.deep.equal([1, 1]);
    });

    it('neither fetches nor sends a file for an unreadable recipient', async () => {
      const error = await failure(rig.sends.sendFile({ ...FILE, to: 'bob' }, SOURCE));
      expect(isGatewayError(error, 'recipient_unknown')).to.equal(true);
      expect(rig.prepared).to.equal(0);
    });

    it('sends a text instead of a file that cannot be sent', async () => {
      rig.content = { conversation: 'the link' };
      rig.prepare = async () => ({ fallback: { text: 'the link' } });
      const answer = await rig.sends.sendFile(FILE, SOURCE);
      expect(answer).to.deep.equal({
        status: 'sent',
        messageId: rig.sent[0]?.messageId,
        fallback: 'text',
      });
      expect(rig.sent[0]?.content).to.deep.equal({ text: 'the link' });
    });

    it('fetches and sends a file once for an idempotency key', async () => {
      const first = await rig.sends.sendFile(FILE, SOURCE, 'order-1');
      expect(await rig.sends.sendFile(FILE, SOURCE, 'order-1')).to.deep.equal(first);
      expect([rig.prepared, rig.discarded, rig.sent.length]).to.deep.equal([1, 1, 1]);
      const other = { downloadUrl: 'https://example.com/other.pdf' };
      const error = await failure(rig.sends.sendFile(FILE, other, 'order-1'));
      expect(isGatewayError(error, 'idempotency_conflict')).to.equal(true);
    });

    it('distinguishes uploads by their bytes', async () => {
      const upload = (sha256: string, path: string) => ({
        file: { path, size: 4_711, sha256, discard: async () => undefined },
      });
      const first = await rig.sends.sendFile(FILE, upload('aa', '/spool/2'), 'order-1');
      expect(first).to.have.keys('status', 'messageId', 'mediaType');
      expect(await rig.sends.sendFile(FILE, upload('aa', '/spool/3'), 'order-1')).to.deep.equal(first);
      expect(rig.prepared).to.equal(1);
      const error = await failure(rig.sends.sendFile(FILE, upload('bb', '/spool/4'), 'order-1'));
      expect(isGatewayError(error, 'idempotency_conflict')).to.equal(true);
    });

    it('repeats the answer that a crash lost, without fetching the file again', async () => {
      const { idempotency } = rig.store;
      const keep = idempotency.answer;
      idempotency.answer = () => Promise.reject(new GatewayError('store_unavailable', 'away'));
      const first = await rig.sends.sendFile(FILE, SOURCE, 'order-1');
      idempotency.answer = keep;
      rig.clock.advance(1_000);
      expect(await rig.sends.sendFile(FILE, SOURCE, 'order-1')).to.deep.equal(first);
      expect([rig.prepared, rig.sent.length]).to.deep.equal([1, 1]);
    });
  });

  it('reports the failure when the session moves meanwhile, and does not send again when it comes back', async () => {
    const { sends } = rig.store;
    const { acknowledge, close } = sends;
    sends.acknowledge = () => Promise.reject(new GatewayError('send_unacknowledged', 'no answer'));
    sends.close = () => Promise.reject(new GatewayError('session_elsewhere', 'another node has it'));
    const error = await failure(send('/send-message', { ...TO_BOB, body: 'hello' }));
    expect(isGatewayError(error, 'send_unacknowledged')).to.equal(true);
    Object.assign(sends, { acknowledge, close });
    expect(await sends.open('acme')).to.have.length(1);
    await rig.sends.connected('acme');
    expect(rig.sent).to.have.length(1);
    expect(await sends.open('acme')).to.deep.equal([]);
  });

  it('sets the timer of a group as one of its settings, and of a person by a message', async () => {
    await rig.chats.setDisappearing('acme', GROUP, 86_400);
    expect(rig.asked).to.deep.equal([['groups.change', GROUP, { disappearingSeconds: 86_400 }]]);
    expect(rig.sent).to.deep.equal([]);
    await rig.chats.setDisappearing('acme', BOB_LID, 86_400);
    expect(rig.asked).to.have.length(1);
    expect(rig.sent.map(({ to }) => to)).to.deep.equal([BOB_LID]);
  });

  describe('Sends: deletions', () => {
    const deletion = { clientId: 'acme', to: GROUP, messageId: 'HIS', fromMe: false };

    it('names the author in a group in a deletion for everyone, so that admins can delete', async () => {
      await remember('HIS', { chat: GROUP, author: BOB_LID });
      await rig.chats.deleteMessage({ ...deletion, mode: 'everyone' });
      expect(rig.sent[0]?.content).to.deep.equal({
        delete: { remoteJid: GROUP, id: 'HIS', fromMe: false, participant: BOB_LID },
      });
    });

    it('names author and time in a deletion for oneself, if they are known', async () => {
      await remember('HIS', { chat: GROUP, author: BOB_LID });
      await rig.chats.deleteMessage({ ...deletion, mode: 'me' });
      await rig.chats.deleteMessage({ ...deletion, ...TO_BOB, messageId: 'UNKNOWN', mode: 'me' });
      const type = 'delete-for-me';
      const his = { messageId: 'HIS', fromMe: false, participant: BOB_LID, sentAt: rig.clock.now() };
      const unknown = { messageId: 'UNKNOWN', fromMe: false, sentAt: 0 };
      expect(rig.asked).to.deep.equal([
        ['changeChat', { type, chat: GROUP, message: his }],
        ['changeChat', { type, chat: BOB_LID, message: unknown }],
      ]);
    });
  });
});

describe('OncePerKey', () => {
  let rig: Rig;
  let once: OncePerKey;
  let sends: { messageId: string; again: boolean }[];
  beforeEach(async () => {
    rig = await Rig.start();
    sends = [];
    once = newRun();
  });
  afterEach(() => rig.close());

  /** The same store after a restart. */
  const newRun = () => new OncePerKey(rig.store.idempotency, rig.clock, rig.log);
  const request = (body: string) => ({
    clientId: 'acme',
    key: 'k',
    route: '/send-message',
    payload: { body },
  });
  const send = async (messageId: string, again: boolean): Promise<SendAnswer> => {
    sends.push({ messageId, again });
    return { status: 'sent', messageId };
  };
  const crash = async (messageId: string, again: boolean): Promise<SendAnswer> => {
    sends.push({ messageId, again });
    throw new Error('the daemon died here');
  };

  it('keeps the message id after a crash between send and answer', async () => {
    await once.run(request('x'), crash).catch(() => undefined);
    await rig.clock.advance(60_000);
    const answer = await newRun().run(request('x'), send);
    expect(sends.map(({ again }) => again)).to.deep.equal([false, true]);
    expect(sends[0]?.messageId).to.equal(answer.messageId);
  });

  it('repeats the first answer, whatever the order of the fields', async () => {
    const first = await once.run({ ...request('x'), payload: { a: 1, b: 2 } }, send);
    expect(await newRun().run({ ...request('x'), payload: { b: 2, a: 1 } }, send)).to.deep.equal(first);
    expect(sends).to.have.length(1);
  });

  it('sends another message when a key is used again after it expired', async () => {
    const first = await once.run(request('x'), send);
    await rig.clock.advance(LIMITS.idempotencyTtlMs + 1);
    await rig.store.idempotency.prune(rig.clock.now() - LIMITS.idempotencyTtlMs);
    const second = await once.run(request('y'), send);
    expect(second.messageId).not.to.equal(first.messageId);
    expect(sends.map(({ again }) => again)).to.deep.equal([false, false]);
  });
});
