import { type Clock, systemClock, wait } from '../../domain/clock.js';
import { formatRoomId, parseRoomId } from '../../domain/room.js';
import type { FileRecord, HistoryMessage, RoomRecord, Store } from '../../gateway/store/store.js';
import type { CountLine } from '../../terminal/cli/progress.js';
import { allRooms, filePagesOf, pagesOf, SECOND_LOOK_MS } from './pages.js';

/** Numbers of found problems; with `repair` they are fixed. */
export interface StoreFaults {
  /** Stored bytes without a file. */
  bytesWithoutFile: number;
  /** Files whose bytes are missing or have another size. */
  filesWithoutBytes: number;
  /** Files whose message is missing. */
  filesWithoutMessage: number;
  /** Messages whose file is neither stored nor expected. */
  messagesWithoutFile: number;
  /** Rooms whose last message or unread count is wrong. */
  wrongRooms: number;
}

export interface CheckResult extends StoreFaults {
  repaired: boolean;
  /** Changes of messages that never arrived; not problems, and only removed with `repair`. */
  staleChanges: number;
}

export interface CheckOptions {
  repair: boolean;
  clock?: Clock;
  /** Counts the checked files, messages and rooms. */
  counted: Pick<CountLine, 'add'>;
}

type Checked = Pick<Store, 'sessions' | 'history' | 'files' | 'expectedFiles' | 'contacts' | 'cluster'>;

/** Milliseconds that a change waits for its message. */
const STALE_MS = 90 * 24 * 60 * 60_000;

interface Rule<T> {
  isWrong(one: T): Promise<boolean>;
  repair(one: T): Promise<unknown>;
}

/** Finds inconsistencies and repairs them on request. */
export class StoreCheck {
  readonly #store: Checked;
  readonly #options: CheckOptions;
  readonly #clock: Clock;

  constructor(store: Checked, options: CheckOptions) {
    this.#store = store;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async run(): Promise<CheckResult> {
    const { repair } = this.#options;
    const { history, files } = this.#store;
    // first repairs that remove files, then repairs of messages without their file
    const { withoutRecord, withoutBytes } = await files.check({ repair });
    return {
      bytesWithoutFile: withoutRecord,
      filesWithoutBytes: withoutBytes,
      filesWithoutMessage: await this.#checkFiles(),
      messagesWithoutFile: await this.#checkMessages(),
      wrongRooms: await this.#checkRooms(),
      repaired: repair,
      staleChanges: repair ? await history.prunePending(this.#clock.now() - STALE_MS) : 0,
    };
  }

  async #checkFiles(): Promise<number> {
    const { sessions, files } = this.#store;
    let faults = 0;
    for (const { clientId } of await sessions.list()) {
      for await (const page of filePagesOf(this.#store, clientId)) {
        faults += await this.#check(page, {
          isWrong: (file) => this.#lacksMessage(file),
          repair: (file) => files.remove(file.id),
        });
      }
    }
    return faults;
  }

  async #checkMessages(): Promise<number> {
    let faults = 0;
    for await (const { clientId, room } of allRooms(this.#store)) {
      for await (const page of pagesOf(this.#store, clientId, room.chatRoomId)) {
        faults += await this.#check(page, {
          isWrong: (message) => this.#lacksFile(clientId, message),
          repair: (message) => this.#forgetFile(clientId, message),
        });
      }
    }
    return faults;
  }

  async #checkRooms(): Promise<number> {
    const { sessions, history } = this.#store;
    let faults = 0;
    for (const { clientId } of await sessions.list()) {
      const hold = ({ chatRoomId }: RoomRecord, repair: boolean) =>
        history.checkRoom(clientId, chatRoomId, { repair });
      faults += await this.#check(await history.rooms(clientId), {
        isWrong: async (room) => !(await hold(room, false)),
        repair: (room) => hold(room, true),
      });
    }
    return faults;
  }

  /** Checks items, and checks wrong ones again after a pause because of a running daemon. @returns the number of wrong items */
  async #check<T>(all: readonly T[], { isWrong, repair }: Rule<T>): Promise<number> {
    const suspects: T[] = [];
    for (const one of all) {
      if (await isWrong(one)) suspects.push(one);
      this.#options.counted.add(1);
    }
    if (suspects.length > 0 && this.#store.cluster) await wait(this.#clock, SECOND_LOOK_MS);
    let faults = 0;
    for (const one of suspects) {
      if (!(await isWrong(one))) continue;
      faults += 1;
      if (this.#options.repair) await repair(one);
    }
    return faults;
  }

  /** Whether the message of a file is missing; its room may have been renamed meanwhile. */
  async #lacksMessage({ id }: FileRecord): Promise<boolean> {
    const { files, history } = this.#store;
    const file = await files.get(id);
    if (!file) return false;
    const { clientId, chatRoomId, messageId } = file;
    if (await history.message(clientId, chatRoomId, messageId)) return false;
    const lidRoom = await this.#lidRoomOf(chatRoomId);
    // an interrupted rename: the daemon completes it at its next start
    return !lidRoom || (await history.message(clientId, lidRoom, messageId))?.fileId !== id;
  }

  /** The id of the room by LID, for a room that is still named by phone number. */
  async #lidRoomOf(chatRoomId: string): Promise<string | undefined> {
    const key = parseRoomId(chatRoomId);
    const contact = key && (await this.#store.contacts.find(key.clientId, { pn: key.other }));
    return key && contact?.lid && formatRoomId({ ...key, other: contact.lid });
  }

  async #lacksFile(clientId: string, { chatRoomId, messageId, fileId }: HistoryMessage): Promise<boolean> {
    if (fileId === '' || (await this.#isKnown(fileId))) return false;
    const now = await this.#store.history.message(clientId, chatRoomId, messageId);
    return now?.fileId === fileId && !(await this.#isKnown(fileId));
  }

  /** Removes the file from a message; reads it again first, because a daemon may have changed it. */
  async #forgetFile(clientId: string, { chatRoomId, messageId, fileId }: HistoryMessage): Promise<void> {
    const { history } = this.#store;
    const now = await history.message(clientId, chatRoomId, messageId);
    if (now?.fileId === fileId) await history.update(clientId, { ...now, fileId: '' });
  }

  async #isKnown(fileId: string): Promise<boolean> {
    const { files, expectedFiles } = this.#store;
    return Boolean((await files.get(fileId)) ?? (await expectedFiles.get(fileId)));
  }
}

export function countFaults(faults: StoreFaults): number {
  const { bytesWithoutFile, filesWithoutBytes, filesWithoutMessage, messagesWithoutFile, wrongRooms } =
    faults;
  return bytesWithoutFile + filesWithoutBytes + filesWithoutMessage + messagesWithoutFile + wrongRooms;
}
