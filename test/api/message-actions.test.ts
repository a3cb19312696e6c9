import { expect } from 'chai';
import type { MessageView } from '../../src/client/sandbox/client.js';
import { picture } from '../support/made-files.js';
import { eventOf, startReceiver, type TestReceiver } from '../support/receiver.js';
import {
  type ApiAnswer,
  BOB,
  Conversations,
  linkSession,
  reached,
  type Side,
  startWorld,
} from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const DAY_S = 24 * 60 * 60;

describe('the routes for stars, pins, forwards and link previews', () => {
  let chats: Conversations;
  let website: TestReceiver;
  before(async () => {
    chats = await Conversations.start();
    await chats.world.phones.addPhone(DAVE);
    website = await startReceiver();
  });
  after(async () => {
    await website.stop();
    await chats.stop();
  });
  afterEach(() => chats.world.phones.clearFaults());

  const sides = () => [chats.plain, chats.hosted];

  function post(side: Side, path: string, body: object, headers = {}): Promise<ApiAnswer> {
    return chats.world.api.post(path, { clientId: side.clientId, to: BOB.number, ...body }, headers);
  }

  /** The id of a successful answer. */
  async function sent(side: Side, path: string, body: object, headers = {}): Promise<string> {
    const answer = await post(side, path, body, headers);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return String(answer.body.messageId);
  }

  async function refused(answer: Promise<ApiAnswer>, status: number, code: string): Promise<void> {
    const { status: actual, headers, body } = await answer;
    expect(actual, JSON.stringify(body)).to.equal(status);
    expect(headers.get('x-sn-error')).to.equal(code);
  }

  function held(
    messageId: string,
    number = BOB.number,
    fits = (_: MessageView) => true,
  ): Promise<MessageView> {
    return chats.world.phones.waitForMessage(number, (one) => one.messageId === messageId && fits(one));
  }

  /** Bob deletes his message for everyone. */
  async function deletedByBob(side: Side): Promise<string> {
    const { messageId } = await chats.fromBob(side, { text: 'never mind' });
    await chats.fromBob(side, { revoke: { messageId } });
    return messageId;
  }

  describe('/star-message', () => {
    it('stars messages of both people on the linked phone, and removes the star', async () => {
      for (const side of sides()) {
        const theirs = (await chats.fromBob(side, { text: 'remember me' })).messageId;
        const own = await sent(side, '/send-message', { body: 'and me' });
        await eventOf(chats.world.receiver, own);
        for (const messageId of [theirs, own]) {
          const answer = await post(side, '/star-message', { messageId });
          expect(answer.body).to.deep.equal({ ok: true });
          await chats.world.phones.waitForChat(side.phone.number, ({ starredMessages = [] }) =>
            starredMessages.includes(messageId),
          );
        }
        await post(side, '/star-message', { messageId: theirs, starred: false });
        const chat = await chats.world.phones.waitForChat(
          side.phone.number,
          ({ starredMessages = [] }) => !starredMessages.includes(theirs),
        );
        expect(chat.starredMessages).to.deep.equal([own]);
      }
    });

    it('refuses messages that are unknown, and those that were deleted for everyone', async () => {
      for (const path of ['/star-message', '/pin-message']) {
        for (const side of sides())
          await refused(post(side, path, { messageId: '3EB0NOBODY' }), 404, 'message_unknown');
        const messageId = await deletedByBob(chats.hosted);
        await refused(post(chats.hosted, path, { messageId }), 409, 'message_deleted');
      }
    });
  });

  describe('/pin-message', () => {
    it('pins a message for everybody in the chat, for the given time, and unpins it', async () => {
      for (const side of sides()) {
        const { messageId } = await chats.fromBob(side, { text: 'the address' });
        const pinId = await sent(side, '/pin-message', { messageId, duration: DAY_S });
        const pinned = await held(messageId, BOB.number, ({ pin }) => pin !== undefined);
        expect(pinned.pin?.by).to.equal(side.phone.number);
        expect(pinned.pin?.until).to.be.closeTo(Date.now() / 1_000 + DAY_S, 60);
        await held(messageId, side.phone.number, ({ pin }) => pin !== undefined);
        expect(await eventOf(chats.world.receiver, pinId)).to.deep.include({
          event: 'message.sent',
          type: 'text',
          body: '[pinned message]',
          pin: { targetId: messageId, pinned: true, duration: DAY_S },
        });
        const unpinId = await sent(side, '/pin-message', { messageId, pinned: false });
        await held(messageId, BOB.number, ({ pin }) => pin === undefined);
        expect(await eventOf(chats.world.receiver, unpinId)).to.deep.include({
          pin: { targetId: messageId, pinned: false, duration: 0 },
        });
        if (!side.orgId) continue;
        expect((await chats.row(side, pinId))?.extras).to.deep.include({
          pin: { targetId: messageId, pinned: true, duration: DAY_S },
        });
      }
    });

    it('sends once for each Idempotency-Key', async () => {
      const { messageId } = await chats.fromBob(chats.plain, { text: 'once' });
      const headers = { 'idempotency-key': 'pin-once' };
      const first = await sent(chats.plain, '/pin-message', { messageId }, headers);
      expect(await sent(chats.plain, '/pin-message', { messageId }, headers)).to.equal(first);
      await eventOf(chats.world.receiver, first);
      const pins = await chats.world.phones.changes(BOB.number);
      expect(pins.filter(({ targetId }) => targetId === messageId)).to.have.lengthOf(1);
    });

    it("announces the other person's pins", async () => {
      for (const side of sides()) {
        const { messageId } = await chats.fromBob(side, { text: 'look' });
        expect(await chats.fromBob(side, { pin: { messageId } })).to.deep.include({
          event: 'message.received',
          type: 'text',
          body: '[pinned message]',
          pin: { targetId: messageId, pinned: true, duration: 7 * DAY_S },
        });
      }
    });
  });

  describe('/forward-message', () => {
    it('forwards messages of the history, and counts how often they were forwarded', async () => {
      const side = chats.hosted;
      const cases = [
        [{ text: 'news' }, 1],
        [{ text: 'old news', forwarded: true, forwardingScore: 3 }, 4],
      ] as const;
      for (const [wish, forwardingScore] of cases) {
        const { messageId } = await chats.fromBob(side, wish);
        const answer = await post(side, '/forward-message', { from: BOB.number, messageId, to: DAVE.number });
        expect(answer.body).to.include({ status: 'sent', targetId: messageId });
        const copy = await held(String(answer.body.messageId), DAVE.number);
        expect(copy).to.deep.include({ type: 'text', text: wish.text, forwarded: true, forwardingScore });
        const event = await eventOf(chats.world.receiver, copy.messageId);
        expect(event).to.include({ event: 'message.sent', body: wish.text, isForwarded: true });
      }
    });

    it('forwards a file without a new upload, and without quote and mentions', async () => {
      const side = chats.hosted;
      const base64 = await picture('red');
      const { messageId: quotedMessageId } = await chats.fromBob(side, { text: 'which one?' });
      const media = { kind: 'image', mimeType: 'image/png', base64, caption: 'this one' } as const;
      const original = await chats.fromBob(side, { media, quotedMessageId });
      const { messageId } = original;
      const copyId = await sent(side, '/forward-message', {
        from: BOB.number,
        messageId,
        to: DAVE.number,
        metaData: { fromAI: true },
      });
      const copy = await held(copyId, DAVE.number, (one) => Boolean(one.media?.sha256));
      expect(copy).to.deep.include({ type: 'image', text: 'this one', forwarded: true, mentions: [] });
      expect(copy.quotedMessageId).to.equal(undefined);
      expect(copy.media?.sha256).to.equal((await held(messageId)).media?.sha256);
      const event = await eventOf(chats.world.receiver, copyId);
      expect(event.media?.download).to.deep.include({
        directPath: original.media?.download.directPath,
        mediaKey: original.media?.download.mediaKey,
      });
      expect(event.meta).to.include({ fromAI: true });
    });

    it('forwards own sends without a history, and without marking them as forwarded', async () => {
      for (const side of sides()) {
        const messageId = await sent(side, '/send-message', { body: 'my own words' });
        await eventOf(chats.world.receiver, messageId);
        const copyId = await sent(side, '/forward-message', { from: BOB.number, messageId, to: DAVE.number });
        const copy = await held(copyId, DAVE.number);
        expect(copy).to.include({ text: 'my own words', forwarded: false });
        expect(copy).to.not.have.property('forwardingScore');
      }
    });

    it('sends nothing for a caller that hangs up while the session is not connected', async () => {
      const { world, plain } = chats;
      const messageId = await sent(plain, '/send-message', { body: 'nobody waits for the copy' });
      await eventOf(world.receiver, messageId);
      await world.phones.fault({ kind: 'refuse-upgrade' });
      await world.phones.fault({ kind: 'disconnect', number: plain.phone.number, count: 1 });
      await reached(world, plain.clientId, 'reconnecting');
      const caller = new AbortController();
      const body = { clientId: plain.clientId, to: DAVE.number, from: BOB.number, messageId };
      const answer = world.api.call('POST', '/forward-message', body, {}, caller.signal);
      // answered after the request before it was read
      await world.api.get('/config');
      caller.abort();
      expect(await answer.catch(() => 'gone')).to.equal('gone');
      await world.phones.clearFaults();
      await reached(world, plain.clientId, 'connected');
      await sent(plain, '/send-message', { body: 'after all', to: DAVE.number });
      const texts = (await world.phones.messages(DAVE.number)).map(({ text }) => text);
      expect(texts).to.include('after all').and.not.include('nobody waits for the copy');
    });

    it('forwards the current text of an edited message', async () => {
      const { messageId } = await chats.fromBob(chats.hosted, { text: 'at six' });
      await chats.fromBob(chats.hosted, { edit: { messageId, text: 'at seven' } });
      const copyId = await sent(chats.hosted, '/forward-message', {
        from: BOB.number,
        messageId,
        to: DAVE.number,
      });
      expect((await held(copyId, DAVE.number)).text).to.equal('at seven');
    });

    it('refuses messages that are unknown, deleted, in another chat, or cannot be forwarded', async () => {
      const forward = (side: Side, body: object) =>
        post(side, '/forward-message', { from: BOB.number, to: DAVE.number, ...body });
      await refused(forward(chats.hosted, { messageId: '3EB0NOBODY' }), 404, 'message_unknown');
      const { messageId: unstored } = await chats.fromBob(chats.plain, { text: 'not stored' });
      await refused(forward(chats.plain, { messageId: unstored }), 404, 'message_unknown');
      const deleted = await deletedByBob(chats.hosted);
      await refused(forward(chats.hosted, { messageId: deleted }), 409, 'message_deleted');
      const poll = await chats.fromBob(chats.hosted, { poll: { name: 'When?', options: ['now', 'later'] } });
      await refused(forward(chats.hosted, { messageId: poll.messageId }), 400, 'target_not_forwardable');
      const media = {
        kind: 'image',
        mimeType: 'image/png',
        base64: await picture('blue'),
        viewOnce: true,
      } as const;
      const secret = await chats.fromBob(chats.hosted, { media });
      await refused(forward(chats.hosted, { messageId: secret.messageId }), 400, 'target_not_forwardable');
      const own = await sent(chats.plain, '/send-message', { body: 'to Bob' });
      await eventOf(chats.world.receiver, own);
      const elsewhere = forward(chats.plain, { messageId: own, from: DAVE.number });
      await refused(elsewhere, 400, 'invalid_request');
      expect((await elsewhere).body.error).to.contain('set from to');
    });
  });

  describe('lists', () => {
    it('deliver the chosen row as an interactive_reply, in both forms that phones send', async () => {
      const sections = [{ rows: [{ id: 'soup', title: 'Soup', description: 'Of the day' }] }];
      for (const side of sides()) {
        for (const as of ['list', 'interactive'] as const) {
          const list = { bodyText: 'Lunch?', buttonText: 'The menu', sections };
          const messageId = await sent(side, '/send-list-message', list);
          expect(await held(messageId)).to.deep.include({ type: 'list', rendered: true });
          const reply = await chats.fromBob(side, {
            listReply: { messageId, id: 'soup', title: 'Soup', as },
          });
          expect(reply).to.deep.include({
            type: 'interactive_reply',
            body: 'Soup',
            interactive: { kind: 'list', id: 'soup', displayText: 'Soup', targetId: messageId },
          });
        }
      }
    });
  });

  describe('link previews', () => {
    const page = (head: string) => `<!doctype html><html><head>${head}</head><body>hello</body></html>`;
    const PREVIEW = page(
      '<title>not this</title><meta property="og:title" content="Today&#39;s menu">' +
        '<meta property="og:description" content="Soup &amp; salad"><meta property="og:image" content="/menu.png">',
    );

    /** The website answers with this page, and with this picture where it is asked for one. */
    async function serve(html: string, type = 'text/html'): Promise<void> {
      const png = Buffer.from(await picture('green'), 'base64');
      website.respond((response, { path }) => {
        const isPicture = path.endsWith('.png');
        response.setHeader('content-type', isPicture ? 'image/png' : type);
        response.end(isPicture ? png : html);
      });
    }

    it('show title, description and picture of the first link, and come with the event', async () => {
      await serve(PREVIEW);
      for (const side of sides()) {
        const url = `${website.url}/menu`;
        const messageId = await sent(side, '/send-message', { body: `See (${url}).`, linkPreview: true });
        const { linkPreview } = await held(messageId);
        expect(linkPreview).to.deep.include({
          matchedText: url,
          title: "Today's menu",
          description: 'Soup & salad',
        });
        expect(linkPreview?.thumbnail).to.be.greaterThan(100);
        const shown = { url, title: "Today's menu", description: 'Soup & salad' };
        expect(await eventOf(chats.world.receiver, messageId)).to.deep.include({ linkPreview: shown });
        if (side.orgId) {
          expect((await chats.row(side, messageId))?.extras).to.deep.include({ linkPreview: shown });
        }
      }
    });

    it('are not fetched unless the caller asks for them', async () => {
      await serve(PREVIEW);
      const before = website.calls.length;
      for (const wish of [{}, { linkPreview: false }]) {
        const messageId = await sent(chats.plain, '/send-message', { body: `See ${website.url}`, ...wish });
        expect(await held(messageId)).to.not.have.property('linkPreview');
      }
      expect(website.calls).to.have.lengthOf(before);
    });

    it('are fetched for every text with --link-previews, unless the caller says otherwise', async () => {
      await serve(PREVIEW);
      const world = await startWorld({ settings: { linkPreviews: true } });
      try {
        await world.phones.addPhone(BOB);
        await linkSession(world, 'acme');
        for (const [wish, title] of [
          [{}, "Today's menu"],
          [{ linkPreview: false }, undefined],
        ] as const) {
          const request = { clientId: 'acme', to: BOB.number, body: `See ${website.url}`, ...wish };
          const { messageId } = (await world.api.post('/send-message', request)).body;
          const { linkPreview } = await world.phones.waitForMessage(
            BOB.number,
            (one) => one.messageId === messageId,
          );
          expect(linkPreview?.title).to.equal(title);
        }
      } finally {
        await world.stop();
      }
    });

    const FAILURES: readonly [what: string, serve: () => Promise<void> | void][] = [
      ['a page that is missing', () => website.respond((response) => response.writeHead(404).end())],
      ['a page without a title', () => serve(page('<meta property="og:image" content="/menu.png">'))],
      ['no page', () => serve('%PDF', 'application/pdf')],
      ['a connection that breaks', () => website.respond((response) => response.destroy())],
      [
        'a page that redirects for ever',
        () => website.respond((response) => response.writeHead(302, { location: '/again' }).end()),
      ],
    ];
    for (const [what, prepare] of FAILURES) {
      it(`never fail the send: ${what}`, async () => {
        await prepare();
        const body = `See ${website.url}/x`;
        const messageId = await sent(chats.plain, '/send-message', { body, linkPreview: true });
        expect(await held(messageId))
          .to.include({ text: body })
          .and.not.have.property('linkPreview');
      });
    }
  });
});
