import { Binary, type Document } from 'mongodb';
import type { JsonObject } from '../../../domain/json.js';
import {
  type Collection,
  type Field,
  type RecordOf,
  type RecordReader,
  recordReader,
} from '../port/fields.js';
import { type MessageMedia, readMedia, readObject, textsOf } from '../port/json.js';
import { fromBinary, toBinary } from './writes.js';

/** A value in a document. Objects are JSON text: the server does not accept every field name. */
type StoredOf<V> = V extends undefined
  ? null
  : V extends Uint8Array
    ? Binary
    : V extends MessageMedia
      ? V
      : V extends JsonObject
        ? string
        : V;

/**
 * The document of a record, to name its fields in filters. Read it with `toRecord`: documents of earlier releases lack fields, and
 * after a restore they are null.
 */
export type DocumentOf<R> = { [N in keyof R]: StoredOf<R[N]> } & { clientId: string };

/** The document of a record with a field that is the `_id`. */
export type DocumentById<R, Id extends keyof R> = Omit<DocumentOf<R>, Id> & { _id: string };

/** The records of a collection as documents of MongoDB. */
export interface Documents<C extends Collection> {
  toRecord(document: Document): RecordOf<C>;
  /** The fields that are given, but that of the `_id`: undefined ones are left out. */
  toFields(record: Partial<RecordOf<C>>): Document;
}

export function documentsOf<C extends Collection>(of: C): Documents<C> {
  const names = Object.entries(of.fields).map(([name, { documentId }]) => (documentId ? '_id' : name));
  const read: RecordReader<C> = recordReader(of, READERS);
  return {
    toRecord: (document) => read(names.map((name) => document[name])),
    toFields(record) {
      const fields: Document = {};
      for (const [name, value] of Object.entries(record)) {
        const field = of.fields[name];
        if (!field || field.documentId) continue;
        if (value !== undefined) fields[name] = toStored(field, value);
        else if (field.none === 'undefined') fields[name] = null;
      }
      return fields;
    },
  };
}

function toStored({ is }: Field, value: unknown): unknown {
  if (value instanceof Uint8Array) return toBinary(value);
  return is === 'object' ? JSON.stringify(value) : value;
}

const READERS = {
  text: (stored: unknown) => (typeof stored === 'string' ? stored : undefined),
  number: (stored: unknown) => (typeof stored === 'number' ? stored : undefined),
  flag: (stored: unknown) => (typeof stored === 'boolean' ? stored : undefined),
  bytes: (stored: unknown) => (stored instanceof Binary ? fromBinary(stored) : undefined),
  texts: (stored: unknown) => (Array.isArray(stored) ? textsOf(stored) : undefined),
  object: (stored: unknown) => (typeof stored === 'string' ? readObject(stored) : undefined),
  media: readMedia,
};
