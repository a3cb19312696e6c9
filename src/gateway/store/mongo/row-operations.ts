import type { Operation } from './backlog.js';
import type { Commit, StoredRow } from './stored-changes.js';
import { unlessNewer } from './writes.js';

/** The updates that apply the rows of commits to a collection, in their order. */
export function rowOperations(
  to: StoredRow['to'],
): (clientId: string, commits: readonly Commit[]) => Operation[] {
  return (clientId, commits) =>
    commits.flatMap(({ n, changes: { rows = [] } }) =>
      rows.filter((row) => row.to === to).map((row) => operationOf(clientId, n, row)),
    );
}

function operationOf(clientId: string, n: number, { messageId, fields, how }: StoredRow): Operation {
  const filter = { clientId, messageId };
  if (how === 'add') return { updateOne: { filter, update: { $setOnInsert: fields }, upsert: true } };
  return { updateOne: { filter, update: unlessNewer(n, fields), upsert: how === 'put' } };
}
