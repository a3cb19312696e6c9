import { expect } from 'chai';
import type { ChatUpdate, ChatView } from '../../src/client/sandbox/client.js';
import { eventOf } from '../support/receiver.js';
import { TailReader } from '../support/tail-reader.js';
import {
  type ApiAnswer,
  BOB,
  Conversations,
  linkSession,
  reached,
  type Side,
  TOKEN,
} from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };

describe('the chat routes', () => {
  let chats: Conversations;
  before(async () => {
    chats = await Conversations.start();
    await chats.world.phones.addPhone(DAVE);
  });
  after(() => chats.stop());
  afterEach(() => chats.world.phones.clearFaults());

  const sides = () => [chats.plain, chats.hosted];

  function post(side: Side, path: string, body: object = {}): Promise<ApiAnswer> {
    return chats.world.api.post(path, { clientId: side.clientId, to: BOB.number, ...body });
  }

  async function expectAnswer(answer: Promise<ApiAnswer>, status: number, body: object | RegExp) {
    const { status: actual, body: told } = await answer;
    expect(actual, JSON.stringify(told)).to.equal(status);
    if (body instanceof RegExp) expect(told.error).to.match(body);
    else expect(told).to.deep.equal(body);
  }

  async function sent(side: Side, body = 'hello'): Promise<string> {
    const answer = await post(side, '/send-message', { body });
    expect(answer.status).to.equal(200);
    await eventOf(chats.world.receiver, String(answer.body.messageId));
    return String(answer.body.messageId);
  }

  async function unreadCount(side: Side): Promise<unknown> {
    const { body } = await chats.world.api.get(`/chatrooms?clientId=${side.clientId}`);
    const rooms: unknown = body.chatRooms;
    if (!Array.isArray(rooms)) throw new Error('rooms are a list');
    return rooms.find(({ chatRoomId }) => chatRoomId === side.chatRoomId)?.unreadCount;
  }

  /** The settings of the chat with Bob on the linked phone. */
  function onPhone({ phone }: Side, matches: (chat: ChatView) => boolean): Promise<ChatView> {
    const isWithBob = (chat: ChatView) => chat.with === BOB.number && matches(chat);
    return chats.world.phones.waitForChat(phone.number, isWithBob);
  }

  describe('/send-typing', () => {
    it('shows the other person when typing starts and stops', async () => {
      for (const side of sides()) {
        const from = side.phone.number;
        for (const [body, state] of [
          [{}, 'composing'],
          [{ composing: false }, 'paused'],
        ] as const) {
          await chats.world.phones.waitFor(
            (event) =>
              event.type === 'chatstate' && event.number === BOB.number && event.chatstate.state === state,
            10_000,
            () => expectAnswer(post(side, '/send-typing', body), 200, { status: 'ok' }),
          );
          const last = (await chats.world.phones.chatstates(BOB.number)).at(-1);
          expect(last).to.include({ from, state });
        }
      }
    });

    it('waits for a reconnect', async () => {
      const { phones } = chats.world;
      const number = chats.plain.phone.number;
      await phones.fault({ kind: 'refuse-upgrade' });
      await phones.fault({ kind: 'disconnect', number, count: 1 });
      await reached(chats.world, chats.plain.clientId, 'reconnecting');
      await phones.waitFor(
        (event) => event.type === 'chatstate' && event.number === BOB.number,
        20_000,
        async () => {
          const answer = post(chats.plain, '/send-typing');
          await phones.clearFaults();
          await expectAnswer(answer, 200, { status: 'ok' });
        },
      );
    });
  });

  describe('/mark-read', () => {
    it('sends the author a receipt for each message, and clears the unread count', async () => {
      for (const side of sides()) {
        const first = await chats.fromBob(side, { text: 'one' });
        const second = await chats.fromBob(side, { text: 'two' });
        const messageIds = [first.messageId, second.messageId];
        if (side.orgId) expect(await unreadCount(side)).to.equal(2);
        await chats.world.phones.waitFor(
          (event) =>
            event.type === 'receipt' && event.messageId === second.messageId && event.state === 'read',
          10_000,
          () => expectAnswer(post(side, '/mark-read', { messageIds }), 200, { ok: true, count: 2 }),
        );
        for (const message of await chats.world.phones.messages(BOB.number)) {
          if (!messageIds.includes(message.messageId)) continue;
          expect(message.receipts).to.deep.equal({ [side.phone.number]: 'read' });
        }
        if (side.orgId) expect(await unreadCount(side)).to.equal(0);
      }
    });

    it('accepts repeated ids, unknown ids and ids of own messages', async () => {
      for (const side of sides()) {
        const { messageId } = await chats.fromBob(side, { text: 'once' });
        const own = await sent(side);
        const messageIds = [messageId, messageId, '3EB0UNKNOWN', own];
        await expectAnswer(post(side, '/mark-read', { messageIds }), 200, { ok: true, count: 3 });
      }
    });

    it('refuses messages of another chat with 400, and sends no receipt', async () => {
      for (const side of sides()) {
        const { messageId } = await chats.fromBob(side, { text: 'not there' });
        const body = { messageIds: [messageId], to: DAVE.number };
        await expectAnswer(post(side, '/mark-read', body), 400, /messageIds: .*in another chat/);
        const held = await chats.world.phones.waitForMessage(
          BOB.number,
          (message) => message.messageId === messageId,
        );
        expect(held.receipts).to.not.deep.include({ [side.phone.number]: 'read' });
      }
    });
  });

  describe('/mark-unread', () => {
    it('marks the chat unread on the linked phone, whoever wrote last', async () => {
      const side = chats.hosted;
      const writes = [
        () => chats.fromBob(side, { text: 'an answer, please' }),
        () => sent(side),
        async () => {
          const poll = await chats.fromOwner(side, { poll: { name: 'Tea?', options: ['Yes', 'No'] } });
          await chats.fromBob(side, { vote: { pollMessageId: poll.messageId, options: ['Yes'] } });
        },
      ];
      for (const write of writes) {
        await write();
        await expectAnswer(post(side, '/mark-unread'), 200, { ok: true });
        await onPhone(side, ({ unread }) => unread);
        await chats.world.phones.updateChat(side.phone.number, BOB.number, { unread: false });
      }
      expect((await chats.world.phones.chats(side.phone.number)).rejected).to.equal(0);
    });

    it('answers 404 when no message of the chat is stored', async () => {
      await chats.fromBob(chats.plain, { text: 'not kept' });
      await expectAnswer(post(chats.plain, '/mark-unread'), 404, /no message .*stored/);
      await expectAnswer(post(chats.hosted, '/mark-unread', { to: DAVE.number }), 404, /no message .*stored/);
    });
  });

  describe('/archive-chat, /mute-chat and /pin-chat', () => {
    const FOREVER = '9999-12-31T23:59:59.999Z';

    async function room(side: Side): Promise<Record<string, unknown>> {
      const { body } = await chats.world.api.get(`/chatrooms?clientId=${side.clientId}`);
      const rooms: unknown = body.chatRooms;
      if (!Array.isArray(rooms)) throw new Error('rooms are a list');
      const { archived, mutedUntil, pinned } = rooms.find((one) => one.chatRoomId === side.chatRoomId);
      return JSON.parse(JSON.stringify({ archived, mutedUntil, pinned }));
    }

    it('changes the chat on the linked phone and the room, and back', async () => {
      const until = new Date(Date.now() + 60 * 60_000).toISOString();
      const rounds: [path: string, body: object, phone: Partial<ChatView>, room: object][] = [
        ['/pin-chat', {}, { pinned: true }, { pinned: true }],
        // an archived chat is not pinned
        ['/archive-chat', {}, { archived: true, pinned: false }, { archived: true }],
        ['/mute-chat', { until }, { muted: true }, { archived: true, mutedUntil: until }],
        ['/mute-chat', {}, { muted: true }, { archived: true, mutedUntil: FOREVER }],
        ['/mute-chat', { muted: false }, { muted: false }, { archived: true }],
        ['/archive-chat', { archived: false }, { archived: false }, {}],
        ['/pin-chat', { pinned: false }, { pinned: false }, {}],
      ];
      await chats.fromBob(chats.hosted, { text: 'a message, so that there is a room' });
      for (const side of sides()) {
        for (const [path, body, phone, shown] of rounds) {
          await expectAnswer(post(side, path, body), 200, { ok: true });
          await onPhone(side, (chat) => JSON.stringify({ ...chat, ...phone }) === JSON.stringify(chat));
          if (side.orgId) expect(await room(side)).to.deep.equal(shown);
        }
      }
    });

    it('shows the changes of the owner on the phone in the room', async () => {
      const { phones } = chats.world;
      const change = (update: ChatUpdate) => phones.updateChat(chats.hosted.phone.number, BOB.number, update);
      await chats.fromBob(chats.hosted, { text: 'a message, so that there is a room' });
      const rooms = await new TailReader().open(chats.world.daemon.url, TOKEN, '?rooms=true');
      const shows = (wanted: object) =>
        rooms.until(
          () => true,
          async () => JSON.stringify(await room(chats.hosted)) === JSON.stringify(wanted),
        );
      await change({ archived: true, pinned: true });
      await shows({ archived: true, pinned: true });
      await change({ archived: false, pinned: false });
      await shows({});
      await rooms.close();
    });

    it('shows in the rooms of an imported history what was set before the pairing', async () => {
      const { phones, api, daemon } = chats.world;
      await phones.write(DAVE.number, { to: BOB.number, text: 'before the pairing' });
      await phones.updateChat(DAVE.number, BOB.number, { archived: true });
      const rooms = await new TailReader().open(daemon.url, TOKEN, '?rooms=true');
      await api.post('/start?clientId=late');
      await api.post('/set-org-id', { clientId: 'late', orgId: 'workspace2' });
      await linkSession(chats.world, 'late', DAVE);
      await rooms.until(
        () => true,
        async () => {
          const { chatRooms } = (await api.get('/chatrooms?clientId=late')).body;
          return JSON.stringify(chatRooms).includes('"archived":true');
        },
      );
      await rooms.close();
    });

    it('shows settings from before the session had a workspace', async () => {
      const { phones, api, receiver } = chats.world;
      const erin = { number: '+15550000005', name: 'Erin' };
      await linkSession(chats.world, 'early', erin);
      expect((await api.post('/pin-chat', { clientId: 'early', to: BOB.number })).status).to.equal(200);
      await api.post('/set-org-id', { clientId: 'early', orgId: 'workspace3' });
      const { messageId } = await phones.write(BOB.number, { to: erin.number, text: 'first' });
      await eventOf(receiver, messageId);
      const { chatRooms } = (await api.get('/chatrooms?clientId=early')).body;
      expect(JSON.stringify(chatRooms)).to.contain('"pinned":true');
    });

    it('refuses a mute that ends in the past with 400', async () => {
      const until = '2020-01-01T00:00:00Z';
      await expectAnswer(post(chats.plain, '/mute-chat', { until }), 400, /until must be in the future/);
    });
  });

  describe('/disappearing-messages', () => {
    it('sets the timer of a private chat on both phones, without an event', async () => {
      for (const seconds of [86_400, 0]) {
        await expectAnswer(post(chats.hosted, '/disappearing-messages', { seconds }), 200, { ok: true });
        const timer = await chats.world.phones.waitForMessage(BOB.number, (held) => held.timer === seconds);
        const { messageId } = await chats.world.phones.write(BOB.number, {
          to: chats.hosted.phone.number,
          text: `after a timer of ${seconds} s`,
        });
        await eventOf(chats.world.receiver, messageId);
        expect(timer).to.include({ type: 'timer', from: chats.hosted.phone.number });
        const text = (await chats.world.phones.messages(BOB.number)).at(-1);
        expect(text).to.include({ messageId });
        expect(text?.ephemeral).to.equal(seconds || undefined);
        const rows = await chats.history(chats.hosted);
        expect(rows.map((row) => row.messageId)).not.to.include(timer.messageId);
      }
    });

    it('refuses a time that WhatsApp does not offer with 400', async () => {
      const answer = post(chats.plain, '/disappearing-messages', { seconds: 60 });
      await expectAnswer(answer, 400, /seconds/);
    });
  });

  describe('/delete-message with the mode me', () => {
    const forMe = { mode: 'me', fromMe: true };

    it('deletes the message on the linked phone only, where no history is kept', async () => {
      const side = chats.plain;
      const own = await sent(side, 'to be deleted');
      const { messageId: his } = await chats.fromBob(side, { text: 'his' });
      for (const [messageId, fromMe] of [
        [own, true],
        [his, false],
      ] as const) {
        await expectAnswer(post(side, '/delete-message', { ...forMe, messageId, fromMe }), 200, {
          status: true,
        });
        await onPhone(side, ({ deletedMessages }) => deletedMessages.includes(messageId));
      }
      const held = await chats.world.phones.waitForMessage(BOB.number, ({ messageId }) => messageId === own);
      expect(held).to.include({ text: 'to be deleted', revoked: false });
    });

    it('deletes the message from the history too', async () => {
      const side = chats.hosted;
      const { chatRoomId } = side;
      const own = await sent(side, 'to be deleted');
      const { messageId: his } = await chats.fromBob(side, { text: 'his' });
      for (const messageId of [own, his]) {
        const deletion = { ...forMe, messageId, chatRoomId };
        await expectAnswer(post(side, '/delete-message', deletion), 200, { status: true });
        await onPhone(side, ({ deletedMessages }) => deletedMessages.includes(messageId));
        expect(await chats.row(side, messageId)).to.equal(undefined);
        await expectAnswer(post(side, '/delete-message', deletion), 404, /has no message/);
      }
      expect((await chats.world.phones.chats(side.phone.number)).rejected).to.equal(0);
    });

    it('requires the room of the chat where a history is kept', async () => {
      const side = chats.hosted;
      const messageId = await sent(side);
      const request = (body: object) => post(side, '/delete-message', { ...forMe, messageId, ...body });
      await expectAnswer(request({}), 400, /chatRoomId is required/);
      await expectAnswer(request({ chatRoomId: chats.plain.chatRoomId }), 400, /chatRoomId: .*not a room of/);
      await expectAnswer(request({ chatRoomId: 'hosted-1-2' }), 404, /has no message/);
      const elsewhere = { chatRoomId: side.chatRoomId, to: DAVE.number };
      await expectAnswer(request(elsewhere), 400, /chatRoomId: .*not the room of the chat/);
      expect(await chats.row(side, messageId)).to.not.equal(undefined);
    });

    it('refuses a message of another chat with 400', async () => {
      const messageId = await sent(chats.plain);
      const deletion = { ...forMe, messageId, to: DAVE.number };
      await expectAnswer(
        post(chats.plain, '/delete-message', deletion),
        400,
        /messageId: .*in another chat; set to to/,
      );
    });
  });

  it('answers 502 and changes nothing when the network refuses the change', async () => {
    const side = chats.hosted;
    const messageId = await sent(side);
    const { chatRoomId } = side;
    const requests: [string, object][] = [
      ['/mark-unread', {}],
      ['/delete-message', { messageId, fromMe: true, mode: 'me', chatRoomId }],
    ];
    for (const [path, body] of requests) {
      await chats.world.phones.fault({ kind: 'app-state-conflict', number: side.phone.number, count: 2 });
      await expectAnswer(post(side, path, body), 502, /rejected the change \(409\)/);
    }
    expect(await chats.row(side, messageId)).to.not.equal(undefined);
    for (const [path, body] of requests) expect((await post(side, path, body)).status, path).to.equal(200);
  });

  it('answers 404 for a session that is unknown or not paired, and 400 for people unknown to the network', async () => {
    await chats.world.api.post('/start?clientId=unpaired');
    const requests: [string, object][] = [
      ['/send-typing', {}],
      ['/mark-read', { messageIds: ['3EB01'] }],
      ['/mark-unread', {}],
      ['/delete-message', { messageId: '3EB01', fromMe: true, mode: 'me' }],
    ];
    for (const [path, body] of requests) {
      for (const clientId of ['nobody', 'unpaired']) {
        expect((await post(chats.plain, path, { ...body, clientId })).status, path).to.equal(404);
      }
      const stranger = { ...body, to: '+15559999999' };
      await expectAnswer(post(chats.plain, path, stranger), 400, /^to: /);
    }
  });
});
