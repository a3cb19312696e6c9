import type { Document } from 'mongodb';
import type { MongoDatabase } from './database.js';
import type { Fence } from './fences.js';

/**
 * An update that sets fields to values, whatever these begin with. A pipeline, because a server need not know its own time
 * in a filter beside any other update.
 */
export function setTo(fields: object): Document[] {
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [{ $set: Object.fromEntries(named.map(([field, value]) => [field, { $literal: value }])) }];
}

/**
 * Tells a change that found nothing from one that a fence stood in the way of: where no document is found, the server does
 * not look at the lease.
 *
 * @param found whether the change found something
 * @returns `found`
 * @throws the server's refusal
 */
export async function unlessRefused(
  { db }: Pick<MongoDatabase, 'db'>,
  clientId: string,
  fence: Fence,
  found: boolean,
): Promise<boolean> {
  if (!found && fence.epoch !== undefined) {
    const leases = db.collection<{ _id: string }>('leases');
    await leases.findOne({ _id: clientId, ...fence.condition() }, { projection: { _id: 1 } });
  }
  return found;
}
