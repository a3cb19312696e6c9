import type { InboxContext } from './context.js';
import { messageItems } from './message-item.js';
import type { InboxState, MessageItem, RoomItem } from './model.js';
import { fetchMessages } from './wire.js';

/** Rooms, the newest ones, whose last message is looked at where it has no text. */
const LOOKED_AT = 30;

/** What the last messages without text are: rooms do not say it. Each is read once, as long as its room does not change. */
export class SilentRooms {
  readonly #context: InboxContext;
  readonly #last = new Map<string, MessageItem>();

  constructor(context: InboxContext) {
    this.#context = context;
  }

  /** The room with its last message, where it is known. */
  complete(room: RoomItem): RoomItem {
    const last = isSilent(room) ? this.#last.get(room.chatRoomId) : undefined;
    return last?.sentAt.getTime() === room.lastMessageAt?.getTime() ? { ...room, last } : room;
  }

  /** Something changed in a room, or in any. */
  forget(chatRoomId: string): void {
    if (chatRoomId) this.#last.delete(chatRoomId);
    else this.#last.clear();
  }

  /** Reads what is not known yet, and shows it. */
  async read(rooms: readonly RoomItem[], signal: AbortSignal): Promise<void> {
    const unknown = rooms.slice(0, LOOKED_AT).filter((room) => isSilent(room) && !room.last);
    for (const room of unknown) {
      // the next reading of the rooms makes up for one that failed
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
