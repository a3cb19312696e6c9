import { Binary, type Document } from 'mongodb';

/** One key as it is written; `value` null deletes it. */
export interface StoredChange {
  type: string;
  id: string;
  value: Binary | null;
}

/** A journal entry as it is written. */
export interface StoredEntry {
  id: string;
  messageId: string;
  plain: Binary;
  stanza: Binary;
  receivedAt: number;
  closedAt?: number;
}

/** The change of one document that belongs to a message. */
export interface StoredRow {
  to: 'sends' | 'traces';
  messageId: string;
  fields: Document;
  /** Inserts or changes it; changes it if it is there; or inserts it if it is not. */
  how: 'put' | 'change' | 'add';
}

/** The changes of one commit, with copies of all values. */
export interface Changes {
  /** Each key at most once. */
  keys: StoredChange[];
  journal: StoredEntry[];
  /** Journal entries that are closed; earlier releases wrote none. */
  closed?: { ids: string[]; at: number }[];
  rows?: StoredRow[];
  /** Deletes all earlier keys. */
  clear?: boolean;
}

/** The position of a session's last commit. */
export interface Head {
  /** Number of the last commit. Grows for ever, even if the session is deleted and created anew. */
  n: number;
  /** Keys of commits before this number are deleted. */
  since: number;
}

/** A written commit. Applying it to the collections twice, or after a later one, changes nothing. */
export interface Commit extends Head {
  changes: Changes;
}

/** Bytes that a document needs beside its values, about. */
const AROUND = 160;

/** The size of changes in a document, in bytes, about. */
export function sizeOf({ keys, journal, closed = [], rows = [] }: Changes): number {
  let size = 0;
  for (const { value } of keys) size += AROUND + (value?.length() ?? 0);
  for (const { plain, stanza } of journal) size += 2 * AROUND + plain.length() + stanza.length();
  for (const { ids } of closed) size += AROUND * (1 + ids.length);
  for (const { fields } of rows) size += 2 * AROUND + sizeOfFields(fields);
  return size;
}

function sizeOfFields(fields: Document): number {
  let size = 0;
  for (const value of Object.values(fields)) {
    if (value instanceof Binary) size += value.length();
    else if (typeof value === 'string') size += value.length;
  }
  return size;
}

/** The change of one row alone. */
export function inRow(row: StoredRow): Changes {
  return { keys: [], journal: [], rows: [row] };
}

export function isEmpty({ keys, journal, closed = [], rows = [], clear = false }: Changes): boolean {
  return keys.length + journal.length + closed.length + rows.length === 0 && !clear;
}

/** The changes of several steps as those of one. A key that occurs twice has its last value. */
export function joined(steps: readonly Changes[]): Changes {
  const [only] = steps;
  if (only && steps.length === 1) return only;
  const keys = new Map(
    steps.flatMap((step) => step.keys.map((change) => [JSON.stringify([change.type, change.id]), change])),
  );
  return {
    keys: [...keys.values()],
    journal: steps.flatMap(({ journal }) => journal),
    closed: steps.flatMap(({ closed = [] }) => closed),
    rows: steps.flatMap(({ rows = [] }) => rows),
    ...(steps.some(({ clear }) => clear) && { clear: true }),
  };
}
