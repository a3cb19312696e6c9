import {
  type Collection,
  type Field,
  type RecordOf,
  type RecordReader,
  recordReader,
} from '../port/fields.js';
import { readMedia, readObject, readTexts } from '../port/json.js';

/** A value in a column: flags are numbers, lists and objects JSON text. */
export type Column = string | number | Uint8Array | null;
export type Columns = Record<string, Column>;

/** A table of SQLite, as the fields of its records say. Each table has a column `client_id`, whether or not the records name it. */
export interface Table<C extends Collection> {
  /** The columns of a record, in the order that `read` takes them. */
  columns: string;
  /** `INTO … VALUES …`, with the parameters of `values`. */
  into: string;
  /** The columns of `into`: `client_id` first. */
  all: string;
  /** Their parameters by name, for `named`. */
  parameters: string;
  /** For an update: assignments of the parameters of `named` to all columns of a record but these. */
  assignBut(...fields: readonly (keyof RecordOf<C>)[]): string;
  /** A record from the row of a raw statement. */
  read: RecordReader<C>;
  values(clientId: string, record: RecordOf<C>): Column[];
  named(clientId: string, record: RecordOf<C>): Columns;
}

export function tableOf<C extends Collection>(of: C): Table<C> {
  const fields = Object.entries(of.fields);
  const own = columnsOf(of);
  const all = ['client_id', ...own.map(({ column }) => column)].join(', ');
  return {
    columns: fields.map(([name, field]) => columnOf(name, field)).join(', '),
    into: `INTO ${of.name} (${all}) VALUES (?${', ?'.repeat(own.length)})`,
    all,
    parameters: ['@clientId', ...own.map(({ name }) => `@${name}`)].join(', '),
    assignBut: (...kept) =>
      own
        .filter(({ name }) => !kept.some((one) => one === name))
        .map(({ name, column }) => `${column} = @${name}`)
        .join(', '),
    read: recordReader(of, READERS),
    values(clientId, record) {
      const known: Readonly<Record<string, unknown>> = record;
      const values: Column[] = [clientId];
      for (const { name } of own) values.push(toColumn(known[name]));
      return values;
    },
    named(clientId, record) {
      const known: Readonly<Record<string, unknown>> = record;
      const values: Columns = { clientId };
      for (const { name } of own) values[name] = toColumn(known[name]);
      return values;
    },
  };
}

/** The columns of the fields of a record, beside `client_id`. */
export function columnsOf({ fields }: Collection): { name: string; column: string }[] {
  return Object.entries(fields)
    .filter(([name]) => name !== 'clientId')
    .map(([name, field]) => ({ name, column: columnOf(name, field) }));
}

function columnOf(name: string, field: Field): string {
  return field.column ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toColumn(value: unknown): Column {
  if (typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array) return value;
  if (typeof value === 'boolean') return Number(value);
  return value === undefined || value === null ? null : JSON.stringify(value);
}

const textOr = <T>(read: (text: string) => T) => {
  return (stored: unknown) => (typeof stored === 'string' ? read(stored) : undefined);
};

const READERS = {
  text: textOr((text) => text),
  number: (stored: unknown) => (typeof stored === 'number' ? stored : undefined),
  flag: (stored: unknown) => (typeof stored === 'number' ? stored === 1 : undefined),
  bytes: (stored: unknown) => (stored instanceof Uint8Array ? stored : undefined),
  texts: textOr(readTexts),
  object: textOr(readObject),
  media: textOr((text) => readMedia(readObject(text))),
};
