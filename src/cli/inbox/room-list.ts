import { Coalesced } from './coalesced.js';
import { type InboxContext, isGone, isPassing } from './context.js';
import { withRooms } from './conversation-changes.js';
import { roomItem } from './room-item.js';
import { fetchRooms, resetUnread } from './wire.js';

/** The rooms of one session, kept as the daemon has them. */
export class RoomList {
  readonly clientId: string;
  readonly #context: InboxContext;
  readonly #sessionGone: () => void;
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #loading: Coalesced;

  constructor(context: InboxContext, clientId: string, sessionGone: () => void) {
    this.#context = context;
    this.clientId = clientId;
    this.#sessionGone = sessionGone;
    this.#signal = AbortSignal.any([context.signal, this.#end.signal]);
    this.#loading = new Coalesced({
      load: () => this.#load(),
      failed: (error) => this.#failed(error),
      clock: context.clock,
      signal: this.#signal,
    });
  }

  /** Resolves when they have been read again. */
  refresh(): Promise<void> {
    return this.#loading.request();
  }

  /** What was asked for is read at once. */
  hurry(): void {
    this.#loading.hurry();
  }

  close(): void {
    this.#end.abort();
  }

  async #load(): Promise<void> {
    const { client, box } = this.#context;
    const rooms = (await fetchRooms(client, this.clientId)).map(roomItem);
    if (this.#signal.aborted) return;
    box.update((state) => withRooms(state, rooms));
    const open = box.state.conversation?.chatRoomId;
    const unread = rooms.find(({ chatRoomId, unreadCount }) => chatRoomId === open && unreadCount > 0);
    // the next signal of that room asks again
    if (unread) await resetUnread(client, unread.chatRoomId).catch(() => undefined);
  }

  #failed(error: unknown): boolean {
    if (!isGone(error)) return isPassing(this.#context, error);
    this.#sessionGone();
    return false;
  }
}
