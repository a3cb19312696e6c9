import type { Collection, Document, Filter } from 'mongodb';

/** Documents that one request deletes: many more could take longer than the driver waits for an answer. */
const AT_ONCE = 1_000;

/**
 * Deletes all documents that match, however many; returns how many. `filter` needs an index.
 * @param condition what else must hold as they are deleted; the server must fail when it does not
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
      .limit(AT_ONCE)
      .toArray();
    if (found.length === 0) return deleted;
    deleted += (await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, ...condition() }))
      .deletedCount;
  }
}
