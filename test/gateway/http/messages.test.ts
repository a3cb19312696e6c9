import { expect } from 'chai';
import { GatewayError } from '../../../src/domain/errors.js';
import { sendableKinds } from '../../../src/gateway/kinds/index.js';
import { BOB_LID } from './support/played-network.js';
import { ROUTES } from './support/route-cases.js';
import { closeServers, createTestServer, failing, type TestServer } from './support/test-server.js';

const ADDRESS = { clientId: 'acme', to: '+15550000002' };
/** Kinds whose answer names the message that they are about. */
const ABOUT_A_MESSAGE = ['/send-reaction', '/edit-message', '/pin-message'];

function validBody(path: string): Record<string, unknown> {
  const found = ROUTES.find((route) => route.path === path);
  if (found) return found.valid;
  throw new Error(`there is no case for ${path}`);
}

/** The texts and numbers in a value, as JSON has them. */
function leaves(value: unknown): string[] {
  if (value instanceof Object) return Object.values(value).flatMap(leaves);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}

describe('routes of messages and chats', () => {
  let api: TestServer;
  /** Id of a message that was sent before. */
  let messageId: string;
  beforeEach(async () => {
    api = await createTestServer();
    await api.connect();
    const { body } = await api.post('/send-message', { ...ADDRESS, body: 'Earlier' });
    messageId = String(body.messageId);
    api.network.sent.length = 0;
  });
  afterEach(closeServers);

  for (const { path } of sendableKinds()) {
    it(`passes the fields of ${path} to its kind, with the idempotency key`, async () => {
      const valid = validBody(path);
      const body: Record<string, unknown> = {
        ...valid,
        ...('messageId' in valid && { messageId, targetFromMe: path === '/send-reaction' || undefined }),
      };
      const headers = { 'idempotency-key': 'order 4711' };
      const answer = await api.post(path, body, { headers });
      const [sent] = api.network.sent;
      const targetId = ABOUT_A_MESSAGE.includes(path) && { targetId: messageId };
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ status: 'sent', messageId: sent?.messageId, ...targetId });
      const { clientId: _, to, ...fields } = body;
      expect([sent?.to, to]).to.deep.equal([BOB_LID, ADDRESS.to]);
      const made = JSON.stringify(sent?.made);
      for (const value of leaves(fields)) expect(made, path).to.include(value);
      expect((await api.post(path, body, { headers })).body).to.deep.equal(answer.body);
      expect(api.network.sent).to.have.lengthOf(1);
    });

    it(`refuses an idempotency key of ${path} that is invalid in a header`, async () => {
      for (const key of ['', 'ümlaut', 'k'.repeat(256)]) {
        const { status, body } = await api.post(path, validBody(path), {
          headers: { 'idempotency-key': key },
        });
        expect(status).to.equal(400);
        expect(body.error).to.include('Idempotency-Key');
      }
      expect(api.network.sent).to.deep.equal([]);
    });
  }

  it('defaults to one choice in a poll, and to a target by another person', async () => {
    await api.post('/send-poll-message', validBody('/send-poll-message'));
    await api.post('/send-reaction', validBody('/send-reaction'));
    const [poll, reaction] = api.network.sent;
    expect(poll?.made.pollCreationMessageV3).to.include({ selectableOptionsCount: 1 });
    expect(reaction?.made.reactionMessage?.key).to.deep.include({ fromMe: false });
  });

  it('treats an empty emoji as the removal of a reaction', async () => {
    const { status } = await api.post('/send-reaction', { ...ADDRESS, messageId: '3EB01', emoji: '' });
    expect(status).to.equal(200);
  });

  it('requires a phone or a vCard of a contact', async () => {
    const { status, body } = await api.post('/send-contact', { ...ADDRESS, displayName: 'Ada' });
    expect(status).to.equal(400);
    expect(body.error).to.match(/phone.*vcard/);
  });

  it('shows typing by default', async () => {
    const { status, body } = await api.post('/send-typing', ADDRESS);
    expect({ status, body }).to.deep.equal({ status: 200, body: { status: 'ok' } });
    await api.post('/send-typing', { ...ADDRESS, composing: false });
    expect(api.network.asked).to.deep.equal([
      ['sendTyping', BOB_LID, true],
      ['sendTyping', BOB_LID, false],
    ]);
  });

  it('deletes a message', async () => {
    const deletion = { ...ADDRESS, messageId, fromMe: true, mode: 'me' };
    const { status, body } = await api.post('/delete-message', deletion);
    expect({ status, body }).to.deep.equal({ status: 200, body: { status: true } });
    const [[call, change] = []] = api.network.asked;
    expect(call).to.equal('changeChat');
    expect(change).to.deep.nested.include({
      ...{ type: 'delete-for-me', chat: BOB_LID, 'message.messageId': messageId, 'message.fromMe': true },
    });
  });

  it('names the valid modes of a deletion', async () => {
    const deletion = { ...ADDRESS, messageId: '3EB01', fromMe: true, mode: 'all' };
    const { status, body } = await api.post('/delete-message', deletion);
    expect(status).to.equal(400);
    expect(body.error).to.match(/mode must be one of .*everyone, me/);
  });

  it('marks messages as read and returns their number', async () => {
    const { status, body } = await api.post('/mark-read', { ...ADDRESS, messageIds: ['3EB01', '3EB02'] });
    expect({ status, body }).to.deep.equal({ status: 200, body: { ok: true, count: 2 } });
    const [[call, chat, messages] = []] = api.network.asked;
    expect([call, chat]).to.deep.equal(['markRead', BOB_LID]);
    expect(messages).to.have.nested.property('[0].messageId', '3EB01');
    expect(messages).to.have.nested.property('[1].messageId', '3EB02');
  });

  it('marks a chat as unread', async () => {
    await api.services.sessions.setOrgId('acme', 'org1');
    const { body: sent } = await api.post('/send-message', { ...ADDRESS, body: 'Kept' });
    const { status, body } = await api.post('/mark-unread', ADDRESS);
    expect({ status, body }).to.deep.equal({ status: 200, body: { ok: true } });
    const [call, change] = api.network.asked.at(-1) ?? [];
    expect(call).to.equal('changeChat');
    expect(change).to.deep.nested.include({
      ...{ type: 'mark-unread', chat: BOB_LID, 'last.messageId': sent.messageId },
    });
  });

  const failures = [
    ['send_rejected', 502],
    ['send_not_connected', 502],
    ['receipt_rejected', 502],
    ['app_state_rejected', 502],
    ['session_unpaired', 404],
    ['message_unknown', 404],
    ['recipient_unknown', 400],
    ['target_not_own', 400],
    ['edit_window_over', 400],
  ] as const;
  for (const [code, expected] of failures) {
    it(`answers ${code} with ${expected} and its message, on all of these routes`, async () => {
      // not every route can fail with every code
      api = await createTestServer({ checkAnswers: false });
      await api.connect();
      const failure = new GatewayError(code, 'why it failed');
      failing(api.services.sending, 'send', failure);
      for (const method of ['setTyping', 'deleteMessage', 'markRead', 'markUnread'] as const)
        failing(api.services.chats, method, failure);
      const chatRoutes = ['/send-typing', '/delete-message', '/mark-read', '/mark-unread'];
      for (const path of [...sendableKinds().map((kind) => kind.path), ...chatRoutes]) {
        const { status, body } = await api.post(path, validBody(path));
        expect({ status, body }, path).to.deep.equal({ status: expected, body: { error: 'why it failed' } });
      }
    });
  }

  it('answers 404 for an unknown session', async () => {
    for (const path of ['/send-message', '/send-typing', '/delete-message', '/mark-read', '/mark-unread']) {
      const { status } = await api.post(path, { ...validBody(path), clientId: 'nobody' });
      expect(status, path).to.equal(404);
    }
  });
});
