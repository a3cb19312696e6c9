import { expect } from 'chai';
import type { ChatRoom, StoredMessage } from '../../src/contract/index.js';
import { type Clock, systemClock } from '../../src/domain/clock.js';
import { until } from '../support/until.js';
import { ALICE, BOB, linkSession, nextQr, reached, startWorld, type World } from '../support/world.js';

/** More than the phone sends in one answer, and more than the link holds back in order to find the order of a chat. */
const THEIRS = 160;
const OWN = 60;
/** More than one part of the history holds: the border of the parts is within the second. */
const PARTS = 520;
const PAGE = 200;
const MOST_REQUESTS = 9;
const WORKSPACE = 'workspace1';

describe('messages of one second, through the API', () => {
  let world: World;

  beforeEach(async () => {
    // a second that does not end
    const now = Date.now();
    const clock: Clock = { ...systemClock, now: () => now };
    world = await startWorld({ clock, overrides: { historyWaits: { answerMs: 60_000, pauseMs: 0 } } });
    for (const person of [ALICE, BOB]) await world.phones.addPhone(person);
  });
  afterEach(() => world.stop());

  const write = (from: string, to: string, text: string) => world.phones.write(from, { to, text });
  const written = async (text: string) => {
    await until('the message on the phone', async () =>
      (await world.phones.messages(ALICE.number)).some((message) => message.text === text),
    );
  };

  async function onlyRoom(): Promise<string | undefined> {
    const { chatRooms } = (await world.api.get('/chatrooms?clientId=acme')).body;
    const rooms: ChatRoom[] = Array.isArray(chatRooms) ? chatRooms : [];
    return rooms[0]?.chatRoomId;
  }

  /** All stored messages, page by page from the newest to the oldest. */
  async function stored(): Promise<string[]> {
    const room = await onlyRoom();
    const found: StoredMessage[] = [];
    for (;;) {
      const before = found[0] ? `&before=${found[0].messageId}` : '';
      const { body } = await world.api.get(`/chatrooms/${room}/messages?limit=${PAGE}${before}`);
      const page: StoredMessage[] = Array.isArray(body.messages) ? body.messages : [];
      if (page.length === 0) return found.map(({ body: text }) => text);
      found.unshift(...page);
    }
  }

  const onPhone = async () => (await world.phones.messages(ALICE.number)).map(({ text }) => text);

  it('come on request in the order of the phone, without a gap, until the phone holds no more', async () => {
    for (let n = 1; n <= THEIRS; n++) {
      await write(BOB.number, ALICE.number, `theirs ${n}`);
      if (n <= OWN) await write(ALICE.number, BOB.number, `own ${n}`);
    }
    await written(`theirs ${THEIRS}`);
    await linkSession(world, 'acme');
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: WORKSPACE });
    await write(BOB.number, ALICE.number, 'live');
    await until('the live message', async () => (await onlyRoom()) !== undefined);
    const counts: number[] = [];
    for (let more = true; more && counts.length < MOST_REQUESTS; ) {
      const { body } = await world.api.post('/request-history', {
        ...{ clientId: 'acme', chatRoomId: await onlyRoom() },
      });
      counts.push(Number(body.messages));
      more = body.more === true;
    }
    expect(counts).to.deep.equal([50, 50, 50, 50, 20]);
    expect(await stored()).to.deep.equal(await onPhone());
    expect(await stored()).to.have.length(THEIRS + OWN + 1);
  });

  it('are imported in the order of the phone when a number is linked', async () => {
    for (let n = 1; n <= PARTS; n++) await write(ALICE.number, BOB.number, `own ${n}`);
    await world.api.post('/start?clientId=acme', {});
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: WORKSPACE });
    await world.phones.scan(ALICE.number, await nextQr(world, 'acme'));
    await reached(world, 'acme', 'connected');
    await write(BOB.number, ALICE.number, 'live');
    await until('the whole history', async () => (await stored()).length === PARTS + 1);
    expect(await stored()).to.deep.equal(await onPhone());
  });
});
