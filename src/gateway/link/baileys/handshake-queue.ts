import type { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Resolves in an iteration of the event loop that no other caller uses. */
function ownIteration(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}

/**
 * Runs one handshake in each iteration of the event loop. The library answers the server's first frame with about 20 ms
 * of signatures and key agreements in one step. After a start the frames of many connections arrive together, and would
 * block all other work.
 */
export class HandshakeQueue {
  readonly #socket;
  readonly #ended;
  readonly #held: unknown[] = [];
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
    if (this.#held.length === 1) void ownIteration().then(() => this.#release());
    return true;
  }

  #release(): void {
    this.#isOver = true;
    if (this.#ended.aborted) return;
    for (const frame of this.#held.splice(0)) this.#socket.emit('message', frame);
  }
}
