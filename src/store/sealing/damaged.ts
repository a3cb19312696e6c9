import { reason, writeReason } from '../../domain/reasons.js';
import type { BackendRoom, FailedDelivery, FileRecord, HistoryMessage } from '../store.js';

/** What stands for a value that does not open, where its row is still listed. */
export const DAMAGED = '';

export function damagedDelivery(delivery: FailedDelivery): FailedDelivery {
  return {
    ...delivery,
    url: DAMAGED,
    body: DAMAGED,
    reason: writeReason(reason('event_damaged')),
  };
}

export function damagedMessage(message: HistoryMessage): HistoryMessage {
  const content = new Uint8Array();
  return { ...message, content, body: DAMAGED, pushname: DAMAGED, media: undefined, extras: {} };
}

export function damagedRoom(room: BackendRoom): BackendRoom {
  return { ...room, name: DAMAGED, lastMessage: DAMAGED };
}

export function damagedFile(file: FileRecord): FileRecord {
  return { ...file, fileName: DAMAGED, caption: DAMAGED };
}
