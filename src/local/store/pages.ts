import type { FileRecord, HistoryMessage, RoomRecord, Store } from '../../gateway/store/store.js';

/** Page size. */
export const PAGE = 200;
/** Milliseconds before a second check, because a running daemon may be about to correct the item. */
export const SECOND_LOOK_MS = 1_000;

export interface SessionRoom {
  clientId: string;
  room: RoomRecord;
}

/** The rooms of all sessions. */
export async function* allRooms(store: Pick<Store, 'sessions' | 'history'>): AsyncGenerator<SessionRoom> {
  for (const { clientId } of await store.sessions.list()) {
    for (const room of await store.history.rooms(clientId)) yield { clientId, room };
  }
}

/** The messages of a room in pages, the newest page first; each page is oldest first. */
export async function* pagesOf(
  { history }: Pick<Store, 'history'>,
  clientId: string,
  chatRoomId: string,
): AsyncGenerator<HistoryMessage[]> {
  let page = await history.messages(clientId, chatRoomId, { limit: PAGE });
  while (page.length > 0) {
    yield page;
    const [oldest] = page;
    if (!oldest) return;
    page = await history.messages(clientId, chatRoomId, { limit: PAGE, before: oldest.messageId });
  }
}

/**
 * The files of a session in pages, oldest page first, so that deleting files on the way skips none.
 */
export async function* filePagesOf(
  { files }: Pick<Store, 'files'>,
  clientId: string,
): AsyncGenerator<FileRecord[]> {
  const { total } = await files.list(clientId, { page: 1, limit: 1 });
  for (let page = Math.ceil(total / PAGE); page > 0; page--) {
    yield (await files.list(clientId, { page, limit: PAGE })).files;
  }
}
