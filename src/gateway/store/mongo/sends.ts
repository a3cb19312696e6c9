import type { Field } from '../port/fields.js';
import { HELD_SENDS, IDEMPOTENCY, PAST_SENDS, SENDS } from '../port/sends.js';
import type { IdempotencyRecord, IdempotencyStore, SendStore, SentRecord } from '../store.js';
import type { CommitLog } from './commits.js';
import type { MongoDatabase } from './database.js';
import { type DocumentOf, documentsOf } from './documents.js';
import type { HeldCache } from './held-cache.js';
import { inRow } from './stored-changes.js';
import { putIfAbsent } from './writes.js';

type SentDocument = Omit<DocumentOf<SentRecord>, 'closed'> & {
  /** True until it is closed, then false or missing: the index of what is open holds nothing else. */
  open?: boolean;
};

const ofSends = documentsOf(SENDS);
const ofPast = documentsOf(PAST_SENDS);
const ofHeld = documentsOf(HELD_SENDS);
const ofAnswers = documentsOf(IDEMPOTENCY);
const toSent = (document: SentDocument) => ofSends.toRecord({ ...document, closed: !document.open });

/** A put removes what an earlier version of the record had, except what it counts as: that never changes. */
const REMOVED = Object.fromEntries(
  Object.entries<Field>(SENDS.fields)
    .filter(([name, { none }]) => none === 'absent' && name !== 'counted')
    .map(([name]) => [name, null]),
);

/** A send as it is kept in memory; null if there is none. */
export type CachedSend = SentRecord | null;

/**
 * Own messages in the collection `sends`.
 * @param onNew called with a message id that nobody has used before
 */
export function mongoSends(
  { db, run }: MongoDatabase,
  log: CommitLog,
  held: HeldCache<CachedSend>,
  onNew: (clientId: string, messageId: string) => void,
): SendStore {
  const sends = db.collection<SentDocument>('sends');
  const keyOf = (messageId: string) => `send ${messageId}`;
  const read = (clientId: string, messageId: string) =>
    log.read(clientId, async () => {
      const found = await sends.findOne({ clientId, messageId });
      const record = found ? toSent(found) : undefined;
      // what is known by now may be newer: a change notes its outcome before it is written
      const known = held.get(clientId, keyOf(messageId));
      if (known === undefined) held.set(clientId, keyOf(messageId), record ?? null);
      return record;
    });
  const change = async (
    clientId: string,
    messageId: string,
    { acknowledged, closed }: Partial<Pick<SentRecord, 'acknowledged' | 'closed'>>,
    how: 'now' | 'soon',
  ) => {
    const isAnnounced = acknowledged && closed;
    const fields = {
      ...(isAnnounced && { held: null }),
      ...(acknowledged !== undefined && { acknowledged }),
      ...(closed !== undefined && { open: !closed }),
    };
    const written = log.writeRows(clientId, inRow({ to: 'sends', messageId, fields, how: 'change' }), how);
    const known = held.get(clientId, keyOf(messageId));
    if (known) {
      const next = { acknowledged: acknowledged ?? known.acknowledged, closed: closed ?? known.closed };
      const { held: request, ...rest } = known;
      const waits = !isAnnounced && request !== undefined && { held: request };
      held.set(clientId, keyOf(messageId), { ...rest, ...waits, ...next });
    }
    try {
      await written;
      // a read that began before may have kept the record as it was
      if (!known) held.take(clientId, keyOf(messageId));
    } catch (error) {
      held.take(clientId, keyOf(messageId));
      throw error;
    }
  };
  return {
    async put(clientId, { closed, ...record }) {
      const fields = { ...REMOVED, ...ofSends.toFields(record), open: !closed };
      const { messageId } = record;
      // a closed record is written again when its content is erased
      const isNew = !closed && !held.get(clientId, keyOf(messageId));
      await log.writeRows(clientId, inRow({ to: 'sends', messageId, fields, how: 'put' }), 'now');
      held.set(clientId, keyOf(messageId), copyOf({ ...record, closed }));
      if (isNew) onNew(clientId, messageId);
    },
    async get(clientId, messageId) {
      const known = held.get(clientId, keyOf(messageId));
      if (known === undefined) return read(clientId, messageId);
      return known ? copyOf(known) : undefined;
    },
    async acknowledge(clientId, messageId) {
      const record =
        held.get(clientId, keyOf(messageId)) === undefined ? await read(clientId, messageId) : undefined;
      const before = held.get(clientId, keyOf(messageId)) ?? record;
      if (!before) return false;
      const isReopened = before.closed && !before.acknowledged;
      const proof = { acknowledged: true, ...(isReopened && { closed: false }) };
      await change(clientId, messageId, proof, isReopened ? 'now' : 'soon');
      return isReopened;
    },
    async open(clientId) {
      return log.readAnew(clientId, async () => {
        const found = await sends.find({ open: true, clientId }).sort({ sentAt: 1, _id: 1 }).toArray();
        return found.map(toSent);
      });
    },
    held: (clientId, limit, after) =>
      log.readAnew(clientId, async () => {
        const { sentAt = -1, messageId = '' } = after ?? {};
        const isAfter = [{ sentAt: { $gt: sentAt } }, { sentAt, messageId: { $gt: messageId } }];
        const fields = { projection: { _id: 0, messageId: 1, to: 1, sentAt: 1, held: 1 } };
        const found = await sends
          .find({ clientId, held: { $gt: '' }, $or: isAfter }, fields)
          .sort({ sentAt: 1, messageId: 1 })
          .limit(limit)
          .toArray();
        return found.map(ofHeld.toRecord);
      }),
    past: (clientId, sentAfter, limit = 0) =>
      log.read(clientId, async () => {
        const fields = { projection: { _id: 0, to: 1, sentAt: 1, counted: 1, textHash: 1 } };
        const after = sends.find({ clientId, sentAt: { $gt: sentAfter } }, fields);
        // a limit of 0 is none
        const found = after.sort({ sentAt: 1 }).limit(limit);
        return (await found.toArray()).map(ofPast.toRecord);
      }),
    close: (clientId, messageId) => change(clientId, messageId, { closed: true }, 'now'),
    finish: (clientId, messageId) =>
      change(clientId, messageId, { acknowledged: true, closed: true }, 'soon'),
    async prune(sentBefore) {
      await log.applyAll();
      held.clear();
      const { deletedCount } = await run(() => sends.deleteMany({ sentAt: { $lt: sentBefore }, held: null }));
      return deletedCount;
    },
  };
}

function copyOf(record: SentRecord): SentRecord {
  return { ...record, content: Uint8Array.from(record.content) };
}

/** Idempotency keys in the collection `idempotency`. */
export function mongoIdempotency({ db, run }: MongoDatabase): IdempotencyStore {
  const idempotency = db.collection<DocumentOf<IdempotencyRecord>>(IDEMPOTENCY.name);
  return {
    async claim(clientId, { key, ...fields }) {
      return ofAnswers.toRecord(await run(() => putIfAbsent(idempotency, { clientId, key }, fields)));
    },
    async answer(clientId, key, answer) {
      await run(() => idempotency.updateOne({ clientId, key }, { $set: { answer } }));
    },
    async prune(createdBefore) {
      const { deletedCount } = await run(() => idempotency.deleteMany({ createdAt: { $lt: createdBefore } }));
      return deletedCount;
    },
  };
}
