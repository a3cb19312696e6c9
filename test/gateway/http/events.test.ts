import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { STREAM_ID_LENGTH } from '../../../src/contract/event-stream.js';
import type { RoomSignal } from '../../../src/contract/events/stream-entry.js';
import { PendingRoomSignals } from '../../../src/gateway/http/events/event-stream.js';
import { StreamCursor } from '../../../src/gateway/http/events/stream-cursor.js';
import { type EventListener, openEvents } from './support/event-nodes.js';
import { closeServers, createTestServer, type TestServer, TOKEN } from './support/test-server.js';

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
    await closeServers();
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

  it('sends headers at once, and each entry as it happens', async () => {
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

  it('is not delayed by compression', async () => {
    const stream = await open('/events', { 'accept-encoding': 'gzip' });
    expect(stream.response.headers['content-encoding']).to.equal(undefined);
    drop('acme', 1);
    expect((await stream.next()).id).to.match(/-1$/);
  });

  it('streams one session on request', async () => {
    const stream = await open('/events?clientId=acme');
    drop('other', 1);
    drop('acme', 2);
    expect((await stream.next()).id).to.match(/-2$/);
  });

  it("streams to a session's secret its own session, also from the buffer", async () => {
    drop('other', 1);
    drop('acme', 2);
    const stream = await open('/events?lastEventId=0', { authorization: `Bearer ${SECRET}` });
    drop('other', 3);
    drop('acme', 4);
    expect((await stream.next()).id).to.match(/-2$/);
    expect((await stream.next()).id).to.match(/-4$/);
  });

  it('streams no earlier entries unless requested', async () => {
    drop('acme', 1);
    const stream = await open();
    drop('acme', 2);
    expect((await stream.next()).id).to.match(/-2$/);
  });

  it('sends its cursor at once, so that a client misses nothing before its first entry', async () => {
    for (const number of [1, 2]) {
      const first = await open();
      const id = (await first.comment('connected at ')).slice('connected at '.length);
      drop('acme', number);
      const again = await open(`/events?lastEventId=${id}`);
      expect(JSON.parse((await again.next()).data)).to.include({ deliveryId: `d${number}` });
    }
  });

  for (const way of ['header', 'query'] as const) {
    it(`continues after the last entry, named by ${way}`, async () => {
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

  it('replays a full buffer to a client that reconnects, in order', async () => {
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

  it('signals rooms on request, after a first signal that any may have changed', async () => {
    const stream = await open('/events?rooms=true');
    const at = new Date(api.clock.now()).toISOString();
    expect(await dataOf(stream)).to.deep.equal({ kind: 'room', at, clientId: '', chatRoomId: '' });
    const signal = signalled('acme', '2', { messageId: 'M1' });
    const { event, id, data } = await stream.next();
    expect([event, id, JSON.parse(data)]).to.deep.equal(['room', undefined, signal]);
  });

  it('signals rooms to no other client', async () => {
    const stream = await open();
    signalled('acme', '2');
    drop('acme', 1);
    expect((await stream.next()).event).to.equal('dropped');
  });

  it("signals to a session's secret its own rooms", async () => {
    const stream = await open('/events?rooms=true', { authorization: `Bearer ${SECRET}` });
    expect(await dataOf(stream)).to.include({ clientId: 'acme', chatRoomId: '' });
    signalled('other', '2');
    signalled('acme', '3');
    expect(await dataOf(stream)).to.include({ chatRoomId: 'acme-1-3' });
  });

  it('keeps entries for clients that reconnect, however many rooms change meanwhile', async () => {
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

  it('refuses an invalid value of the rooms parameter', async () => {
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

  it('disconnects a client that does not read, and keeps nothing for it', async () => {
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

  it('schedules no work between two comments with one node only', async () => {
    await open();
    expect(api.clock.pending()).to.deep.equal([15_000]);
  });

  it('starts with the entries of the requested period', async () => {
    drop('acme', 1);
    api.clock.advance(2_000);
    drop('acme', 2);
    api.clock.advance(1_000);
    const stream = await open('/events?withinMs=1500');
    expect((await stream.next()).id).to.match(/-2$/);
  });

  it('releases a client that disconnects', async () => {
    const { response } = await open();
    const gone = api.server.events.once('response');
    response.destroy();
    await gone;
    expect(api.clock.pending()).to.deep.equal([]);
  });

  it('ends after the last entry when the server stops, without delay', async () => {
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

describe('StreamCursor', () => {
  it('equals the id of the node when there is one node', () => {
    const places = new StreamCursor();
    places.join('abc-7');
    places.advance('abc-8');
    expect(String(places)).to.equal('abc-8');
  });

  it('continues from the id that the client sends, as far as it is valid', () => {
    const places = new StreamCursor('abc-7.nonsense.xyz-1');
    places.join('abc-9');
    places.join('new-0');
    places.advance('xyz-2');
    expect(String(places)).to.equal('abc-7.xyz-2.new-0');
  });

  it('keeps the last few nodes that are gone', () => {
    const places = new StreamCursor();
    places.join('here-1');
    for (let node = 1; node <= 50; node++) {
      places.join(`gone${node}-5`);
      places.leave(`gone${node}-5`);
    }
    const kept = String(places).split('.');
    expect(kept).to.have.length(9);
    expect(kept[0]).to.equal('here-1');
    expect(kept.at(-1)).to.equal('gone50-5');
  });

  it('stays the same size when a client reconnects repeatedly and nodes disappear', () => {
    let id = '';
    for (let node = 1; node <= 50; node++) {
      const places = new StreamCursor(id);
      places.join(`node${node}-0`);
      places.forgetGone();
      id = String(places);
    }
    expect(id.split('.')).to.have.length(9).and.include('node50-0');
  });

  it('fits into an id however many nodes there are', () => {
    const places = new StreamCursor();
    for (let node = 1; node <= 500; node++) places.join(`${String(node).padStart(16, 'z')}-${10 ** 14}`);
    expect(String(places).length).to.be.within(1, STREAM_ID_LENGTH);
  });
});

const AT = '2026-01-02T03:04:05.000Z';

describe('PendingRoomSignals', () => {
  let untold: PendingRoomSignals;
  beforeEach(() => {
    untold = new PendingRoomSignals('acme');
  });

  const signal = (room: number, more: Partial<RoomSignal> = {}): RoomSignal => ({
    kind: 'room',
    at: AT,
    clientId: 'acme',
    chatRoomId: `acme-1-${room}`,
    ...more,
  });
  const all = () => {
    const signals: RoomSignal[] = [];
    for (let next = untold.take(); next; next = untold.take()) signals.push(next);
    return signals;
  };

  it('reports rooms in the order of their changes, each once', () => {
    for (const room of [1, 2, 1]) untold.add(signal(room));
    expect(all()).to.deep.equal([signal(1), signal(2)]);
    expect(all()).to.deep.equal([]);
  });

  it('names the message when only one changed', () => {
    for (const messageId of ['M1', 'M1']) untold.add(signal(1, { messageId }));
    for (const messageId of ['M1', 'M2']) untold.add(signal(2, { messageId }));
    untold.add(signal(3, { messageId: 'M1' }));
    untold.add(signal(3));
    expect(all()).to.deep.equal([signal(1, { messageId: 'M1' }), signal(2), signal(3)]);
  });

  it('keeps the former id of a room, whatever came after it', () => {
    untold.add(signal(1, { formerId: 'acme-1-0' }));
    untold.add(signal(1, { messageId: 'M1' }));
    expect(all()).to.deep.equal([signal(1, { formerId: 'acme-1-0' })]);
  });

  it('reports all rooms of the session when too many changed', () => {
    for (let room = 0; room < 1_000; room++) untold.add(signal(room));
    expect(all()).to.deep.equal([{ kind: 'room', at: AT, clientId: 'acme', chatRoomId: '' }]);
    untold.add(signal(1));
    expect(all()).to.deep.equal([signal(1)]);
  });
});
