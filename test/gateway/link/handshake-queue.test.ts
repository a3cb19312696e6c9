import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { HandshakeQueue } from '../../../src/gateway/link/baileys/handshake-queue.js';

describe('the handshakes of many connections', () => {
  /** What libraries have seen, and in which turn of the event loop. */
  let seen: { frame: string; turn: number }[];
  let turn: number;
  beforeEach(() => {
    seen = [];
    turn = 0;
  });

  /** A connection whose library sees each frame that is not held back. */
  function connect(ended = new AbortController()): EventEmitter {
    const socket = new EventEmitter();
    const handshake = new HandshakeQueue(socket, ended.signal);
    socket.on('message', (frame) => {
      if (!handshake.holds(frame)) seen.push({ frame, turn });
    });
    return socket;
  }

  async function passTurns(count: number): Promise<void> {
    for (let passed = 0; passed < count; passed++) {
      await setImmediate();
      turn += 1;
    }
  }

  it('continue one at a time, in each iteration of the event loop', async () => {
    for (const name of ['a', 'b', 'c']) connect().emit('message', name);
    expect(seen).to.deep.equal([]);
    await passTurns(5);
    expect(seen.map(({ frame }) => frame)).to.deep.equal(['a', 'b', 'c']);
    expect(new Set(seen.map((one) => one.turn))).to.have.property('size', 3);
  });

  it('keep the frames of a connection in their order, and delay none after the handshake', async () => {
    const socket = connect();
    socket.emit('message', 'hello');
    socket.emit('message', 'at once');
    await passTurns(2);
    socket.emit('message', 'later');
    expect(seen.map(({ frame }) => frame)).to.deep.equal(['hello', 'at once', 'later']);
  });

  it('end with their connection', async () => {
    const ended = new AbortController();
    connect(ended).emit('message', 'hello');
    ended.abort();
    await passTurns(2);
    expect(seen).to.deep.equal([]);
  });
});
