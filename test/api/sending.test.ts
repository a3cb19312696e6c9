import { expect } from 'chai';
import { LIMITS } from '../../src/domain/limits.js';
import { ShiftedClock } from '../support/manual-clock.js';
import { eventIn } from '../support/receiver.js';
import { ALICE, BOB, linkSession, reached, startWorld, type World } from '../support/world.js';

describe('/send-message over the wire', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE, { extraEvents: ['message_status'] });
  });
  after(() => world.stop());
  afterEach(() => world.phones.clearFaults());

  const send = (body: object = {}, headers = {}) =>
    world.api.post('/send-message', { clientId: 'acme', to: BOB.number, body: 'hello', ...body }, headers);
  const heldByBob = async (text: string) =>
    (await world.phones.messages(BOB.number)).filter((message) => message.text === text);

  const bad: [string, object, RegExp][] = [
    ['a missing recipient', { to: undefined }, /to is required/],
    ['a missing text', { body: undefined }, /body is required/],
    ['an empty text', { body: '' }, /body/],
    ['a text that is too long', { body: 'x'.repeat(65_537) }, /body .*65536/],
    ['a number as text', { body: 7 }, /body must be a string/],
    ['an unreadable recipient', { to: 'bob' }, /to must be/],
    ['a list as recipient', { to: [BOB.number] }, /to must be a string/],
    ['an unknown field', { bdoy: 'typo' }, /bdoy/],
    ['mentions that are not a list', { mentions: 'all' }, /mentions must be an array/],
    ['a mention that is not a user-part', { mentions: ['bob'] }, /mentions/],
    ['metaData that is not an object', { metaData: 'x' }, /metaData/],
    ['a quoted id that is not a string', { quotedMessageId: 5 }, /quotedMessageId must be a string/],
    ['a session name with symbols', { clientId: 'ac-me' }, /clientId/],
  ];
  for (const [what, change, message] of bad) {
    it(`refuses ${what} with 400 and says why`, async () => {
      const { status, body } = await send(change);
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(body).to.have.keys('error');
      expect(body.error).to.match(message);
    });
  }

  it('accepts the longest allowed text', async () => {
    const text = 'é'.repeat(65_536);
    expect((await send({ body: text })).status).to.equal(200);
    await world.phones.waitForMessage(BOB.number, (message) => message.text === text);
  });

  it('counts characters as people do: an emoji is one, and so is a letter with an accent of its own', async () => {
    const [family, accented] = ['👨‍👩‍👧', 'e\u0301'];
    expect((await send({ body: '👍'.repeat(40_000) })).status).to.equal(200);
    for (const one of [family, accented]) {
      const poll = (option: string) => ({ pollName: 'Who?', pollOptions: [option, 'nobody'] });
      const ask = (option: string) =>
        world.api.post('/send-poll-message', { clientId: 'acme', to: BOB.number, ...poll(option) });
      expect((await ask(one.repeat(100))).status).to.equal(200);
      const { status, body } = await ask(one.repeat(101));
      expect([status, body.error]).to.deep.equal([
        400,
        'pollOptions[0] length must be less than or equal to 100 characters long',
      ]);
    }
    const named = (subject: string) =>
      world.api.post('/create-group', { clientId: 'acme', subject, participants: [BOB.number] });
    expect((await named('👍'.repeat(25))).status).to.equal(200);
    expect((await named('👍'.repeat(26))).status).to.equal(400);
    expect((await named(`e${'\u0301'.repeat(25 * 16)}`)).status).to.equal(400);
  });

  it('refuses people unknown to the network, with a hint for numbers without plus', async () => {
    const number = await send({ to: '+15559999999' });
    expect(number.status, JSON.stringify(number.body)).to.equal(400);
    const lid = await send({ to: '15550000002' });
    expect(lid.status, JSON.stringify(lid.body)).to.equal(400);
    expect(lid.body.error).to.include('+15550000002');
  });

  it('asks the network once for the devices of a LID that it does not know, also for an edit', async () => {
    const { lid } = await world.phones.addPhone({ number: '+15550000071', name: 'Zoe' });
    const asked = async () => (await world.phones.stats()).queries.usync ?? 0;
    const before = await asked();
    const edit = { clientId: 'acme', to: lid.replace('@lid', ''), messageId: '3EB0UNKNOWN', body: 'changed' };
    expect((await world.api.post('/edit-message', edit)).status).to.equal(200);
    expect(await asked()).to.equal(before + 1);
  });

  it('sends with an unknown quoted id', async () => {
    const { status, body } = await send({ quotedMessageId: '3EB0UNKNOWN', body: 'to what?' });
    expect(status).to.equal(200);
    const held = await world.phones.waitForMessage(
      BOB.number,
      ({ messageId }) => messageId === body.messageId,
    );
    expect(held.quotedMessageId).to.equal('3EB0UNKNOWN');
  });

  it('answers 502 with the code when the network rejects it, and nothing arrives', async () => {
    await world.phones.fault({ kind: 'reject-sends', number: ALICE.number, count: 1 });
    const { status, body } = await send({ body: 'rejected text' });
    expect(status).to.equal(502);
    expect(body.error).to.match(/rejected .*\b4\d\d\b/);
    expect(await heldByBob('rejected text')).to.deep.equal([]);
  });

  it('sends again under the same id when the connection ends before the acknowledgement', async () => {
    await world.phones.fault({ kind: 'drop-acks', number: ALICE.number, count: 1 });
    await world.phones.fault({ kind: 'drop-receipts', number: ALICE.number, count: 1 });
    const answer = send({ body: 'never acknowledged' });
    await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'never acknowledged');
    await world.phones.fault({ kind: 'disconnect', number: ALICE.number, count: 1 });
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).to.equal(200);
    const held = await heldByBob('never acknowledged');
    expect(held.map(({ messageId }) => messageId)).to.deep.equal([body.messageId]);
  });

  it('waits for a reconnect', async () => {
    await world.phones.fault({ kind: 'disconnect', number: ALICE.number, count: 1 });
    const { status } = await send({ body: 'after the gap' });
    expect(status).to.be.oneOf([200, 502]);
    await reached(world, 'acme', 'connected');
    expect((await send({ body: 'after the gap' })).status).to.equal(200);
  });

  it('sends nothing for a caller that hangs up while the session is not connected', async () => {
    await world.phones.fault({ kind: 'refuse-upgrade' });
    await world.phones.fault({ kind: 'disconnect', number: ALICE.number, count: 1 });
    await reached(world, 'acme', 'reconnecting');
    const caller = new AbortController();
    const body = { clientId: 'acme', to: BOB.number, body: 'for nobody' };
    const answer = world.api.call('POST', '/send-message', body, {}, caller.signal);
    const kept = send({ body: 'for a caller that waits' });
    // answered after the requests before it were read
    await world.api.get('/config');
    caller.abort();
    expect(await answer.catch(() => 'gone')).to.equal('gone');
    await world.phones.clearFaults();
    await reached(world, 'acme', 'connected');
    expect((await kept).status).to.equal(200);
    expect((await send({ body: 'after all' })).status).to.equal(200);
    expect(await heldByBob('for a caller that waits')).to.have.length(1);
    expect(await heldByBob('for nobody')).to.deep.equal([]);
  });

  it('sends once for each idempotency key, also for concurrent requests and after a restart', async () => {
    const key = { 'idempotency-key': 'order-4711' };
    const answers = await Promise.all([send({ body: 'once' }, key), send({ body: 'once' }, key)]);
    await world.restartDaemon();
    await reached(world, 'acme', 'connected');
    answers.push(await send({ body: 'once' }, key));
    for (const { status, body } of answers) {
      expect(status).to.equal(200);
      expect(body).to.deep.equal(answers[0]?.body);
    }
    await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'once');
    expect(await heldByBob('once')).to.have.length(1);
  });

  it('refuses a key that was used for another request', async () => {
    const key = { 'idempotency-key': 'order-4712' };
    expect((await send({ body: 'one' }, key)).status).to.equal(200);
    const { status, body } = await send({ body: 'two' }, key);
    expect(status).to.equal(409);
    expect(body.error).to.match(/Idempotency-Key/);
  });

  it('tries again under the same key after a failure', async () => {
    const key = { 'idempotency-key': 'order-4713' };
    await world.phones.fault({ kind: 'reject-sends', number: ALICE.number, count: 1 });
    expect((await send({ body: 'second try' }, key)).status).to.equal(502);
    expect((await send({ body: 'second try' }, key)).status).to.equal(200);
    await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'second try');
  });

  it('sends message statuses to a receiver that opted in, each once', async () => {
    const { body } = await send({ body: 'status please' });
    const messageId = String(body.messageId);
    const status = (wanted: string) =>
      world.receiver.find(({ headers, body: text }) => {
        const fits = headers['x-sn-event'] === 'message_status' && text.includes(messageId);
        return fits && text.includes(`"status":"${wanted}"`);
      });
    const bob = await world.phones.phone(BOB.number);
    await status('sent');
    expect(JSON.parse((await status('delivered')).body).by).to.equal(bob.lid.split('@')[0]);
    await world.phones.read(BOB.number, [messageId]);
    await status('read');
    const told = world.receiver.calls.filter(({ headers, body: text }) => {
      return headers['x-sn-event'] === 'message_status' && text.includes(messageId);
    });
    const statuses = told.map((call) => JSON.parse(call.body).status).sort();
    expect(statuses).to.deep.equal(['delivered', 'read', 'sent']);
  });
});

/** Waits less than the 20 seconds of a real one for an acknowledgement. */
class ImpatientClock extends ShiftedClock {
  override after(ms: number, callback: () => void): () => void {
    return super.after(ms === LIMITS.sendAckMs ? 700 : ms, callback);
  }
}

describe('a send without an acknowledgement', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ overrides: { clock: new ImpatientClock() } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE, { extraEvents: ['message_status'] });
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'org-1' });
    await send('first', 'key-first');
  });
  after(() => world.stop());
  afterEach(() => world.phones.clearFaults());

  const send = (body: string, key?: string) =>
    world.api.post(
      '/send-message',
      { clientId: 'acme', to: BOB.number, body },
      key ? { 'idempotency-key': key } : {},
    );
  const dropAcks = () => world.phones.fault({ kind: 'drop-acks', number: ALICE.number });
  const dropReceipts = () => world.phones.fault({ kind: 'drop-receipts', number: ALICE.number });
  const held = async (text: string) =>
    (await world.phones.messages(BOB.number)).filter((message) => message.text === text);
  const echoesOf = (text: string) =>
    world.receiver.calls.filter(({ headers, body }) => {
      return headers['x-sn-event'] === 'text' && body.includes(`"body":"${text}"`);
    });
  const echoOf = (text: string) =>
    world.receiver.find((call) => {
      return call.headers['x-sn-event'] === 'text' && call.body.includes(`"body":"${text}"`);
    });
  const status = (messageId: unknown, wanted: string) =>
    world.receiver.find(({ headers, body }) => {
      const fits = headers['x-sn-event'] === 'message_status' && body.includes(String(messageId));
      return fits && body.includes(`"status":"${wanted}"`);
    });
  const rowOf = async (messageId: unknown) => {
    const { chatRooms } = (await world.api.get('/chatrooms?clientId=acme')).body;
    const [room] = Array.isArray(chatRooms) ? chatRooms : [];
    const { messages } = (await world.api.get(`/chatrooms/${room.chatRoomId}/messages`)).body;
    return Array.isArray(messages) && messages.find((row) => row.messageId === messageId);
  };
  /** Sends a message of which the sender learns nothing in time. */
  const unproven = async (body: string, key?: string) => {
    await dropAcks();
    await dropReceipts();
    const answer = await send(body, key);
    await world.phones.clearFaults();
    expect(answer.status, JSON.stringify(answer.body)).to.equal(502);
    expect(answer.headers.get('x-sn-error')).to.equal('send_unacknowledged');
    const messageId = answer.headers.get('x-sn-message-id');
    expect(messageId).to.match(/^[0-9A-F]{10,}$/);
    expect(answer.body.error).to.include(`unknown whether the message ${messageId} arrived`);
    expect(echoesOf(body)).to.deep.equal([]);
    return { messageId, error: answer.body.error };
  };

  it('is answered with 200 when a receipt of the recipient proves it', async () => {
    await dropAcks();
    const { status: answered, body } = await send('proven by a receipt');
    expect(answered, JSON.stringify(body)).to.equal(200);
    expect(eventIn(await echoOf('proven by a receipt'))?.messageId).to.equal(body.messageId);
    await status(body.messageId, 'sent');
    expect(await rowOf(body.messageId)).to.include({ body: 'proven by a receipt' });
  });

  it('is answered with 502, the message id and a hint when nothing proves it, and puts one copy on the phone', async () => {
    const { messageId, error } = await unproven('with a key', 'key-1');
    expect(error).to.include('the same Idempotency-Key');
    const again = await send('with a key', 'key-1');
    expect([again.status, again.body.messageId]).to.deep.equal([200, messageId]);
    expect(await held('with a key')).to.have.length(1);
    await echoOf('with a key');
    expect(await send('with a key', 'key-1')).to.have.property('status', 200);
    expect(echoesOf('with a key')).to.have.length(1);
  });

  it('is announced and stored when proof comes later', async () => {
    const { messageId, error } = await unproven('proven late');
    expect(error).to.match(/may arrive twice/);
    expect(await rowOf(messageId)).to.equal(undefined);
    await world.phones.read(BOB.number, [String(messageId)]);
    expect(eventIn(await echoOf('proven late'))?.messageId).to.equal(messageId);
    await status(messageId, 'read');
    expect(await rowOf(messageId)).to.include({ body: 'proven late' });
  });

  it('is announced and stored when proof comes after a restart of the daemon, and a repetition is not sent', async () => {
    const { messageId } = await unproven('proven after the restart', 'key-2');
    await world.restartDaemon();
    await world.connected();
    await world.phones.read(BOB.number, [String(messageId)]);
    await echoOf('proven after the restart');
    await dropAcks();
    const again = await send('proven after the restart', 'key-2');
    expect([again.status, again.body.messageId]).to.deep.equal([200, messageId]);
    expect(await rowOf(messageId)).to.include({ body: 'proven after the restart' });
    expect(echoesOf('proven after the restart')).to.have.length(1);
  });

  it('deletes a message when only a receipt proves the deletion, and says so when nothing does', async () => {
    const { body } = await send('to be deleted');
    const deletion = { clientId: 'acme', to: BOB.number, messageId: body.messageId, fromMe: true };
    const remove = () => world.api.post('/delete-message', { ...deletion, mode: 'everyone' });
    await dropAcks();
    await dropReceipts();
    const unknown = await remove();
    expect([unknown.status, unknown.headers.get('x-sn-error')]).to.deep.equal([502, 'send_unacknowledged']);
    expect(unknown.body.error).to.match(/repeated without harm/);
    await world.phones.clearFaults();
    await dropAcks();
    const { status: answered, body: removed } = await remove();
    expect([answered, removed]).to.deep.equal([200, { status: true }]);
  });
});
