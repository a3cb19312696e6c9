import type { JsonObject } from '../../../domain/json.js';
import type { MessageMedia } from './json.js';

/** The kinds of fields, with the type of their values. */
interface Kinds {
  text: string;
  number: number;
  flag: boolean;
  bytes: Uint8Array;
  /** A list of texts. */
  texts: string[];
  object: JsonObject;
  media: MessageMedia;
}

/** How a field of a record is stored: what both back ends, the sealing and the backups need to know of it. */
export interface Field {
  readonly is: keyof Kinds;
  /** The texts that it may have. The first one is its blank value. */
  readonly of?: readonly string[];
  /** What the record has if nothing is stored: null, undefined, or no such field. By default the blank value of its kind. */
  readonly none?: 'null' | 'undefined' | 'absent';
  /** Backups of earlier releases lack the field, or have null. */
  readonly later?: true;
  /** The column of SQLite; by default the name in snake case. */
  readonly column?: string;
  /** MongoDB has it as the `_id` of the document. */
  readonly documentId?: true;
  /**
   * The value is encrypted, and bound to these fields of the record. The place of a sealed value (`sealing/envelope.ts`) is part
   * of the stored format: another place makes existing values unreadable.
   */
  readonly sealed?: readonly string[];
  /** The beginning of that place; by default the collection and the field. */
  readonly sealedAs?: readonly string[];
  /** How a flag is written in the place of a sealed value that is bound to it: for false, and for true. */
  readonly words?: readonly [string, string];
}

export type Fields = Readonly<Record<string, Field>>;

/** Records of a session that are stored alike. */
export interface Collection<T extends Fields = Fields> {
  /** Name of the table, of the MongoDB collection, and in backups. */
  readonly name: string;
  /** In the order of a backup. With a `clientId` if the record names its session. */
  readonly fields: T;
}

/** Declares the fields of a record, once. */
export function collection<const T extends Fields>(name: string, fields: T): Collection<T> {
  return { name, fields };
}

type PlainOf<F extends Field> = F extends { of: readonly (infer V)[] } ? V : Kinds[F['is']];
type ValueOf<F extends Field> =
  | PlainOf<F>
  | (F extends { none: 'null' } ? null : F extends { none: 'undefined' } ? undefined : never);

type Flat<T> = { [N in keyof T]: T[N] };

/** The record that fields make up. */
export type RecordOf<C> =
  C extends Collection<infer T>
    ? Flat<
        {
          -readonly [N in keyof T as T[N] extends { none: 'absent' } ? never : N]: ValueOf<T[N]>;
        } & {
          -readonly [N in keyof T as T[N] extends { none: 'absent' } ? N : never]?: ValueOf<T[N]>;
        }
      >
    : never;

/** How a back end reads the values of each kind: undefined for null, and for what is no such value. */
type Readers = { readonly [K in keyof Kinds]: (stored: unknown) => Kinds[K] | undefined };

/** Reads the stored values of a record, in the order of its fields. */
export type RecordReader<C> = (values: readonly unknown[]) => RecordOf<C>;

export function recordReader<C extends Collection>({ fields }: C, readers: Readers): RecordReader<C> {
  const steps = Object.entries(fields).map(([name, field]) => stepOf(name, field, readers[field.is]));
  return (values) => {
    const record = {};
    fill<RecordOf<C>>(record, steps, values);
    return record;
  };
}

/** A record of which nothing is stored. */
export function blankRecord<C extends Collection>({ fields }: C): RecordOf<C> {
  const steps = Object.entries(fields).map(([name, field]) => stepOf(name, field, () => undefined));
  const record = {};
  fill<RecordOf<C>>(record, steps, []);
  return record;
}

interface Step {
  name: string;
  read(stored: unknown): unknown;
  /** The value if nothing is stored; undefined for a field that is absent then. */
  none: (() => unknown) | undefined;
}

function stepOf(name: string, field: Field, read: (stored: unknown) => unknown): Step {
  const { of: texts } = field;
  return {
    name,
    read: texts ? (stored) => texts.find((text) => text === stored) : read,
    none: field.none === 'absent' ? undefined : () => noneOf(field),
  };
}

/** Gives a record all of its fields: it is whole then. */
function fill<R>(
  record: Record<string, unknown>,
  steps: readonly Step[],
  values: readonly unknown[],
): asserts record is Record<string, unknown> & R {
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index];
    if (!step) continue;
    const value = step.read(values[index]);
    if (value !== undefined) record[step.name] = value;
    else if (step.none) record[step.name] = step.none();
  }
}

/** The value of a field if nothing is stored. */
export function noneOf({ is, of: texts, none }: Field): unknown {
  if (none === 'null') return null;
  return none === undefined ? (texts?.[0] ?? BLANK[is]()) : undefined;
}

const BLANK: { readonly [K in keyof Kinds]: () => Kinds[K] | undefined } = {
  text: () => '',
  number: () => 0,
  flag: () => false,
  bytes: () => new Uint8Array(),
  texts: () => [],
  object: () => ({}),
  media: () => undefined,
};
