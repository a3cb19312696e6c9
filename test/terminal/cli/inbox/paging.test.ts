import { expect } from 'chai';
import { Deferred } from '../../../../src/domain/deferred.js';
import { DaemonClient } from '../../../../src/terminal/cli/client.js';
import { CoalescedLoad } from '../../../../src/terminal/cli/inbox/coalesced.js';
import { createInboxModel } from '../../../../src/terminal/cli/inbox/inbox.js';
import type { InboxModel } from '../../../../src/terminal/cli/inbox/model.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { type DaemonReply, FakeDaemon } from '../support/fake-daemon.js';
import { FakeHistory } from './support/fake-history.js';
import { bodies, shown, until } from './support/watched.js';

describe('the inbox model, with long conversations', () => {
  let daemon: FakeDaemon;
  let history: FakeHistory;
  let model: InboxModel;
  let chatRoomId: string;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    history = new FakeHistory(daemon);
  });
  afterEach(async () => {
    model.close();
    await daemon.stop();
  });

  const open = async (count: number) => {
    chatRoomId = history.addRoom('200', count);
    model = createInboxModel(new DaemonClient({ url: daemon.url, token: 't' }));
    await until(model, ({ rooms, connection }) => rooms.length > 0 && connection.state === 'open');
    model.openRoom(chatRoomId);
    await until(model, ({ conversation }) => conversation?.loading === false);
  };
  const reads = () => daemon.callsOf(`/chatrooms/${chatRoomId}/messages`);
  const write = () => {
    const row = history.add(chatRoomId);
    daemon.signal({ clientId: 'acme', chatRoomId, messageId: row.messageId });
    return row;
  };
  const conversation = () => {
    if (!model.state.conversation) throw new Error('no conversation is open');
    return model.state.conversation;
  };

  it('pages back to the beginning', async () => {
    await open(350);
    expect(bodies(model.state)[0]).to.equal('message 251');
    expect(conversation().hasOlder).to.equal(true);
    const both = [model.loadOlder(), model.loadOlder()];
    expect(conversation().loading).to.equal(true);
    expect(await Promise.all(both)).to.deep.equal([true, true]);
    expect(bodies(model.state)[0]).to.equal('message 51');
    expect(await model.loadOlder()).to.equal(true);
    expect(conversation()).to.include({ hasOlder: false, loading: false });
    expect(bodies(model.state)).to.deep.equal(history.messages(chatRoomId).map(({ body }) => body));
    expect(await model.loadOlder()).to.equal(false);
  });

  describe('past the oldest stored message', () => {
    const ask = (reply: DaemonReply | Promise<DaemonReply>) =>
      daemon.on('POST /request-history', async () => reply);
    const unsent = async (text: string) => {
      await until(model, ({ notice }) => notice !== undefined);
      expect(model.state.notice?.text).to.contain(text);
    };

    it('asks the phone, shows that it asks, and loads what comes', async () => {
      await open(120);
      expect(await model.requestOlder()).to.equal(false);
      expect(daemon.callsOf('/request-history')).to.deep.equal([]);
      await model.loadOlder();
      const answer = new Deferred<DaemonReply>();
      ask(answer.promise);
      const asked = model.requestOlder();
      expect(conversation().onPhone).to.equal('asking');
      expect(await model.requestOlder()).to.equal(false);
      history.messages(chatRoomId).unshift({ ...history.add(chatRoomId), messageId: 'm0', body: 'oldest' });
      history.messages(chatRoomId).pop();
      answer.resolve({ body: { ok: true, messages: 1, more: true } });
      expect(await asked).to.equal(true);
      expect(bodies(model.state).slice(0, 2)).to.deep.equal(['oldest', 'message 1']);
      expect(bodies(model.state)).to.have.length(121);
      expect(conversation()).to.include({ onPhone: 'unknown', hasOlder: false, loading: false });
      expect(model.state.notice?.text).to.equal('the phone sent 1 older message');
      expect(daemon.callsOf('/request-history').map(({ body }) => body)).to.deep.equal([
        { clientId: 'acme', chatRoomId },
      ]);
    });

    it('says when the phone has none, and does not ask again', async () => {
      await open(3);
      ask({ body: { ok: true, messages: 0, more: false } });
      expect(await model.requestOlder()).to.equal(false);
      expect(conversation().onPhone).to.equal('none');
      await unsent('the phone sent no older messages');
      expect(await model.requestOlder()).to.equal(false);
      expect(daemon.callsOf('/request-history')).to.have.length(1);
    });

    it('says when the phone does not answer, and can ask again', async () => {
      await open(3);
      const refused = (status: number, code: string, error: string) => ({
        ...{ status, headers: { 'x-sn-error': code }, body: { error } },
      });
      ask(refused(502, 'history_phone_silent', 'The linked phone did not answer.'));
      expect(await model.requestOlder()).to.equal(false);
      expect(conversation().onPhone).to.equal('silent');
      await unsent('The linked phone did not answer.');
      expect(model.state.notice?.suggestions).to.deep.equal([
        'switch the phone on, open WhatsApp on it, and try again',
      ]);
      ask(refused(429, 'history_requested', 'acme has just asked'));
      expect(await model.requestOlder()).to.equal(false);
      expect(conversation().onPhone).to.equal('unknown');
    });
  });

  describe('in the pause after a request to the phone', () => {
    const paused = (seconds: number) => ({
      status: 429,
      headers: { 'x-sn-error': 'history_requested', 'retry-after': String(seconds) },
      body: { error: 'acme has just asked' },
    });

    it('waits until the pause is over, without an error', async () => {
      await open(3);
      const replies = [paused(1), { body: { ok: true, messages: 0, more: true } }];
      daemon.on('POST /request-history', async () => replies.shift() ?? paused(1));
      expect(await model.requestOlder()).to.equal(false);
      expect(daemon.callsOf('/request-history')).to.have.length(2);
      expect(conversation().onPhone).to.equal('unknown');
      expect(model.state.notice).to.deep.include({
        ...{ level: 'done', text: 'the phone sent no older messages, but holds some: ask again' },
      });
    });

    it('waits for no long pause', async () => {
      await open(3);
      daemon.on('POST /request-history', async () => paused(60));
      expect(await model.requestOlder()).to.equal(false);
      expect(daemon.callsOf('/request-history')).to.have.length(1);
      expect(model.state.notice).to.deep.include({ level: 'error', suggestions: ['try again in 60 s'] });
    });
  });

  it('cancels the request of an abandoned search', async () => {
    await open(2);
    const already = reads().length;
    daemon.on(`GET /chatrooms/${chatRoomId}/messages`, () => new Promise(() => undefined));
    const stop = new AbortController();
    const hits = model.searchRooms('message', stop.signal);
    await daemon.called(`/chatrooms/${chatRoomId}/messages`, already + 1);
    stop.abort();
    expect(await hits).to.deep.equal([]);
  });

  it('loads one page for a new message, however many pages were loaded before', async () => {
    await open(350);
    await model.loadOlder();
    const before = reads().length;
    await shown(model, write().messageId);
    expect(reads()).to.have.lengthOf(before + 1);
    expect(conversation().messages).to.have.lengthOf(301);
    expect(bodies(model.state)[0]).to.equal('message 51');
  });

  it('shows changes of an old message', async () => {
    await open(350);
    await model.loadOlder();
    const old = history.messages(chatRoomId)[60];
    expect(old?.messageId).to.equal('m61');
    Object.assign(old ?? {}, { body: 'edited', extras: { edited: true } });
    daemon.signal({ clientId: 'acme', chatRoomId, messageId: 'm61' });
    await shown(model, 'm61', ({ body, edited }) => body === 'edited' && edited);
    expect(new Set(bodies(model.state)).size).to.equal(conversation().messages.length);
  });

  it('fills a gap of any length', async () => {
    await open(350);
    for (let count = 0; count < 450; count += 1) history.add(chatRoomId);
    daemon.cutStreams();
    const { connection } = await until(model, (state) => state.connection.state === 'reconnecting');
    expect(connection).to.deep.include({ delayMs: 500 });
    await shown(model, 'm800');
    const all = history.messages(chatRoomId).map(({ body }) => body);
    expect(bodies(model.state)).to.deep.equal(all.slice(-bodies(model.state).length));
    expect(bodies(model.state)).to.include('message 251');
  });

  it('shows imported messages between shown ones', async () => {
    await open(20);
    expect(conversation().hasOlder).to.equal(false);
    const sentAt = new Date(Date.UTC(2025, 0, 1)).toISOString();
    const rows = history.messages(chatRoomId);
    rows.unshift({ ...history.add(chatRoomId), messageId: 'past', body: 'long ago', sentAt });
    rows.pop();
    daemon.signal({ clientId: 'acme', chatRoomId, messageId: 'past' });
    await shown(model, 'past');
    expect(bodies(model.state)[0]).to.equal('long ago');
  });

  it('keeps the newest 2,000 messages of a conversation that is left open', async () => {
    await open(100);
    for (let round = 0; round < 5; round += 1) {
      for (let count = 0; count < 450; count += 1) history.add(chatRoomId);
      await shown(model, write().messageId);
    }
    expect(conversation().messages).to.have.lengthOf(2_000);
    expect(conversation().hasOlder).to.equal(true);
    expect(bodies(model.state).at(-1)).to.equal('message 2355');
  });

  it('finds messages from the newest to the oldest, and pages back for them', async () => {
    await open(350);
    for (const [index, body] of [
      [10, 'the Ärger is old'],
      [340, 'an ARGER of today'],
    ] as const) {
      Object.assign(history.messages(chatRoomId)[index] ?? {}, { body });
    }
    daemon.signal({ clientId: 'acme', chatRoomId });
    await shown(model, 'm341', ({ body }) => body.startsWith('an'));
    const newest = await model.findMessage('ärger');
    expect(newest?.messageId).to.equal('m341');
    const older = await model.findMessage('arger', { before: newest?.messageId });
    expect(older?.messageId).to.equal('m11');
    expect(conversation().messages.some(({ messageId }) => messageId === 'm11')).to.equal(true);
    expect(await model.findMessage('arger', { before: older?.messageId })).to.equal(undefined);
  });

  it('searches a conversation that was just opened, once its first page has arrived', async () => {
    await open(0);
    model.closeRoom();
    for (let count = 0; count < 10; count += 1) history.add(chatRoomId);
    model.openRoom(chatRoomId);
    expect((await model.findMessage('message'))?.messageId).to.equal('m10');
  });

  it('reports a failed load of a conversation, and retries', async () => {
    await open(10);
    const page = { status: 503, body: { error: 'the store cannot be reached' } };
    daemon.on(`GET /chatrooms/${chatRoomId}/messages`, () => page);
    write();
    await until(model, ({ notice }) => notice?.text === 'the store cannot be reached');
    daemon.on(`GET /chatrooms/${chatRoomId}/messages`, {
      messages: history.messages(chatRoomId),
    });
    await shown(model, 'm11');
  });
});

/** A load that a test ends. */
interface Load {
  end(): void;
  fail(): void;
}

describe('CoalescedLoad', () => {
  let clock: ManualClock;
  let end: AbortController;
  let loads: Load[];
  let begun: () => void;
  let worthTrying: boolean;
  let loading: CoalescedLoad;

  beforeEach(() => {
    clock = new ManualClock();
    end = new AbortController();
    loads = [];
    begun = () => undefined;
    worthTrying = true;
    loading = new CoalescedLoad({
      load: () =>
        new Promise<void>((resolve, reject) => {
          loads.push({ end: resolve, fail: () => reject(new Error('it failed')) });
          begun();
        }),
      failed: () => worthTrying,
      clock,
      signal: end.signal,
    });
  });
  afterEach(() => end.abort());

  /** Resolves when that many have begun. */
  const load = async (count: number): Promise<Load> => {
    while (loads.length < count) {
      await new Promise<void>((resolve) => {
        begun = resolve;
      });
    }
    const last = loads[count - 1];
    if (!last) throw new Error('it has begun');
    return last;
  };

  it('runs one load at a time, and once more for all requests meanwhile', async () => {
    const first = loading.request();
    const others = Promise.all(Array.from({ length: 1_000 }, () => loading.request()));
    expect(loads).to.have.lengthOf(1);
    clock.advance(200);
    (await load(1)).end();
    await first;
    // three times as long as it took
    await clock.scheduled(600);
    expect(loads).to.have.lengthOf(1);
    clock.advance(600);
    (await load(2)).end();
    await others;
    expect(loads).to.have.lengthOf(2);
  });

  it('skips the pause on request', async () => {
    const first = loading.request();
    (await load(1)).end();
    await first;
    await clock.scheduled(100);
    loading.hurry();
    const second = loading.request();
    (await load(2)).end();
    await second;
  });

  it('retries with backoff until the load succeeds', async () => {
    void loading.request();
    for (const [count, pause] of [
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
    ] as const) {
      (await load(count)).fail();
      await clock.scheduled(pause);
      clock.advance(pause);
    }
    (await load(4)).end();
    await clock.scheduled(100);
    clock.advance(60_000);
    expect(loads).to.have.lengthOf(4);
  });

  it('does not retry a permanent failure', async () => {
    worthTrying = false;
    const asked = loading.request();
    (await load(1)).fail();
    await asked;
    await clock.scheduled(100);
    clock.advance(60_000);
    expect(loads).to.have.lengthOf(1);
  });

  it('resolves all requests when the signal aborts', async () => {
    const asked = [loading.request(), loading.request()];
    (await load(1)).end();
    end.abort();
    await Promise.all(asked);
    await loading.request();
    expect(loads).to.have.lengthOf(1);
  });
});
