import { expect } from 'chai';
import { GatewayError } from '../../../src/domain/errors.js';
import { sendableKinds } from '../../../src/gateway/kinds/index.js';
import { createTestServer, type TestServer } from './support/fake-server.js';
import { ROUTES } from './support/route-cases.js';

const ADDRESS = { clientId: 'acme', to: '+15550000002' };
/** Kinds whose answer names the message that they are about. */
const ABOUT_A_MESSAGE = ['/send-reaction', '/edit-message', '/pin-message'];

function validBody(path: string): Record<string, unknown> {
  const found = ROUTES.find((route) => route.path === path);
  if (found) return found.valid;
  throw new Error(`there is no case for ${path}`);
}

describe('routes of messages and chats', () => {
  let api: TestServer;
  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
  });

  for (const { path } of sendableKinds()) {
    it(`passes the fields of ${path} to its kind, with the idempotency key`, async () => {
      const body = validBody(path);
      const headers = { 'idempotency-key': 'order 4711' };
      const answer = await api.post(path, body, { headers });
      const targetId = ABOUT_A_MESSAGE.includes(path) && { targetId: body.messageId };
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ status: 'sent', messageId: '3EB01', ...targetId });
      const [sent] = api.services.sending.sent;
      expect(sent).to.include({ path, idempotencyKey: 'order 4711' });
      expect(sent?.payload).to.deep.include(body);
    });

    it(`refuses an idempotency key of ${path} that is invalid in a header`, async () => {
      for (const key of ['', 'ümlaut', 'k'.repeat(256)]) {
        const { status, body } = await api.post(path, validBody(path), {
          headers: { 'idempotency-key': key },
        });
        expect(status).to.equal(400);
        expect(body.error).to.include('Idempotency-Key');
      }
      expect(api.services.sending.sent).to.deep.equal([]);
    });
  }

  it('defaults to one choice in a poll, and to a target by another person', async () => {
    await api.post('/send-poll-message', validBody('/send-poll-message'));
    await api.post('/send-reaction', validBody('/send-reaction'));
    const [poll, reaction] = api.services.sending.sent;
    expect(poll?.payload).to.include({ selectableCount: 1 });
    expect(reaction?.payload).to.include({ targetFromMe: false });
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
    expect(api.services.chats.done).to.deep.equal([
      ['setTyping', ADDRESS.to, true],
      ['setTyping', ADDRESS.to, false],
    ]);
  });

  it('deletes a message', async () => {
    const deletion = { ...ADDRESS, messageId: '3EB01', fromMe: true, mode: 'me', chatRoomId: 'acme-1-2' };
    const { status, body } = await api.post('/delete-message', deletion);
    expect({ status, body }).to.deep.equal({ status: 200, body: { status: true } });
    expect(api.services.chats.done).to.deep.equal([['deleteMessage', deletion]]);
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
    expect(api.services.chats.done).to.deep.equal([['markRead', ADDRESS.to, ['3EB01', '3EB02']]]);
  });

  it('marks a chat as unread', async () => {
    const { status, body } = await api.post('/mark-unread', ADDRESS);
    expect({ status, body }).to.deep.equal({ status: 200, body: { ok: true } });
    expect(api.services.chats.done).to.deep.equal([['markUnread', ADDRESS.to]]);
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
      api = await createTestServer(undefined, false);
      await api.services.sessions.start('acme', {});
      const failure = new GatewayError(code, 'why it failed');
      api.services.sending.failure = failure;
      api.services.chats.failure = failure;
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
