import type { HistoryStore, Store } from '../../store/store.js';

/** What changed in a room of the hosted inbox. */
export interface RoomChange {
  clientId: string;
  chatRoomId: string;
  /** The message that came, changed or went; undefined where it is about the room alone. */
  messageId?: string;
  /** What the room was called before. */
  formerId?: string;
}

/**
 * Tells of every change of rooms and messages that is made through the store, whoever makes it. A write that failed is
 * told of too: it may have been done all the same.
 */
export function tellingOfRooms<S extends Pick<Store, 'history'>>(
  store: S,
  onChange: (change: RoomChange) => void,
): S {
  return { ...store, history: tellingHistory(store.history, onChange) };
}

function tellingHistory(history: HistoryStore, onChange: (change: RoomChange) => void): HistoryStore {
  const tell = async (change: RoomChange, write: () => Promise<boolean>): Promise<boolean> => {
    let isChanged = true;
    try {
      isChanged = await write();
      return isChanged;
    } finally {
      if (isChanged) onChange(change);
    }
  };
  return {
    ...history,
    async record(clientId, room, message) {
      const { chatRoomId, messageId } = message;
      try {
        return await history.record(clientId, room, message);
      } finally {
        // also of one that was there: the call that recorded it may have failed
        onChange({ clientId, chatRoomId, messageId });
      }
    },
    update(clientId, message) {
      const { chatRoomId, messageId } = message;
      return tell({ clientId, chatRoomId, messageId }, () => history.update(clientId, message));
    },
    remove: (clientId, chatRoomId, messageId) =>
      tell({ clientId, chatRoomId, messageId }, () => history.remove(clientId, chatRoomId, messageId)),
    updateRoom: (clientId, chatRoomId, changes) =>
      tell({ clientId, chatRoomId }, () => history.updateRoom(clientId, chatRoomId, changes)),
    rekey(clientId, move) {
      const change = { clientId, chatRoomId: move.to, formerId: move.from };
      return tell(change, () => history.rekey(clientId, move));
    },
  };
}
