import { Coalesced } from './coalesced.js';
import { type InboxContext, isGone, isPassing } from './context.js';
import { withRooms } from './conversation-changes.js';
import { roomItem, withPhone } from './room-item.js';
import { SilentRooms } from './silent-rooms.js';
import { fetchRooms, resetUnread } from './wire.js';

/** The rooms of one session, kept as the daemon has them. */
export class RoomList {
  readonly clientId: string;
  readonly #context: InboxContext;
  readonly #sessionGone: () => void;
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #loading: Coalesced;
  readonly #silent: SilentRooms;

  constructor(context: InboxContext, clientId: string, sessionGone: () => void) {
    this.#context = context;
    this.clientId = clientId;
    this.#sessionGone = sessionGone;
    this.#signal = AbortSignal.any([context.signal, this.#end.signal]);
    this.#silent = new SilentRooms(context);
    this.#loading = new Coalesced({
      load: () => this.#load(),
      failed: (error) => this.#failed(error),
      clock: context.clock,
      signal: this.#signal,
    });
  }

  /** Something changed in a room, or in any; resolves when it has been read. */
  changed(chatRoomId: string): Promise<void> {
    this.#silent.forget(chatRoomId);
    return this.refresh();
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
    const { client, box, phones } = this.#context;
    const rows = await fetchRooms(client, this.clientId);
    const rooms = rows.map((row) => this.#silent.complete(withPhone(roomItem(row), phones)));
    if (this.#signal.aborted) return;
    box.update((state) => withRooms(state, rooms));
    const open = box.state.conversation?.chatRoomId;
    const unread = rooms.find(({ chatRoomId, unreadCount }) => chatRoomId === open && unreadCount > 0);
    // the next signal of that room asks again
    if (unread) await resetUnread(client, unread.chatRoomId).catch(() => undefined);
    await this.#silent.read(rooms, this.#signal);
  }

  #failed(error: unknown): boolean {
    if (!isGone(error)) return isPassing(this.#context, error);
    this.#sessionGone();
    return false;
  }
}
