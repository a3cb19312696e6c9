import { expect } from 'chai';
import { ALICE, BOB, linkSession, reached } from '../support/pairing.js';
import { startWorld, type World } from '../support/world.js';

describe('sending text, truthfully', () => {
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
    ['no recipient', { to: undefined }, /to is required/],
    ['no text', { body: undefined }, /body is required/],
    ['an empty text', { body: '' }, /body/],
    ['a text that is too long', { body: 'x'.repeat(65_537) }, /body .*65536/],
    ['a number as text', { body: 7 }, /body must be a string/],
    ['an unreadable recipient', { to: 'bob' }, /to must be/],
    ['a list as recipient', { to: [BOB.number] }, /to must be a string/],
    ['an unknown field', { bdoy: 'typo' }, /bdoy/],
    ['mentions that are no list', { mentions: 'all' }, /mentions must be an array/],
    ['a mention that is no user-part', { mentions: ['bob'] }, /mentions/],
    ['metaData that is no object', { metaData: 'x' }, /metaData/],
    ['a quoted id that is no string', { quotedMessageId: 5 }, /quotedMessageId must be a string/],
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

  it('takes the longest text there may be', async () => {
    const text = 'é'.repeat(65_536);
    expect((await send({ body: text })).status).to.equal(200);
    await world.phones.waitForMessage(BOB.number, (message) => message.text === text);
  });

  it('refuses people that the network does not know, with a hint for numbers without plus', async () => {
    const number = await send({ to: '+15559999999' });
    expect(number.status, JSON.stringify(number.body)).to.equal(400);
    const lid = await send({ to: '15550000002' });
    expect(lid.status, JSON.stringify(lid.body)).to.equal(400);
    expect(lid.body.error).to.include('+15550000002');
  });

  it('sends with an unknown quoted id all the same', async () => {
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
    const answer = send({ body: 'never acknowledged' });
    await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'never acknowledged');
    await world.phones.fault({ kind: 'disconnect', number: ALICE.number, count: 1 });
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).to.equal(200);
    const held = await heldByBob('never acknowledged');
    expect(held.map(({ messageId }) => messageId)).to.deep.equal([body.messageId]);
  });

  it('waits for a connection that is coming back', async () => {
    await world.phones.fault({ kind: 'disconnect', number: ALICE.number, count: 1 });
    const { status } = await send({ body: 'after the gap' });
    expect(status).to.be.oneOf([200, 502]);
    await reached(world, 'acme', 'connected');
    expect((await send({ body: 'after the gap' })).status).to.equal(200);
  });

  it('sends once for each idempotency key, also when asked twice at once and after a restart', async () => {
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

  it('tells how far a message has come to a receiver that asked for it', async () => {
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
  });
});
