import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { EventEnvelope } from '../../src/contract/events/envelope.js';
import { isObject } from '../../src/domain/json.js';
import {
  eventIn,
  eventOf,
  type ReceivedCall,
  type Respond,
  silent,
  startReceiver,
  type TestReceiver,
} from '../support/receiver.js';
import {
  ALICE,
  BOB,
  Conversations,
  lidOf,
  linkSession,
  type Side,
  startWorld,
  WEBHOOK_TOKEN,
  type World,
} from '../support/world.js';

const OPTIONS = ['Pizza', 'Soup', 'Salad'];

describe('votes', () => {
  let chats: Conversations;
  /** Knows the options of polls. */
  let desk: TestReceiver;
  before(async () => {
    desk = await startReceiver();
    chats = await Conversations.start({ overrides: { pollLookupMs: 60_000, stopGraceMs: 100 } });
  });
  after(async () => {
    await chats.stop();
    await desk.stop();
  });

  const sides = () => [chats.plain, chats.hosted];
  const lookUpAt = async (side: Side, pollLookupUrl: string) => {
    const { clientId } = side;
    const webhookUrl = chats.world.receiver.url;
    const answer = await chats.world.api.post('/set-webhook', { clientId, webhookUrl, pollLookupUrl });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  };
  const answer = (status: number, body: unknown): Respond => {
    return (response) => response.writeHead(status).end(JSON.stringify(body));
  };
  /** A poll that the API sent, as Bob holds it. */
  const ask = async ({ clientId }: Side, selectableCount = 2) => {
    const poll = { pollName: 'Lunch?', pollOptions: OPTIONS, selectableCount };
    const sent = await chats.world.api.post('/send-poll-message', { clientId, to: BOB.number, ...poll });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const pollMessageId = String(sent.body.messageId);
    await chats.world.phones.waitForMessage(BOB.number, ({ messageId }) => messageId === pollMessageId);
    return pollMessageId;
  };
  const vote = (side: Side, pollMessageId: string, options: string[]): Promise<EventEnvelope> =>
    chats.fromBob(side, { vote: { pollMessageId, options } });

  it('votes get their option names from the history of a session that keeps one', async () => {
    const side = chats.hosted;
    await lookUpAt(side, desk.url);
    const before = desk.calls.length;
    const pollMessageId = await ask(side);
    for (const options of [['Soup'], ['Pizza', 'Salad'], []]) {
      const event = await vote(side, pollMessageId, options);
      const pollVote = {
        pollMessageId,
        voter: lidOf(chats.bob),
        resolved: true,
        selectedOptions: options,
        selectedHashes: options.map(sha256),
      };
      expect(event).to.deep.include({
        event: 'message.received',
        type: 'vote_update',
        body: options.join(', '),
        pollVote,
      });
      expect(await chats.row(side, event.messageId)).to.deep.include({
        messageType: 'vote_update',
        body: options.join(', '),
        extras: { pollVote },
      });
    }
    const { body } = await chats.world.api.get(`/chatrooms?clientId=${side.clientId}`);
    const rooms: unknown[] = Array.isArray(body.chatRooms) ? body.chatRooms : [];
    const { chatRoomId } = side;
    const room = rooms.find((one) => isObject(one) && one.chatRoomId === chatRoomId);
    expect(room, 'votes are no preview').to.include({ lastMessage: 'Lunch?', lastMessageFromMe: true });
    expect(desk.calls).to.have.length(before);
  });

  it('votes get their option names from the poll look-up, called as the contract says', async () => {
    const side = chats.plain;
    await lookUpAt(side, `${desk.url}/polls`);
    desk.respond(answer(200, { options: ['Salad', 'Soup', 'Pizza'] }));
    const pollMessageId = await ask(side);
    const event = await vote(side, pollMessageId, ['Soup']);
    expect(event.pollVote).to.deep.equal({
      pollMessageId,
      voter: lidOf(chats.bob),
      resolved: true,
      selectedOptions: ['Soup'],
      selectedHashes: [sha256('Soup')],
    });
    const call = await desk.find(({ body }) => body.includes(pollMessageId));
    expect(call).to.include({ method: 'POST', path: '/polls' });
    expect(call.headers).to.include({ authorization: `Bearer ${WEBHOOK_TOKEN}` });
    const { chatRoomId, clientId } = side;
    expect(JSON.parse(call.body)).to.deep.equal({ clientId, chatRoomId, pollMessageId });
  });

  const WRONG: [what: string, respond: Respond][] = [
    ['with 401', answer(401, { error: 'no' })],
    ['with options of another poll', answer(200, { options: ['Tea', 'Coffee'] })],
    ['with something else', answer(200, ['Soup'])],
    ['with garbage', (response) => response.socket?.end('garbage\r\n\r\n')],
  ];
  for (const [what, respond] of WRONG) {
    it(`votes keep their hashes when the look-up is answered ${what}`, async () => {
      const side = chats.plain;
      await lookUpAt(side, desk.url);
      desk.respond(respond);
      const pollMessageId = await ask(side);
      expect((await vote(side, pollMessageId, ['Soup'])).pollVote).to.deep.equal({
        pollMessageId,
        voter: lidOf(chats.bob),
        resolved: false,
        selectedOptions: [],
        selectedHashes: [sha256('Soup')],
      });
    });
  }

  it('votes keep their hashes without any look-up', async () => {
    await lookUpAt(chats.plain, '');
    const pollMessageId = await ask(chats.plain);
    const { pollVote } = await vote(chats.plain, pollMessageId, ['Soup', 'Pizza']);
    expect(pollVote).to.include({ resolved: false });
    expect(new Set(pollVote?.selectedHashes)).to.deep.equal(new Set([sha256('Soup'), sha256('Pizza')]));
  });

  it('votes wait for a slow look-up without delaying other messages', async () => {
    const side = chats.plain;
    await lookUpAt(side, desk.url);
    let answerLater: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      desk.respond((response) => {
        answerLater = () => response.end(JSON.stringify({ options: OPTIONS }));
        resolve();
      });
    });
    const pollMessageId = await ask(side);
    const { world } = chats;
    const cast = await world.phones.write(BOB.number, {
      to: side.phone.number,
      vote: { pollMessageId, options: ['Soup'] },
    });
    await asked;
    for (const each of sides()) await chats.fromBob(each, { text: 'meanwhile' });
    answerLater?.();
    const order = world.receiver.calls.flatMap((call: ReceivedCall) => eventIn(call)?.messageId ?? []);
    expect(order).to.not.include(cast.messageId);
    expect((await eventOf(world.receiver, cast.messageId)).type).to.equal('vote_update');
  });

  it('votes are decrypted in polls of others, for every voter', async () => {
    await lookUpAt(chats.plain, '');
    for (const side of sides()) {
      const poll = { name: 'Where?', options: ['here', 'there'] };
      const { messageId: pollMessageId } = await chats.fromBob(side, { poll });
      const own = await chats.fromOwner(side, { vote: { pollMessageId, options: ['here'] } });
      expect(own).to.include({ event: 'message.sent', type: 'vote_update', fromMe: true });
      expect(own.pollVote).to.deep.include({
        voter: lidOf(side.phone),
        resolved: side.orgId !== '',
        selectedHashes: [sha256('here')],
      });
      const bobs = await vote(side, pollMessageId, ['there']);
      expect(bobs.pollVote).to.deep.include({ voter: lidOf(chats.bob), selectedHashes: [sha256('there')] });
    }
  });

  it('votes are decrypted after a restart, also where no history is kept', async () => {
    const { world, plain } = chats;
    const pollMessageId = await ask(plain);
    await world.restartDaemon();
    expect((await vote(plain, pollMessageId, ['Salad'])).pollVote).to.deep.include({
      pollMessageId,
      selectedHashes: [sha256('Salad')],
    });
  });

  it('votes are delivered after the start when a stop aborted their look-up', async () => {
    const { world, plain } = chats;
    await lookUpAt(plain, desk.url);
    const pollMessageId = await ask(plain);
    const asked = new Promise<void>((resolve) => desk.respond(() => resolve()));
    const { messageId } = await world.phones.write(BOB.number, {
      to: plain.phone.number,
      vote: { pollMessageId, options: ['Pizza'] },
    });
    await asked;
    await world.stopDaemon();
    desk.respond(answer(200, { options: OPTIONS }));
    await world.startDaemon();
    expect((await eventOf(world.receiver, messageId)).pollVote).to.deep.include({
      resolved: true,
      selectedOptions: ['Pizza'],
    });
  });

  it('votes have empty lists in a poll from before the number was linked', async () => {
    const { world } = chats;
    const dave = { number: '+15550000004', name: 'Dave' };
    await world.phones.addPhone(dave);
    const poll = { name: 'Before?', options: ['yes', 'no'] };
    const { messageId: pollMessageId } = await world.phones.write(BOB.number, { to: dave.number, poll });
    await linkSession(world, 'late', dave);
    const { messageId } = await world.phones.write(BOB.number, {
      to: dave.number,
      vote: { pollMessageId, options: ['yes'] },
    });
    expect((await eventOf(world.receiver, messageId)).pollVote).to.deep.equal({
      pollMessageId,
      voter: lidOf(chats.bob),
      resolved: false,
      selectedOptions: [],
      selectedHashes: [],
    });
  });
});

describe('votes whose look-up is never answered', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ overrides: { pollLookupMs: 200 } });
    await world.phones.addPhone(BOB);
  });
  after(() => world.stop());

  it('votes keep their hashes', async () => {
    const desk = await startReceiver(silent);
    await linkSession(world, 'acme', ALICE, { pollLookupUrl: desk.url });
    const poll = { name: 'Lunch?', options: OPTIONS };
    const { messageId: pollMessageId } = await world.phones.write(ALICE.number, { to: BOB.number, poll });
    await world.phones.waitForMessage(BOB.number, ({ messageId }) => messageId === pollMessageId);
    const vote = { pollMessageId, options: ['Soup'] };
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, vote });
    expect((await eventOf(world.receiver, messageId)).pollVote).to.deep.include({
      pollMessageId,
      resolved: false,
      selectedHashes: [sha256('Soup')],
    });
    expect(desk.calls).to.have.length(1);
    await desk.stop();
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
