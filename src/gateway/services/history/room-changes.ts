import type { HistoryStore, Store } from '../../store/store.js';

/** A change in a room of the hosted inbox. */
export interface RoomChange {
  clientId: string;
  chatRoomId: string;
  /** The message that was added, changed or removed; undefined when only the room changed. */
  messageId?: string;
  /** The room's id before it was renamed. */
  formerId?: string;
}

/**
 * Wraps a store so that every write to the hosted history calls `onChange`. A failed write also calls it, because the
 * back end may have applied the write.
 */
export function notifyingRooms<S extends Pick<Store, 'history'>>(
  store: S,
  onChange: (change: RoomChange) => void,
): S {
  return { ...store, history: notifyingHistory(store.history, onChange) };
}

function notifyingHistory(history: HistoryStore, onChange: (change: RoomChange) => void): HistoryStore {
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
    async record(clientId, room, message, place) {
      const { chatRoomId, messageId } = message;
      try {
        return await history.record(clientId, room, message, place);
      } finally {
        // also if the row exists: the call that wrote it may have reported a failure
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
