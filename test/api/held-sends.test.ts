import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { extraEventOf, extraEventsIn, startReceiver } from '../support/receiver.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import {
  ALICE,
  type ApiAnswer,
  BOB,
  CAROL,
  linkSession,
  startWorld,
  TOKEN,
  type World,
} from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const ERIN = { number: '+15550000005', name: 'Erin' };
const OTHER = { number: '+15550000009', name: 'Olga' };

/** One new chat in a day; a second message to one person after a moment. */
const policies = (denied = '') => `
mode: enforce
policies:
  one:
    newChatsPerDay: 1${denied && `\n    deny: ["${denied}"]`}
  paced:
    samePersonGap: 1s
sessions: { acme: one, beta: paced }
`;

describe('a message with whenAllowed', () => {
  let world: World;
  let folder: TempDir;
  let policy: string;

  before(async () => {
    folder = await makeTempDir();
    policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, policies());
    world = await startWorld({ settings: { allowPrivateUrls: true, policy, heldSends: 4 } });
    for (const person of [BOB, CAROL, DAVE, ERIN]) await world.phones.addPhone(person);
    await linkSession(world, 'acme', ALICE, { extraEvents: ['message_status'] });
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const send = (
    person: typeof BOB,
    body: string,
    {
      key = '',
      clientId = 'acme',
      ...wishes
    }: { key?: string; clientId?: string; whenAllowed?: boolean } = {},
  ): Promise<ApiAnswer> =>
    world.api.post(
      '/send-message',
      { clientId, to: person.number, body, whenAllowed: true, ...wishes },
      key ? { 'idempotency-key': key } : {},
    );
  const outbox = async (query = '') => {
    const { body } = await world.api.get(`/outbox?clientId=acme${query}`);
    return { next: body.next, messages: Array.isArray(body.messages) ? body.messages : [] };
  };
  const waiting = async () => (await outbox()).messages.map(({ messageId }) => messageId);
  const textsOf = async (person: typeof BOB) =>
    (await world.phones.messages(person.number)).flatMap(({ text, from }) =>
      from === person.number ? [] : [text],
    );
  const code = ({ headers }: ApiAnswer) => headers.get('x-sn-error');

  it('is sent at once if the policy allows it', async () => {
    const { status, body } = await send(BOB, 'hello Bob');
    expect({ status, outcome: body.status }).to.deep.equal({ status: 200, outcome: 'sent' });
  });

  it('is kept with its id, the rule and the time if the policy refuses it for now', async () => {
    const { status, body } = await send(CAROL, 'first', { key: 'first' });
    expect(status).to.equal(202);
    expect(body).to.include({ status: 'held', rule: 'newChatsPerDay' });
    expect(Date.parse(String(body.allowedAt))).to.be.greaterThan(Date.now() + 86_000_000);
    const again = await send(CAROL, 'first', { key: 'first' });
    expect({ status: again.status, body: again.body }).to.deep.equal({ status: 202, body });
    const [held] = (await outbox()).messages;
    const { messageId, rule, allowedAt } = body;
    expect(held).to.include({ messageId, rule, allowedAt, route: '/send-message', leaving: false });
    expect(await textsOf(CAROL)).to.deep.equal([]);
  });

  it('queues behind the earlier held messages of its chat, and delays no other chat', async () => {
    expect((await send(CAROL, 'second')).status).to.equal(202);
    expect((await send(BOB, 'more')).status).to.equal(200);
    const plain = await send(CAROL, 'plain', { whenAllowed: false });
    expect({ status: plain.status, code: code(plain) }).to.deep.equal({
      status: 429,
      code: 'policy_refused',
    });
    const { messages, next } = await outbox('&limit=1');
    expect(next).to.equal(messages[0]?.messageId);
    expect((await outbox(`&after=${next}`)).messages).to.have.length(1);
  });

  it('is shown by fleet and metrics', async () => {
    const { body } = await world.api.get('/fleet?clientId=acme');
    const [session] = Array.isArray(body.sessions) ? body.sessions : [];
    expect(session.held).to.equal(2);
    const metrics = await fetch(`${world.api.url}/metrics`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(await metrics.text()).to.match(/^switchboard_held_sends\{.*\} 2$/m);
  });

  it('waits across a restart, and is sent once and in order when the other side writes', async () => {
    const before = await waiting();
    await world.restartDaemon();
    await world.connected();
    expect(await waiting()).to.deep.equal(before);
    await world.phones.write(CAROL.number, { to: ALICE.number, text: 'hi' });
    await until('both messages to leave', async () => (await textsOf(CAROL)).length === 2);
    expect(await textsOf(CAROL)).to.deep.equal(['first', 'second']);
    await until('an empty outbox', async () => (await waiting()).length === 0);
    const ids = (await world.phones.messages(CAROL.number)).flatMap(({ messageId, from }) =>
      from === CAROL.number ? [] : [messageId],
    );
    expect(ids).to.deep.equal(before);
    expect((await send(CAROL, 'first', { key: 'first' })).status).to.equal(202);
    expect(await textsOf(CAROL)).to.have.length(2);
  });

  it('can be cancelled until it leaves', async () => {
    const { body } = await send(DAVE, 'never mind');
    const cancel = () => world.api.post('/outbox/cancel', { clientId: 'acme', messageId: body.messageId });
    const told = async () => {
      const trace = await world.api.get(`/message-trace?clientId=acme&messageId=${body.messageId}`);
      return trace.body.conclusion;
    };
    expect(await told()).to.equal('It has not left: its policy holds it back.');
    expect((await cancel()).body).to.deep.equal({ ok: true, messageId: body.messageId });
    const again = await cancel();
    expect({ status: again.status, code: code(again) }).to.deep.equal({
      status: 404,
      code: 'held_send_unknown',
    });
    expect(await told()).to.equal(
      'It never left: its policy held it back, and it was cancelled or given up.',
    );
    await world.restartDaemon();
    await world.connected();
    expect(await waiting()).to.deep.equal([]);
  });

  it('can be neither edited nor starred while it waits, and the errors say so', async () => {
    const { messageId } = (await send(DAVE, 'as it was')).body;
    const named = { clientId: 'acme', to: DAVE.number, messageId };
    const edit = await world.api.post('/edit-message', { ...named, body: 'edited' });
    expect({ status: edit.status, code: code(edit) }).to.deep.equal({
      status: 400,
      code: 'target_not_editable',
    });
    expect(edit.body.error).to.match(
      /has not left: its policy holds it back; cancel it .* and send a new message/,
    );
    const star = await world.api.post('/star-message', { ...named, starred: true });
    expect(code(star)).to.equal('message_unknown');
    expect(star.body.error).to.include('has not left');
    expect(await waiting()).to.deep.equal([messageId]);
    const cancelled = await world.api.post('/outbox/cancel', { clientId: 'acme', messageId });
    expect(cancelled.status).to.equal(200);
  });

  it('can be neither edited nor starred once it is cancelled or deleted, and the errors say that it was never sent', async () => {
    const cancelled = (await send(DAVE, 'cancelled')).body.messageId;
    const cancel = await world.api.post('/outbox/cancel', { clientId: 'acme', messageId: cancelled });
    const deleted = (await send(DAVE, 'deleted')).body.messageId;
    const deletion = { clientId: 'acme', to: DAVE.number, fromMe: true, mode: 'everyone' };
    const deletes = await world.api.post('/delete-message', { ...deletion, messageId: deleted });
    expect([cancel.status, deletes.status]).to.deep.equal([200, 200]);
    for (const messageId of [cancelled, deleted]) {
      const never = `messageId: ${messageId} was cancelled or given up before it was sent`;
      const named = { clientId: 'acme', to: DAVE.number, messageId };
      const edit = await world.api.post('/edit-message', { ...named, body: 'edited' });
      expect([code(edit), edit.body.error]).to.deep.equal([
        'target_not_editable',
        `${never}; send a new message instead`,
      ]);
      const star = await world.api.post('/star-message', { ...named, starred: true });
      expect([code(star), star.body.error]).to.deep.equal(['message_deleted', never]);
    }
  });

  it('never leaves once it is deleted for everyone', async () => {
    const { messageId } = (await send(DAVE, 'deleted')).body;
    const asked = { clientId: 'acme', to: DAVE.number, messageId, fromMe: true, mode: 'everyone' };
    const { status, body } = await world.api.post('/delete-message', asked);
    expect({ status, body }).to.deep.equal({ status: 200, body: { status: true } });
    expect(await waiting()).to.deep.equal([]);
    await world.restartDaemon();
    await world.connected();
    expect(await waiting()).to.deep.equal([]);
    expect(await textsOf(DAVE)).to.deep.equal([]);
  });

  it('is refused beyond --held-sends', async () => {
    const answers: number[] = [];
    for (let n = 1; n <= 5; n += 1) answers.push((await send(DAVE, `number ${n}`)).status);
    expect(answers).to.deep.equal([202, 202, 202, 202, 429]);
    const last = await send(ERIN, 'one more');
    expect(code(last)).to.equal('held_sends_full');
  });

  it('is given up with message_status when no time will allow it', async () => {
    await world.stopDaemon();
    await writeFile(policy, policies(DAVE.number));
    await world.startDaemon();
    await world.connected();
    const failed = await extraEventOf(
      world.receiver,
      'message_status',
      ({ status, code: why }) => status === 'failed' && why === 'policy_refused',
    );
    await until('an empty outbox', async () => (await waiting()).length === 0);
    expect(failed.messageId).to.be.a('string');
    expect(await textsOf(DAVE)).to.deep.equal([]);
    expect(code(await send(DAVE, 'never'))).to.equal('policy_refused');
  });

  it('is given up with one message_status, with the code of the network, when the network refuses it', async () => {
    const { status, body } = await send(ERIN, 'refused');
    expect(status).to.equal(202);
    await world.phones.fault({ kind: 'reject-sends', number: ALICE.number });
    await world.phones.write(ERIN.number, { to: ALICE.number, text: 'go on' });
    const isAbout = ({ messageId }: { messageId: string }) => messageId === body.messageId;
    const failed = await extraEventOf(world.receiver, 'message_status', isAbout);
    expect(failed).to.include({ status: 'failed', code: '479' });
    await until('an empty outbox', async () => (await waiting()).length === 0);
    expect(extraEventsIn(world.receiver.calls, 'message_status').filter(isAbout)).to.have.length(1);
    await world.phones.clearFaults();
  });

  it('leaves on its own when the time of its rule has come', async () => {
    await linkSession(world, 'beta', OTHER, { extraEvents: ['account_status'] });
    const before = await textsOf(ERIN);
    for (const text of ['one', 'two', 'three']) {
      const { status } = await send(ERIN, text, { clientId: 'beta' });
      // on a slow machine the second may have passed
      expect(status).to.be.oneOf(text === 'one' ? [200] : [200, 202]);
    }
    await until('three messages', async () => (await textsOf(ERIN)).length === before.length + 3);
    expect((await textsOf(ERIN)).slice(before.length)).to.deep.equal(['one', 'two', 'three']);
  });

  it('leaves when WhatsApp no longer restricts the number, and fetches its file then', async () => {
    const host = await startReceiver();
    host.respond((response) => response.setHeader('content-type', 'text/plain').end('soup'));
    try {
      await world.phones.fault({ kind: 'reachout-lock', number: OTHER.number, ms: 600_000 });
      await extraEventOf(
        world.receiver,
        'account_status',
        ({ clientId, restricted }) => clientId === 'beta' && restricted,
      );
      const file = {
        clientId: 'beta',
        to: BOB.number,
        downloadUrl: `${host.url}/menu.txt`,
        caption: 'our menu',
      };
      const held = await world.api.post('/send-media-message', { ...file, whenAllowed: true });
      expect({ status: held.status, rule: held.body.rule }).to.deep.equal({
        status: 202,
        rule: 'reachoutLock',
      });
      const fetched = host.calls.length;
      await world.phones.clearFaults();
      await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'our menu');
      expect(host.calls.length).to.be.greaterThan(fetched);
    } finally {
      await host.stop();
    }
  });

  it('cannot be a change of an earlier message, or an upload', async () => {
    const { messageId } = (await send(BOB, 'to react to')).body;
    const reaction = { clientId: 'acme', to: BOB.number, messageId, emoji: '👍', whenAllowed: true };
    const refused = await world.api.post('/send-reaction', reaction);
    expect({ status: refused.status, error: refused.body.error }).to.deep.equal({
      status: 400,
      error: 'whenAllowed is not allowed',
    });
    const form = new FormData();
    form.set('clientId', 'acme');
    form.set('to', BOB.number);
    form.set('whenAllowed', 'true');
    form.set('file', new Blob(['hello']), 'hello.txt');
    const upload = await world.api.upload('/send-media-message?clientId=acme', form);
    expect({ status: upload.status, error: upload.body.error }).to.deep.equal({
      status: 400,
      error: 'whenAllowed is not allowed',
    });
  });
});
