import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { type EventListener, openEvents } from './support/event-listener.js';
import { createTestServer, type TestServer, TOKEN } from './support/test-server.js';

const SECRET = 'secret-of-acme-0123456789';

describe('GET /events', () => {
  let api: TestServer;
  let opened: IncomingMessage[];

  beforeEach(async () => {
    opened = [];
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
    await api.services.sessions.setApiSecret('acme', SECRET);
    await api.server.start();
  });

  afterEach(async () => {
    for (const response of opened) response.destroy();
    await api.server.stop();
  });

  async function open(path = '/events', headers: Record<string, string> = {}): Promise<EventListener> {
    const authorization = `Bearer ${TOKEN}`;
    const stream = await openEvents(`${api.server.info.uri}${path}`, { authorization, ...headers });
    opened.push(stream.response);
    return stream;
  }

  function drop(clientId: string, number: number, reason = ''): void {
    const at = new Date(api.clock.now()).toISOString();
    api.tail.publish({ kind: 'dropped', at, clientId, deliveryId: `d${number}`, type: 'text', reason });
  }

  it('sends headers at once, and each entry as it comes', async () => {
    const stream = await open();
    expect(stream.response.statusCode).to.equal(200);
    expect(stream.response.headers['content-type']).to.match(/^text\/event-stream\b/);
    expect(stream.response.headers['cache-control']).to.equal('no-cache, no-transform');
    drop('acme', 1, 'queue full');
    const message = await stream.next();
    expect(message.event).to.equal('dropped');
    expect(message.id).to.match(/-1$/);
    expect(JSON.parse(message.data)).to.deep.include({
      kind: 'dropped',
      clientId: 'acme',
      deliveryId: 'd1',
      reason: 'queue full',
    });
  });

  it('is not held back by compression', async () => {
    const stream = await open('/events', { 'accept-encoding': 'gzip' });
    expect(stream.response.headers['content-encoding']).to.equal(undefined);
    drop('acme', 1);
    expect((await stream.next()).id).to.match(/-1$/);
  });

  it('shows one session when asked to', async () => {
    const stream = await open('/events?clientId=acme');
    drop('other', 1);
    drop('acme', 2);
    expect((await stream.next()).id).to.match(/-2$/);
  });

  it('shows a per-session secret its own session, also from the buffer', async () => {
    drop('other', 1);
    drop('acme', 2);
    const stream = await open('/events?lastEventId=0', { authorization: `Bearer ${SECRET}` });
    drop('other', 3);
    drop('acme', 4);
    expect((await stream.next()).id).to.match(/-2$/);
    expect((await stream.next()).id).to.match(/-4$/);
  });

  it('shows nothing of before to those who do not ask', async () => {
    drop('acme', 1);
    const stream = await open();
    drop('acme', 2);
    expect((await stream.next()).id).to.match(/-2$/);
  });

  it('tells its place at once, so that a client misses nothing of before its first entry either', async () => {
    for (const number of [1, 2]) {
      const first = await open();
      const id = (await first.comment('connected at ')).slice('connected at '.length);
      drop('acme', number);
      const again = await open(`/events?lastEventId=${id}`);
      expect(JSON.parse((await again.next()).data)).to.include({ deliveryId: `d${number}` });
    }
  });

  for (const way of ['header', 'query'] as const) {
    it(`goes on after the last entry, named by ${way}`, async () => {
      for (let number = 1; number <= 5; number++) drop('acme', number);
      const first = await open('/events?lastEventId=unknown');
      await first.next();
      const { id = '' } = await first.next();
      const again = await (way === 'header'
        ? open('/events', { 'last-event-id': id })
        : open(`/events?lastEventId=${id}`));
      drop('acme', 6);
      const ids: unknown[] = [];
      for (let count = 0; count < 4; count++) ids.push(JSON.parse((await again.next()).data).deliveryId);
      expect(ids).to.deep.equal(['d3', 'd4', 'd5', 'd6']);
    });
  }

  it('gives a full buffer to a client that comes back, in order', async () => {
    const reason = 'x'.repeat(2_000);
    for (let number = 1; number <= 2_000; number++) drop('acme', number, reason);
    const stream = await open('/events?lastEventId=unknown');
    for (let number = 1; number <= 2_000; number++) {
      expect(JSON.parse((await stream.next()).data).deliveryId).to.equal(`d${number}`);
    }
  });

  const signalled = (clientId: string, room: string, more: object = {}) => {
    const at = new Date(api.clock.now()).toISOString();
    const signal = { kind: 'room', at, clientId, chatRoomId: `${clientId}-1-${room}`, ...more } as const;
    api.tail.signal(signal);
    return signal;
  };
  const dataOf = async (stream: EventListener) => JSON.parse((await stream.next()).data);

  it('tells of rooms when asked to, first that any may have changed', async () => {
    const stream = await open('/events?rooms=true');
    const at = new Date(api.clock.now()).toISOString();
    expect(await dataOf(stream)).to.deep.equal({ kind: 'room', at, clientId: '', chatRoomId: '' });
    const signal = signalled('acme', '2', { messageId: 'M1' });
    const { event, id, data } = await stream.next();
    expect([event, id, JSON.parse(data)]).to.deep.equal(['room', undefined, signal]);
  });

  it('tells nobody else of rooms', async () => {
    const stream = await open();
    signalled('acme', '2');
    drop('acme', 1);
    expect((await stream.next()).event).to.equal('dropped');
  });

  it('tells a per-session secret of its own rooms', async () => {
    const stream = await open('/events?rooms=true', { authorization: `Bearer ${SECRET}` });
    expect(await dataOf(stream)).to.include({ clientId: 'acme', chatRoomId: '' });
    signalled('other', '2');
    signalled('acme', '3');
    expect(await dataOf(stream)).to.include({ chatRoomId: 'acme-1-3' });
  });

  it('keeps entries for those who come back, however many rooms change meanwhile', async () => {
    drop('acme', 1);
    const { id = '' } = await (await open('/events?lastEventId=unknown')).next();
    drop('acme', 2);
    for (let number = 1; number <= 10_000; number++) signalled('acme', String(number));
    const again = await open(`/events?rooms=true&lastEventId=${id}`);
    expect(await dataOf(again)).to.include({ deliveryId: 'd2' });
    expect(await dataOf(again)).to.include({ kind: 'room', chatRoomId: '' });
    drop('acme', 3);
    expect(await dataOf(again)).to.include({ deliveryId: 'd3' });
  });

  it('refuses what is no yes or no about rooms', async () => {
    const answer = await api.server.inject({
      url: '/events?rooms=perhaps',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(answer.statusCode).to.equal(400);
  });

  it('keeps a silent connection alive', async () => {
    const stream = await open();
    api.clock.advance(15_000);
    expect(await stream.comment('keep-alive')).to.equal('keep-alive');
    api.clock.advance(15_000);
    expect(await stream.comment('keep-alive')).to.equal('keep-alive');
  });

  it('cuts a client that does not read, and keeps nothing for it', async () => {
    const socket = connect(Number(api.server.info.port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    await once(socket, 'readable');
    const closed = api.server.events.once('response');
    // never reads on: what the system buffers for it is finite
    const reason = 'x'.repeat(60_000);
    let cut = false;
    closed.then(() => {
      cut = true;
    });
    for (let number = 1; number <= 2_000 && !cut; number++) {
      drop('acme', number, reason);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
    socket.destroy();
    expect(api.clock.pending()).to.deep.equal([]);
  });

  it('has nothing to do between two comments where there is one node only', async () => {
    await open();
    expect(api.clock.pending()).to.deep.equal([15_000]);
  });

  it('begins with what was told within some time when asked to', async () => {
    drop('acme', 1);
    api.clock.advance(2_000);
    drop('acme', 2);
    api.clock.advance(1_000);
    const stream = await open('/events?withinMs=1500');
    expect((await stream.next()).id).to.match(/-2$/);
  });

  it('forgets a client that goes away', async () => {
    const { response } = await open();
    const gone = api.server.events.once('response');
    response.destroy();
    await gone;
    expect(api.clock.pending()).to.deep.equal([]);
  });

  it('ends with the last entry when the server stops, and delays it by nothing', async () => {
    const streams = [await open(), await open(), await open()];
    drop('acme', 1);
    const stopped = api.server.stop({ timeout: 60_000 });
    for (const stream of streams) {
      expect((await stream.next()).id).to.match(/-1$/);
      await stream.ended;
    }
    await stopped;
  });
});
