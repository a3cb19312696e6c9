import { fetchMessages, fetchRooms } from '../history.js';
import { CoalescedLoad } from './coalesced.js';
import { type InboxContext, isGone, isPassing } from './context.js';
import { messageItems } from './message-item.js';
import type { InboxState, MessageItem, RoomItem } from './model.js';
import { withRooms } from './open-room.js';
import { roomItem, withPhone } from './room-item.js';

/** Keeps the rooms of one session in sync with the daemon. */
export class RoomList {
  readonly clientId: string;
  readonly #context: InboxContext;
  readonly #sessionGone: () => void;
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #loading: CoalescedLoad;
  readonly #silent: TextlessRooms;

  constructor(context: InboxContext, clientId: string, sessionGone: () => void) {
    this.#context = context;
    this.clientId = clientId;
    this.#sessionGone = sessionGone;
    this.#signal = AbortSignal.any([context.signal, this.#end.signal]);
    this.#silent = new TextlessRooms(context);
    this.#loading = new CoalescedLoad({
      load: () => this.#load(),
      failed: (error) => this.#failed(error),
      clock: context.clock,
      signal: this.#signal,
    });
  }

  /** Reloads after a change of one room, or of any (empty id). */
  changed(chatRoomId: string): Promise<void> {
    this.#silent.forget(chatRoomId);
    return this.refresh();
  }

  /** Resolves after a reload. */
  refresh(): Promise<void> {
    return this.#loading.request();
  }

  /** Skips the pause before the next load. */
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
    // after a failure, the next signal of that room retries
    if (unread) await client.resetUnread({ chatRoomId: unread.chatRoomId }).catch(() => undefined);
    await this.#silent.read(rooms, this.#signal);
  }

  #failed(error: unknown): boolean {
    if (!isGone(error)) return isPassing(this.#context, error);
    this.#sessionGone();
    return false;
  }
}

/** Newest rooms whose last message is loaded if it has no text. */
const LOOKED_AT = 30;

/** Loads last messages that have no text, because the rooms of the API do not contain them. Caches them per room. */
class TextlessRooms {
  readonly #context: InboxContext;
  readonly #last = new Map<string, MessageItem>();

  constructor(context: InboxContext) {
    this.#context = context;
  }

  /** Adds the cached last message. */
  complete(room: RoomItem): RoomItem {
    const last = isSilent(room) ? this.#last.get(room.chatRoomId) : undefined;
    return last?.sentAt.getTime() === room.lastMessageAt?.getTime() ? { ...room, last } : room;
  }

  /** Drops the cache of one room, or of all (empty id). */
  forget(chatRoomId: string): void {
    if (chatRoomId) this.#last.delete(chatRoomId);
    else this.#last.clear();
  }

  /** Loads missing last messages and shows them. */
  async read(rooms: readonly RoomItem[], signal: AbortSignal): Promise<void> {
    const unknown = rooms.slice(0, LOOKED_AT).filter((room) => isSilent(room) && !room.last);
    for (const room of unknown) {
      // after a failure, the next load of the rooms retries
      const last = await this.#lastOf(room).catch(() => undefined);
      if (signal.aborted) return;
      if (last) this.#last.set(room.chatRoomId, last);
    }
    if (unknown.length > 0) this.#context.box.update((state) => this.#completeAll(state));
  }

  #completeAll(state: InboxState): InboxState {
    return { ...state, rooms: state.rooms.map((room) => this.complete(room)) };
  }

  async #lastOf({ chatRoomId, name, isGroup }: RoomItem): Promise<MessageItem | undefined> {
    const rows = await fetchMessages(this.#context.client, chatRoomId, { limit: 1 });
    return messageItems(rows, { chatRoomId, name, isGroup, ownJid: '' }).at(-1);
  }
}

function isSilent({ lastMessage, lastMessageAt }: RoomItem): boolean {
  return lastMessage === '' && lastMessageAt !== undefined;
}
