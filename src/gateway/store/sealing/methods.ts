import type { SealedFields } from './fields.js';
import type { SealedRecords } from './records.js';

type OfSession<A extends unknown[], T> = (clientId: string, ...rest: A) => Promise<T>;
type Owned = { clientId: string };

/** The methods of a store that differ only in which fields are sealed, around those of its back end. */
export function sealedMethods(records: SealedRecords) {
  return {
    /** Writes a record of a session. */
    put:
      <F extends object, R extends F, T>(
        fields: SealedFields<F>,
        write: OfSession<[R], T>,
      ): OfSession<[R], T> =>
      async (clientId, record) =>
        write(clientId, await records.seal(clientId, fields, record)),
    /** Writes a record that names its session. */
    add:
      <F extends object, R extends F & Owned, A extends unknown[], T>(
        fields: SealedFields<F>,
        write: (record: R, ...rest: A) => Promise<T>,
      ) =>
      async (record: R, ...rest: A): Promise<T> =>
        write(await records.seal(record.clientId, fields, record), ...rest),
    /** Reads one record of a session. */
    find:
      <F extends object, R extends F, A extends unknown[]>(
        fields: SealedFields<F>,
        read: OfSession<A, R | undefined>,
      ): OfSession<A, R | undefined> =>
      async (clientId, ...rest) =>
        records.found(clientId, fields, await read(clientId, ...rest)),
    /** Reads one record that names its session. */
    get:
      <F extends object, R extends F & Owned>(
        fields: SealedFields<F>,
        read: (id: string) => Promise<R | undefined>,
      ) =>
      async (id: string): Promise<R | undefined> => {
        const found = await read(id);
        return found && records.open(found.clientId, fields, found);
      },
    /** Reads records of a session, without those that were changed or moved. */
    list:
      <F extends object, R extends F, A extends unknown[]>(
        fields: SealedFields<F>,
        read: OfSession<A, R[]>,
      ): OfSession<A, R[]> =>
      async (clientId, ...rest) =>
        records.all(clientId, fields, await read(clientId, ...rest)),
    /** As `list`, with something instead of those: the length of a page tells whether there is a next one. */
    page:
      <F extends object, R extends F, A extends unknown[]>(
        fields: SealedFields<F>,
        read: OfSession<A, R[]>,
        instead: (record: R) => R,
      ): OfSession<A, R[]> =>
      async (clientId, ...rest) =>
        records.page(clientId, fields, await read(clientId, ...rest), instead),
  };
}
