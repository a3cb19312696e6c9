import { expect } from 'chai';
import { GatewayError, isGatewayError } from '../../src/domain/errors.js';
import { LIMITS } from '../../src/domain/limits.js';
import { sendableKinds } from '../../src/kinds/index.js';
import type { KindSend, SendPayload } from '../../src/kinds/kind.js';
import type { FilePayload } from '../../src/services/services.js';
import { GROUP, type SendingRig, startSendingRig } from './support/sending-rig.js';

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
describe('sending', () => {
  let rig: SendingRig;
  beforeEach(async () => {
    rig = await startSendingRig();
  });
  afterEach(() => rig.close());

  const send = (path: string, payload: Request, key?: string) =>
    rig.sender.send(kind(path), kind(path).payload.validate(payload).value ?? payload, key);
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

  describe('warns when the message was delivered and not written to the history', () => {
    it('beside the answer', async () => {
      rig.recorded = false;
      const answer = await send('/send-message', { ...TO_BOB, body: 'hello' });
      expect(answer).to.include({ status: 'sent', messageId: rig.sent[0]?.messageId });
      expect(answer.warning).to.match(/delivered.*history/);
    });

    it('and not otherwise', async () => {
      expect(await send('/send-message', { ...TO_BOB, body: 'hello' })).to.have.keys('status', 'messageId');
    });
  });

  describe('in groups names who wrote the target', () => {
    const reaction = { clientId: 'acme', to: GROUP, emoji: '👍' };
    const key = () => {
      const content = rig.sent.at(-1)?.content;
      return content && 'react' in content ? content.react.key : undefined;
    };

    it('by what is remembered of it', async () => {
      await remember('HIS', { chat: GROUP, author: BOB_LID });
      await send('/send-reaction', { ...reaction, messageId: 'HIS' });
      expect(key()).to.deep.equal({ remoteJid: GROUP, id: 'HIS', fromMe: false, participant: BOB_LID });
    });

    it('as the own number', async () => {
      await remember('MINE', { chat: GROUP, fromMe: true });
      await send('/send-reaction', { ...reaction, messageId: 'MINE' });
      expect(key()).to.deep.equal({ remoteJid: GROUP, id: 'MINE', fromMe: true, participant: MY_LID });
      await send('/send-reaction', { ...reaction, messageId: 'UNKNOWN', targetFromMe: true });
      expect(key()).to.deep.equal({ remoteJid: GROUP, id: 'UNKNOWN', fromMe: true, participant: MY_LID });
    });

    it('and is refused when nobody knows, whatever was to be done', async () => {
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

    it('in quotes and receipts too', async () => {
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

    it('and refuses one of another chat', async () => {
      await remember('HIS', { chat: BOB_LID });
      const error = await failure(send('/send-reaction', { ...reaction, messageId: 'HIS' }));
      expect(isGatewayError(error, 'invalid_request')).to.equal(true);
      expect(rig.sent).to.deep.equal([]);
    });
  });

  it('takes the two addresses of a person for one chat', async () => {
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

  it('gives up after 10 s without a connection, and says so', async () => {
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

  describe('files', () => {
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
        discard: async () => {
          rig.discarded += 1;
        },
      });
    });

    it('are composed by the kind that takes them, and discarded afterwards', async () => {
      const answer = await rig.sender.sendFile(FILE, SOURCE);
      const messageId = rig.sent[0]?.messageId;
      expect(answer).to.deep.equal({ status: 'sent', messageId, mediaType: 'document', bytes: 4_711 });
      expect(rig.sent[0]?.content).to.deep.include({ document: { url: '/spool/1' } });
      expect([rig.prepared, rig.discarded]).to.deep.equal([1, 1]);
    });

    it('are discarded when the network does not take them', async () => {
      rig.failure = new GatewayError('send_rejected', 'no');
      expect(isGatewayError(await failure(rig.sender.sendFile(FILE, SOURCE)), 'send_rejected')).to.equal(
        true,
      );
      expect([rig.prepared, rig.discarded]).to.deep.equal([1, 1]);
    });

    it('are neither fetched nor sent for a recipient that is unreadable', async () => {
      const error = await failure(rig.sender.sendFile({ ...FILE, to: 'bob' }, SOURCE));
      expect(isGatewayError(error, 'recipient_unknown')).to.equal(true);
      expect(rig.prepared).to.equal(0);
    });

    it('become a text where they cannot be sent', async () => {
      rig.content = { conversation: 'the link' };
      rig.prepare = async () => ({ fallback: { text: 'the link' } });
      const answer = await rig.sender.sendFile(FILE, SOURCE);
      expect(answer).to.deep.equal({
        status: 'sent',
        messageId: rig.sent[0]?.messageId,
        fallback: 'text',
      });
      expect(rig.sent[0]?.content).to.deep.equal({ text: 'the link' });
    });

    it('are fetched and sent once for an idempotency key', async () => {
      const first = await rig.sender.sendFile(FILE, SOURCE, 'order-1');
      expect(await rig.sender.sendFile(FILE, SOURCE, 'order-1')).to.deep.equal(first);
      expect([rig.prepared, rig.discarded, rig.sent.length]).to.deep.equal([1, 1, 1]);
      const other = { downloadUrl: 'https://example.com/other.pdf' };
      const error = await failure(rig.sender.sendFile(FILE, other, 'order-1'));
      expect(isGatewayError(error, 'idempotency_conflict')).to.equal(true);
    });

    it('are told apart by their bytes when they are uploaded', async () => {
      const upload = (sha256: string, path: string) => ({
        file: { path, size: 4_711, sha256, discard: async () => undefined },
      });
      const first = await rig.sender.sendFile(FILE, upload('aa', '/spool/2'), 'order-1');
      expect(first).to.have.keys('status', 'messageId', 'mediaType');
      expect(await rig.sender.sendFile(FILE, upload('aa', '/spool/3'), 'order-1')).to.deep.equal(first);
      expect(rig.prepared).to.equal(1);
      const error = await failure(rig.sender.sendFile(FILE, upload('bb', '/spool/4'), 'order-1'));
      expect(isGatewayError(error, 'idempotency_conflict')).to.equal(true);
    });

    it('are answered alike when a crash lost the answer, without fetching them again', async () => {
      const { idempotency } = rig.store;
      const keep = idempotency.answer;
      idempotency.answer = () => Promise.reject(new GatewayError('store_unavailable', 'away'));
      const first = await rig.sender.sendFile(FILE, SOURCE, 'order-1');
      idempotency.answer = keep;
      rig.clock.advance(1_000);
      expect(await rig.sender.sendFile(FILE, SOURCE, 'order-1')).to.deep.equal(first);
      expect([rig.prepared, rig.sent.length]).to.deep.equal([1, 1]);
    });
  });

  it('tells what failed when its session moves meanwhile, and does not send that by itself when it comes back', async () => {
    const { sends } = rig.store;
    const { acknowledge, close } = sends;
    sends.acknowledge = () => Promise.reject(new GatewayError('send_unacknowledged', 'no answer'));
    sends.close = () => Promise.reject(new GatewayError('session_elsewhere', 'another node has it'));
    const error = await failure(send('/send-message', { ...TO_BOB, body: 'hello' }));
    expect(isGatewayError(error, 'send_unacknowledged')).to.equal(true);
    Object.assign(sends, { acknowledge, close });
    expect(await sends.open('acme')).to.have.length(1);
    await rig.sender.resume(rig.session);
    expect(rig.sent).to.have.length(1);
    expect(await sends.open('acme')).to.deep.equal([]);
  });

  describe('deletions', () => {
    const deletion = { clientId: 'acme', to: GROUP, messageId: 'HIS', fromMe: false };

    it('for everyone name the author in a group, so that its admins can delete', async () => {
      await remember('HIS', { chat: GROUP, author: BOB_LID });
      await rig.chats.deleteMessage({ ...deletion, mode: 'everyone' });
      expect(rig.sent[0]?.content).to.deep.equal({
        delete: { remoteJid: GROUP, id: 'HIS', fromMe: false, participant: BOB_LID },
      });
    });

    it('for oneself name author and time as far as they are remembered', async () => {
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
