import { reason, writeReason } from '../../domain/reasons.js';
import { FAILED_DELIVERIES } from '../port/deliveries.js';
import { FILES } from '../port/files.js';
import { MESSAGES, ROOMS } from '../port/history.js';
import type { BackendRoom, FailedDelivery, FileRecord, HeldRecord, HistoryMessage } from '../store.js';
import { withoutSealed } from './fields.js';

// What stands for a record that does not open, where its row is still listed.

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
  return { ...record, held: '' };
}
