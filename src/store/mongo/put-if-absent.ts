import {
  type Collection,
  type Document,
  type Filter,
  type MatchKeysAndValues,
  ObjectId,
  type OptionalUnlessRequiredId,
  type WithId,
} from 'mongodb';
import { isDuplicate } from './database.js';
import type { Fence } from './fences.js';

/**
 * Inserts when absent, in one step; returns the document that is there afterwards.
 *
 * @param key equality on the fields of a unique index
 * @param fields what else a new document has
 */
export async function putIfAbsent<D extends Document>(
  collection: Collection<D>,
  key: Filter<D>,
  fields: MatchKeysAndValues<D>,
): Promise<WithId<D>> {
  const put = () =>
    collection.findOneAndUpdate(key, { $setOnInsert: fields }, { upsert: true, returnDocument: 'after' });
  const found = await put().catch((error: unknown) => {
    // another one was quicker: now it is there to be found
    if (isDuplicate(error)) return put();
    throw error;
  });
  if (!found) throw new Error('an upsert gave no document');
  return found;
}

/** Inserts unless a document with the same unique fields is there; true when it was inserted. */
export async function insertIfAbsent<D extends Document>(
  collection: Collection<D>,
  document: OptionalUnlessRequiredId<D>,
): Promise<boolean> {
  try {
    await collection.insertOne(document);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/**
 * As `insertIfAbsent`, while a lease lasts.
 *
 * @param key equality on the fields of a unique index, the clientId among them
 * @param fields what else a new document has
 * @param always a field that every document has and that is not of the key
 */
export async function insertUnder<D extends Document>(
  fence: Fence,
  collection: Collection<D>,
  key: Filter<D>,
  fields: Document,
  always: string,
): Promise<boolean> {
  const made = { $literal: { _id: new ObjectId(), ...key, ...fields } };
  const pipeline = [...fence.guard(), { $replaceWith: { $cond: [isMissing(always), made, '$$ROOT'] } }];
  try {
    return (await collection.updateOne(key, pipeline, { upsert: true })).upsertedCount === 1;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

function isMissing(field: string): Document {
  return { $eq: [{ $type: `$${field}` }, 'missing'] };
}
