import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { ChatRoom, StoredMessage } from '../../src/contract/index.js';
import { DAY_MS, systemClock } from '../../src/domain/clock.js';
import { formatRoomId } from '../../src/domain/room.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, linkSession, reached, startWorld, type World } from '../support/world.js';

/** Milliseconds; the wait is long where the phone answers: a busy machine must not end it. */
const WAITS = { answerMs: 60_000, pauseMs: 0 };
/** Where the phone does not answer in time. */
const SHORT_MS = 500;
/** Messages of one second have no order of their own: the network's times are whole seconds. */
const NEXT_SECOND_MS = 1_100;
const LATE_MS = 2_000;
const WORKSPACE = 'workspace1';

describe('older messages of a room, through the API', () => {
  let world: World;
  /** Texts that Alice's phone holds of the chat with Bob from before the workspace, with their ids. */
  const old = new Map<string, string>();

  before(async () => {
    world = await startWorld({ overrides: { historyWaits: WAITS } });
    for (const person of [ALICE, BOB, CAROL]) await world.phones.addPhone(person);
    for (const text of ['one', 'two', 'three', 'four', 'five']) {
      old.set(text, await write(BOB.number, text));
      await pause(NEXT_SECOND_MS);
    }
    await write(CAROL.number, 'before');
    await pause(NEXT_SECOND_MS);
    // the phone has sent its history before the workspace is set
    await linkSession(world, 'acme');
  });
  after(() => world.stop());
  afterEach(async () => {
    Object.assign(WAITS, { answerMs: 60_000, pauseMs: 0 });
    await world.phones.clearFaults();
  });

  const write = (from: string, text: string) => written(world, from, { to: ALICE.number, text });
  const lidOf = async (number: string) => (await world.phones.phone(number)).lid.replace(/@.*/, '');
  const roomOf = async (number: string) =>
    formatRoomId({ clientId: 'acme', myLid: await lidOf(ALICE.number), other: await lidOf(number) });
  const request = async (body: object = {}) =>
    world.api.post('/request-history', {
      ...{ clientId: 'acme', chatRoomId: await roomOf(BOB.number) },
      ...body,
    });
  const refusal = async (body: object = {}) => {
    const { status, headers } = await request(body);
    return { status, code: headers.get('x-sn-error') };
  };
  const setOrgId = (orgId: string) => world.api.post('/set-org-id', { clientId: 'acme', orgId });

  async function roomWith(number: string): Promise<ChatRoom | undefined> {
    const { lid } = await world.phones.phone(number);
    const { chatRooms } = (await world.api.get('/chatrooms?clientId=acme')).body;
    const rooms: ChatRoom[] = Array.isArray(chatRooms) ? chatRooms : [];
    return rooms.find(({ remoteJid }) => remoteJid === lid);
  }

  async function texts(from = BOB.number): Promise<string[]> {
    const room = await roomWith(from);
    const { messages } = (await world.api.get(`/chatrooms/${room?.chatRoomId}/messages`)).body;
    const rows: StoredMessage[] = Array.isArray(messages) ? messages : [];
    return rows.map(({ body }) => body);
  }

  it('are refused while the session keeps no history, and for rooms that do not exist', async () => {
    expect(await refusal()).to.deep.equal({ status: 409, code: 'history_off' });
    await setOrgId(WORKSPACE);
    expect(await refusal()).to.deep.equal({ status: 404, code: 'room_unknown' });
    const carols = { chatRoomId: await roomOf(CAROL.number) };
    expect(await refusal(carols)).to.deep.equal({ status: 404, code: 'room_unknown' });
    expect(await refusal({ chatRoomId: 'a room' })).to.deep.equal({ status: 400, code: 'invalid_request' });
    expect((await request({ chatRoomId: 'bogus' })).body.error).to.match(
      /^chatRoomId: bogus is not a room of acme/,
    );
    expect(await refusal({ clientId: 'nobody', chatRoomId: 'nobody-1-2' })).to.deep.equal({
      ...{ status: 404, code: 'session_unknown' },
    });
    expect(await refusal({ chatRoomId: 'nobody-1-2' })).to.deep.equal({
      ...{ status: 400, code: 'invalid_request' },
    });
    expect(await refusal({ count: 51 })).to.deep.equal({ status: 400, code: 'invalid_request' });
    await write(BOB.number, 'now');
    await until('the first stored message', async () => (await texts()).includes('now'));
  });

  it('come from the phone, a page at a time, and it is said whether the phone holds more', async () => {
    const first = await request({ count: 2 });
    expect(first.body).to.deep.equal({ ok: true, messages: 2, more: true });
    expect(await texts()).to.deep.equal(['four', 'five', 'now']);
    expect(await roomWith(BOB.number)).to.include({ lastMessage: 'now', unreadCount: 1 });
    expect((await request({ count: 1 })).body).to.deep.equal({ ok: true, messages: 1, more: true });
    expect(await texts()).to.deep.equal(['three', 'four', 'five', 'now']);
  });

  it('are not delivered as events, and are no part of the progress of an import', async () => {
    await write(BOB.number, 'later');
    await until('the next message', async () => (await texts()).includes('later'));
    const told = world.tail.entries.flatMap((entry) =>
      entry.kind === 'event' && 'messageId' in entry.event ? entry.event.messageId : [],
    );
    expect(told).not.to.include.oneOf([...old.values()]);
    const { clients } = (await world.api.get('/health/clients')).body;
    expect(JSON.stringify(clients)).not.to.contain('"history"');
  });

  it('are refused while the session asks already, and until its pause is over', async () => {
    await world.phones.fault({ kind: 'late-resend', number: ALICE.number, ms: LATE_MS });
    WAITS.pauseMs = 60_000;
    const running = request({ count: 1 });
    await pause(LATE_MS / 4);
    expect(await refusal()).to.deep.equal({ status: 429, code: 'history_requested' });
    expect((await running).body).to.deep.equal({ ok: true, messages: 1, more: true });
    const { status, headers } = await request();
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(50, 60);
    // the pause ends with the run of the daemon
    await world.restartDaemon();
    await world.connected();
  });

  it('are refused if the phone does not answer, and stored if it answers later', async () => {
    WAITS.answerMs = SHORT_MS;
    await world.phones.fault({ kind: 'no-resend', number: ALICE.number, count: 1 });
    expect(await refusal()).to.deep.equal({ status: 502, code: 'history_phone_silent' });
    expect(await texts()).not.to.include('one');
    await world.phones.fault({ kind: 'late-resend', number: ALICE.number, ms: LATE_MS });
    expect(await refusal({ count: 1 })).to.deep.equal({ status: 502, code: 'history_phone_silent' });
    await until('the late answer', async () => (await texts()).includes('one'));
  });

  it('are stored once, and the phone says when it holds no older ones', async () => {
    expect((await request()).body).to.deep.equal({ ok: true, messages: 0, more: false });
    expect(await texts()).to.deep.equal(['one', 'two', 'three', 'four', 'five', 'now', 'later']);
  });

  it('arrive although the connection was lost after the phone was asked', async () => {
    await write(CAROL.number, 'now');
    await until('the room with Carol', async () => (await texts(CAROL.number)).includes('now'));
    await world.phones.fault({ kind: 'late-resend', number: ALICE.number, ms: LATE_MS });
    const running = request({ chatRoomId: await roomOf(CAROL.number) });
    await pause(LATE_MS / 4);
    await world.phones.fault({ kind: 'disconnect', number: ALICE.number });
    await reached(world, 'acme', 'connected');
    expect((await running).body).to.deep.equal({ ok: true, messages: 1, more: false });
    expect(await texts(CAROL.number)).to.deep.equal(['before', 'now']);
  });
});

describe('older messages of a room, with a retention', () => {
  let world: World;

  before(async () => {
    world = await startWorld({ clock: systemClock, overrides: { historyWaits: WAITS } });
    for (const person of [ALICE, BOB, CAROL]) await world.phones.addPhone(person);
  });
  after(() => world.stop());

  it('come with their authors from groups, without those that would be deleted', async () => {
    const { jid } = await world.phones.groups.create(BOB.number, {
      subject: 'Team',
      participants: [ALICE.number, CAROL.number],
    });
    await written(world, BOB.number, { to: jid, text: 'three days old' });
    await world.sandbox.clock.advance(2 * DAY_MS);
    await written(world, CAROL.number, { to: jid, text: 'a day old' });
    await world.sandbox.clock.advance(DAY_MS);
    await linkSession(world, 'acme');
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: WORKSPACE });
    await world.api.post('/set-retention', { clientId: 'acme', days: 2 });
    await written(world, BOB.number, { to: jid, text: 'now' });
    const roomId = async (): Promise<string | undefined> => {
      const { chatRooms } = (await world.api.get('/chatrooms?clientId=acme')).body;
      const [room]: ChatRoom[] = Array.isArray(chatRooms) ? chatRooms : [];
      return room?.chatRoomId;
    };
    const rows = async (): Promise<StoredMessage[]> => {
      const chatRoomId = await roomId();
      if (!chatRoomId) return [];
      const { messages } = (await world.api.get(`/chatrooms/${chatRoomId}/messages`)).body;
      return Array.isArray(messages) ? messages : [];
    };
    await until('the message of the group', async () => (await rows()).length === 1);
    const { body } = await world.api.post('/request-history', {
      ...{ clientId: 'acme', chatRoomId: await roomId() },
    });
    expect(body).to.deep.equal({ ok: true, messages: 1, more: false });
    expect((await rows()).map(({ body: text, pushname }) => [text, pushname])).to.deep.equal([
      ['a day old', CAROL.name],
      ['now', BOB.name],
    ]);
  });
});

/** A message that Alice's phone has. */
async function written(world: World, from: string, message: { to: string; text: string }): Promise<string> {
  const { messageId } = await world.phones.write(from, message);
  await world.phones.waitForMessage(ALICE.number, (one) => one.messageId === messageId);
  return messageId;
}
