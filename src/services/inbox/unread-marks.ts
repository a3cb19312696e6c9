import type { HistoricMessage } from '../../link/port/history.js';
import type { HistoryStore } from '../../store/store.js';
import type { StoreSteps } from '../store-steps.js';

/** How far a chat's unread messages have come. */
interface Marks {
  /** Messages of others that were seen, the newest first. */
  seen: number;
  /** Rows that may still be counted as unread. */
  left: number;
}

export interface UnreadMarksOptions {
  history: Pick<HistoryStore, 'room'>;
  steps: StoreSteps;
  clientId: string;
}

/**
 * Which messages of the past count as unread: of each chat the newest of others, as many as the phone tells. A chat reaches
 * over several parts of the past, and each tells the same number.
 */
export class UnreadMarks {
  readonly #options: UnreadMarksOptions;
  readonly #chats = new Map<string, Marks>();

  constructor(options: UnreadMarksOptions) {
    this.#options = options;
  }

  /**
   * The next message of a room.
   * @param resumed an earlier run of the daemon may have counted some already
   * @returns whether it counts as unread, if it is new here
   */
  async next(
    chatRoomId: string,
    { fromMe, unreadInChat }: Pick<HistoricMessage, 'fromMe' | 'unreadInChat'>,
    resumed: boolean,
  ): Promise<boolean> {
    if (fromMe || unreadInChat === 0) return false;
    let marks = this.#chats.get(chatRoomId);
    if (!marks) {
      marks = { seen: 0, left: unreadInChat };
      this.#chats.set(chatRoomId, marks);
      if (resumed) marks.left -= await this.#counted(chatRoomId);
    }
    marks.seen += 1;
    return marks.seen <= unreadInChat && marks.left > 0;
  }

  /** A message that counts was new here. */
  counted(chatRoomId: string): void {
    const marks = this.#chats.get(chatRoomId);
    if (marks) marks.left -= 1;
  }

  async #counted(chatRoomId: string): Promise<number> {
    const { history, steps, clientId } = this.#options;
    const room = await steps.run(() => history.room(clientId, chatRoomId));
    return room?.unreadCount ?? 0;
  }
}
