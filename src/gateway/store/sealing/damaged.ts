import { reason, writeReason } from '../../../domain/reasons.js';
import { FAILED_DELIVERIES } from '../port/deliveries.js';
import { FILES } from '../port/files.js';
import { MESSAGES, ROOMS } from '../port/history.js';
import { HELD_SENDS } from '../port/sends.js';
import type { BackendRoom, FailedDelivery, FileRecord, HeldRecord, HistoryMessage } from '../store.js';
import { withoutSealed } from './fields.js';

// Stand-ins for records that cannot be decrypted, while their rows are still listed.

export function damagedDelivery(delivery: FailedDelivery): FailedDelivery {
  return { ...withoutSealed(FAILED_DELIVERIES, delivery), reason: writeReason(reason('event_damaged')) };
}

export function damagedMessage(message: HistoryMessage): HistoryMessage {
  return { ...withoutSealed(MESSAGES, message), pushname: '', media: undefined };
}

export function damagedRoom(room: BackendRoom): BackendRoom {
  return withoutSealed(ROOMS, room);
}

export function damagedFile(file: FileRecord): FileRecord {
  return withoutSealed(FILES, file);
}

export function damagedHeld(record: HeldRecord): HeldRecord {
  return withoutSealed(HELD_SENDS, record);
}
