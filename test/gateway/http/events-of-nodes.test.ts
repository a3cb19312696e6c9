import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { type EventNode, EventNodes, entryOf, idsOf, SECRET } from './support/event-nodes.js';
import { TOKEN } from './support/test-server.js';

const LOOK_MS = 1_000;
const AGAIN_MS = 500;
const KEEP_ALIVE_MS = 15_000;
const OPENING_MS = 1_500;
const REQUEST = `GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;

describe('GET /events with several nodes', () => {
  let nodes: EventNodes;
  let a: EventNode;
  let b: EventNode;

  before(async () => {
    nodes = new EventNodes();
    a = await nodes.start('a');
    b = await nodes.start('b');
  });
  afterEach(() => nodes.closeStreams());
  after(() => nodes.stopAll());

  /** Where a client that comes now begins. */
  const placeNow = async () => {
    const { comment, response } = await a.open();
    const place = (await comment('connected at ')).slice('connected at '.length);
    response.destroy();
    return place;
  };

  it('streams the entries of all nodes, in the order of each node', async () => {
    const stream = await a.open();
    for (const number of [1, 2, 3]) {
      a.tell(`a${number}`);
      b.tell(`b${number}`);
    }
    const ids = await idsOf(stream, 6);
    expect(ids.filter((id) => id.startsWith('a'))).to.deep.equal(['a1', 'a2', 'a3']);
    expect(ids.filter((id) => id.startsWith('b'))).to.deep.equal(['b1', 'b2', 'b3']);
  });

  it('streams no earlier entries of any node unless requested', async () => {
    a.tell('before');
    b.tell('before');
    a.clock.advance(1);
    b.clock.advance(1);
    const stream = await a.open();
    b.tell('b1');
    expect(await idsOf(stream, 1)).to.deep.equal(['b1']);
  });

  it('lets a client continue at another node, without gaps or duplicates', async () => {
    const stream = await a.open();
    a.tell('a1');
    b.tell('b1');
    await entryOf(stream);
    const { place } = await entryOf(stream);
    stream.response.destroy();
    b.tell('b2');
    a.tell('a2');
    const again = await b.open('', { 'last-event-id': place });
    expect((await idsOf(again, 2)).sort()).to.deep.equal(['a2', 'b2']);
    a.tell('a3');
    expect(await idsOf(again, 1)).to.deep.equal(['a3']);
  });

  it('sends the cursor of all nodes before the first entry', async () => {
    const place = await placeNow();
    b.tell('b1');
    const again = await b.open(`?lastEventId=${place}`);
    expect(await idsOf(again, 1)).to.deep.equal(['b1']);
  });

  it('accepts a cursor from a time with one node', async () => {
    const [ofOne] = (await placeNow()).split('.');
    b.tell('b1');
    a.tell('a1');
    const again = await b.open(`?lastEventId=${ofOne}`);
    const ids: string[] = [];
    while (!ids.includes('a1') || !ids.includes('b1')) ids.push(...(await idsOf(again, 1)));
  });

  it('includes a node that starts later, with its entries since then', async () => {
    const stream = await a.open();
    const c = await nodes.start('c');
    c.tell('c1');
    await a.clock.scheduled(LOOK_MS);
    a.clock.advance(LOOK_MS);
    await c.hasStreams(1);
    c.tell('c2');
    expect(await idsOf(stream, 2)).to.deep.equal(['c1', 'c2']);
    await nodes.stop(c);
  });

  it('continues after the last entry when the stream of a node was cut', async () => {
    const stream = await a.open();
    b.tell('b1');
    await idsOf(stream, 1);
    b.server.listener.closeAllConnections();
    await b.hasStreams(0);
    b.tell('b2');
    await a.clock.scheduled(AGAIN_MS);
    a.clock.advance(AGAIN_MS);
    await b.hasStreams(1);
    b.tell('b3');
    expect(await idsOf(stream, 2)).to.deep.equal(['b2', 'b3']);
  });

  it('continues with a node that was restarted', async () => {
    const c = await nodes.start('c');
    const stream = await a.open();
    c.tell('c1');
    await idsOf(stream, 1);
    await nodes.stop(c);
    const anew = await nodes.start('c-anew');
    anew.tell('c2');
    await a.clock.scheduled(LOOK_MS);
    a.clock.advance(LOOK_MS);
    const { place, deliveryId } = await entryOf(stream);
    expect(deliveryId).to.equal('c2');
    a.tell('a1');
    stream.response.destroy();
    expect(await idsOf(await anew.open(`?lastEventId=${place}`), 1)).to.deep.equal(['a1']);
    await nodes.closeStreams();
    await nodes.stop(anew);
  });

  it('notices a node that hangs, and continues with it when it answers again', async () => {
    const stream = await a.open();
    b.tell('b1');
    await idsOf(stream, 1);
    // no comment comes, as the clock of b stands still
    a.clock.advance(40_000);
    await b.hasStreams(0);
    b.tell('b2');
    await a.clock.scheduled(AGAIN_MS);
    a.clock.advance(AGAIN_MS);
    expect(await idsOf(stream, 1)).to.deep.equal(['b2']);
  });

  it("streams to a session's secret its own session, from all nodes", async () => {
    const place = await placeNow();
    for (const node of [a, b]) node.tell('other', { clientId: 'other' });
    const stream = await a.open(`?lastEventId=${place}`, { authorization: `Bearer ${SECRET}` });
    for (const node of [a, b]) node.tell('other', { clientId: 'other' });
    b.tell('b1');
    a.tell('a1');
    expect((await idsOf(stream, 2)).sort()).to.deep.equal(['a1', 'b1']);
  });

  it('retries a node that refuses, and reports the refusal once', async () => {
    let refuses = true;
    b.server.ext('onRequest', (_request, h) => (refuses ? h.response().code(401).takeover() : h.continue));
    const secret = { authorization: `Bearer ${SECRET}` };
    const [stream] = [await a.open('', secret), await a.open('', secret)];
    const refused = a.lines.filter(({ reason }) => reason === 'it answered 401');
    expect(refused).to.have.length(1);
    expect(refused[0]).to.include({ node: 'b', msg: 'the events of another node cannot be read' });
    refuses = false;
    a.clock.advance(AGAIN_MS);
    await b.hasStreams(2);
    b.tell('b1');
    expect(await idsOf(stream, 1)).to.deep.equal(['b1']);
  });

  it('signals the rooms of all nodes, after a first signal that any may have changed', async () => {
    const stream = await a.open('?rooms=true');
    const dataOf = async () => JSON.parse((await stream.next()).data);
    expect(await dataOf()).to.include({ kind: 'room', chatRoomId: '' });
    const signal = b.changeRoom('2');
    expect(await dataOf()).to.deep.equal(signal);
    b.server.listener.closeAllConnections();
    await b.hasStreams(0);
    b.changeRoom('3');
    await a.clock.scheduled(AGAIN_MS);
    a.clock.advance(AGAIN_MS);
    expect(await dataOf()).to.include({ kind: 'room', chatRoomId: '' });
  });

  it('releases its resources when the client disconnects', async () => {
    const streams = [await a.open(), await a.open('?rooms=true')];
    await b.hasStreams(2);
    for (const { response } of streams) response.destroy();
    await Promise.all([a.hasStreams(0), b.hasStreams(0)]);
    expect([a.clock.pending(), b.clock.pending()]).to.deep.equal([[], []]);
  });

  it('releases its resources when the node stops', async () => {
    const c = await nodes.start('c');
    const stream = await c.open();
    await b.hasStreams(1);
    c.tell('c1');
    const stopped = nodes.stop(c);
    expect(await idsOf(stream, 1)).to.deep.equal(['c1']);
    await stream.ended;
    await stopped;
    await b.hasStreams(0);
    expect([c.clock.pending(), b.clock.pending()]).to.deep.equal([[], []]);
  });

  it('reads from other nodes at the pace of the client, and disconnects a client that reads nothing', async () => {
    const socket = connect(Number(a.server.info.port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(REQUEST);
    await once(socket, 'readable');
    await b.hasStreams(1);
    const reason = 'x'.repeat(60_000);
    for (let number = 1; number <= 2_000 && b.openStreams() > 0; number++) {
      b.tell(`b${number}`, { reason });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await b.hasStreams(0);
    for (let count = 0; count < 2; count++) a.clock.advance(KEEP_ALIVE_MS);
    await a.hasStreams(0);
    socket.destroy();
    expect(a.clock.pending()).to.deep.equal([]);
  });

  describe('GET /events when one node does not answer', () => {
    let hung: Server;
    let asked: Promise<Socket>;

    beforeEach(async () => {
      hung = createServer().listen(0, '127.0.0.1');
      await once(hung, 'listening');
      asked = once(hung, 'connection').then(([connection]) => connection.resume());
      const address = hung.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      nodes.listed.push({ nodeId: 'hung', name: 'hung', url: `http://127.0.0.1:${port}` });
    });
    afterEach(() => {
      nodes.unlist({ nodeId: 'hung' });
      hung.close();
    });

    /** Advances the clock past the wait of a stream for the nodes. */
    const waitForNodes = async () => {
      await Promise.all([b.hasStreams(1), a.clock.scheduled(OPENING_MS)]);
      a.clock.advance(OPENING_MS);
    };

    it('limits the wait for that node', async () => {
      const opening = a.open();
      const connection = await asked;
      await waitForNodes();
      const stream = await opening;
      b.tell('b1');
      expect(await idsOf(stream, 1)).to.deep.equal(['b1']);
      stream.response.destroy();
      await once(connection, 'close');
    });

    it('releases a client that disconnects meanwhile', async () => {
      const socket = connect(Number(a.server.info.port), '127.0.0.1');
      socket.write(REQUEST);
      const connection = await asked;
      const gone = once(connection, 'close');
      socket.destroy();
      await waitForNodes();
      await Promise.all([gone, a.hasStreams(0), b.hasStreams(0)]);
      expect(a.clock.pending()).to.deep.equal([]);
    });
  });
});
