import type { RoomSignal } from '../delivery/tail.js';

/** Rooms that wait one by one; of more, the client is told that any may have changed. */
const MAX_ROOMS = 500;

/** Changed rooms that a client has not been told of yet: each once, however often it changes meanwhile. */
export class UntoldRooms {
  readonly #clientId: string;
  readonly #signals = new Map<string, RoomSignal>();
  /** Any room may have changed. */
  #all: RoomSignal | undefined;

  /** @param clientId the one session that the client asked for */
  constructor(clientId = '') {
    this.#clientId = clientId;
  }

  /** @param signal of one room, or of any */
  add(signal: RoomSignal): void {
    if (this.#all) return;
    const key = `${signal.clientId} ${signal.chatRoomId}`;
    const untold = this.#signals.get(key);
    this.#signals.set(key, untold ? asOne(untold, signal) : signal);
    if (signal.chatRoomId === '' || this.#signals.size > MAX_ROOMS) this.addAll(signal.at);
  }

  /** Any room may have changed. @param at RFC 3339 */
  addAll(at: string): void {
    this.#signals.clear();
    this.#all = { kind: 'room', at, clientId: this.#clientId, chatRoomId: '' };
  }

  /** The one that has waited longest. */
  take(): RoomSignal | undefined {
    const all = this.#all;
    this.#all = undefined;
    if (all) return all;
    for (const [key, signal] of this.#signals) {
      this.#signals.delete(key);
      return signal;
    }
    return undefined;
  }
}

/** Two changes of a room. */
function asOne(earlier: RoomSignal, { messageId, ...later }: RoomSignal): RoomSignal {
  const formerId = later.formerId ?? earlier.formerId;
  return {
    ...later,
    ...(messageId !== undefined && messageId === earlier.messageId && { messageId }),
    ...(formerId !== undefined && { formerId }),
  };
}
