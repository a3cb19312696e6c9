import {
  Binary,
  type Collection,
  type Document,
  type Filter,
  type MatchKeysAndValues,
  MongoServerError,
  type OptionalUnlessRequiredId,
  type WithId,
} from 'mongodb';
import { systemClock, wait } from '../../../domain/clock.js';
import { pauseAfter } from '../../../domain/retry.js';

export const DUPLICATE_KEY = 11_000;
const WRITE_CONFLICT = 112;
/** Of a write that conflicts with others; together shorter than a client's patience. */
const CONFLICT = { pausesMs: [2, 10, 50, 250], endless: false, jitter: 0.5 };
/** Documents that one request deletes: a larger request could exceed the driver's timeout. */
const DELETED_AT_ONCE = 1_000;

/** Copies bytes into their stored form. */
export function toBinary(bytes: Uint8Array): Binary {
  return new Binary(Uint8Array.from(bytes));
}

/** Copies stored bytes out: the driver's bytes may share memory with the server's whole answer. */
export function fromBinary(stored: Binary): Uint8Array {
  return Uint8Array.from(stored.value());
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}

/** MongoDB repeats a write that conflicts with another by itself; compatible servers leave that to the client. */
async function unlessConflict<T>(write: () => Promise<T>): Promise<T> {
  for (let conflicts = 1; ; conflicts++) {
    try {
      return await write();
    } catch (error) {
      const pauseMs = hasCode(error, WRITE_CONFLICT) ? pauseAfter(CONFLICT, conflicts) : undefined;
      if (pauseMs === undefined) throw error;
      await wait(systemClock, pauseMs);
    }
  }
}

/**
 * Runs an upsert; if another client inserted the document at the same time, runs it again (or `next`) on that document.
 */
export async function upsertTwice<T>(upsert: () => Promise<T>, next: () => Promise<T> = upsert): Promise<T> {
  try {
    return await unlessConflict(upsert);
  } catch (error) {
    // a document with the same unique fields exists
    if (hasCode(error, DUPLICATE_KEY)) return unlessConflict(next);
    throw error;
  }
}

/** Runs an insert; false if a document with the same unique fields exists. */
export async function unlessDuplicate(insert: () => Promise<boolean>): Promise<boolean> {
  return upsertTwice(insert, async () => false);
}

/**
 * Inserts if absent, in one step; returns the stored document.
 *
 * @param key equality on the fields of a unique index
 * @param fields the other fields of a new document
 */
export async function putIfAbsent<D extends Document>(
  collection: Collection<D>,
  key: Filter<D>,
  fields: MatchKeysAndValues<D>,
): Promise<WithId<D>> {
  const put = (upsert: boolean) =>
    collection.findOneAndUpdate(key, { $setOnInsert: fields }, { upsert, returnDocument: 'after' });
  let isFirst = true;
  const found = await upsertTwice(async () => {
    // after a conflict the document is mostly there: many clients that insert again would stop each other again
    const stored = isFirst ? undefined : await put(false);
    isFirst = false;
    return stored ?? put(true);
  });
  if (!found) throw new Error('an upsert gave no document');
  return found;
}

/** Inserts unless a document with the same unique fields exists; true if it was inserted. */
export function insertIfAbsent<D extends Document>(
  collection: Collection<D>,
  document: OptionalUnlessRequiredId<D>,
): Promise<boolean> {
  return unlessDuplicate(async () => {
    await collection.insertOne(document);
    return true;
  });
}

/**
 * An update that sets fields to literal values, whatever they begin with. A pipeline, because some servers evaluate `$$NOW`
 * in a filter only if the update is a pipeline.
 */
export function setTo(fields: object): Document[] {
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [{ $set: Object.fromEntries(named.map(([field, value]) => [field, { $literal: value }])) }];
}

/**
 * Deletes all documents that match; returns the count. `filter` needs an index.
 * @param condition an additional condition of each deletion, which fails on the server if it no longer holds
 */
export async function deleteInBatches<D extends Document>(
  collection: Collection<D>,
  filter: Filter<D>,
  condition: () => Filter<D> = () => ({}),
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const found = await collection
      .find(filter)
      .project<{ _id: D['_id'] }>({ _id: 1 })
      .limit(DELETED_AT_ONCE)
      .toArray();
    if (found.length === 0) return deleted;
    const ids = found.map(({ _id }) => _id);
    deleted += (await collection.deleteMany({ _id: { $in: ids }, ...condition() })).deletedCount;
  }
}

/**
 * An update that sets fields to literal values, unless a commit with a higher number has written the document: a late request
 * never undoes a newer one.
 */
export function unlessNewer(n: number, fields: object): Document[] {
  const replaced = { $mergeObjects: ['$$ROOT', { $literal: { ...fields, n } }] };
  return [{ $replaceWith: { $cond: [{ $gt: ['$n', n] }, '$$ROOT', replaced] } }];
}
