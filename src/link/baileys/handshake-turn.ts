import type { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop in which no other handshake goes on. */
function nextTurn(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}

/**
 * Holds back the first frames of a connection until it is their turn. The library answers the server's first frame with some 20 ms
 * of signatures and key agreements in one step; after a start the frames of many connections come at the same moment, and would
 * hold up everything else together.
 */
export class HandshakeTurn {
  readonly #socket;
  readonly #ended;
  #held: unknown[] = [];
  #isOver = false;

  /**
   * @param socket emits each frame as `message`
   * @param ended aborted when the connection has ended: its frames are dropped
   */
  constructor(socket: EventEmitter, ended: AbortSignal) {
    this.#socket = socket;
    this.#ended = ended;
  }

  /** @returns true for a frame that is held back: it is emitted again, in its order */
  holds(frame: unknown): boolean {
    if (this.#isOver) return false;
    this.#held.push(frame);
    if (this.#held.length === 1) void nextTurn().then(() => this.#release());
    return true;
  }

  #release(): void {
    this.#isOver = true;
    const held = this.#held.splice(0);
    if (this.#ended.aborted) return;
    for (const frame of held) this.#socket.emit('message', frame);
  }
}
