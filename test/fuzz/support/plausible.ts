import type { Description } from 'joi';
import { CONTRACT } from '../../../src/contract/index.js';
import { ERROR_STATUSES, type ErrorCode } from '../../../src/domain/errors.js';
import { type Prng, strangeValue } from './values.js';

/** What an operation takes, as its schemas say it. */
export interface Described {
  query: Fields;
  body: Fields;
  /** Statuses with which it may fail because of the network. */
  mayFail: ReadonlySet<number>;
}

/** Descriptions of fields by name. */
type Fields = Readonly<Record<string, Description>>;

/** Characters of a made-up text, and members of a made-up list. */
const MOST_CHARACTERS = 40;
const MOST_MEMBERS = 3;

/** All operations, by method and path as `GET /config` lists them. New operations are here by themselves. */
export const DESCRIBED: ReadonlyMap<string, Described> = new Map(
  CONTRACT.flatMap(({ operations }) => Object.values(operations)).map((operation) => [
    `${operation.method} ${operation.path}`,
    {
      query: fieldsOf(operation.query?.describe()),
      body: fieldsOf((operation.body ?? operation.form?.schema)?.describe()),
      mayFail: new Set(asksTheNetwork(operation.errors ?? []) ? [502] : []),
    },
  ]),
);

function asksTheNetwork(codes: readonly ErrorCode[]): boolean {
  return codes.some((code) => ERROR_STATUSES[code] === 502);
}

function fieldsOf(description: Description | undefined): Fields {
  const alternatives: { schema?: Description }[] = description?.matches ?? [];
  return Object.assign({}, description?.keys, ...alternatives.map(({ schema }) => fieldsOf(schema)));
}

export function isRequired({ flags }: Description): boolean {
  return flags !== undefined && 'presence' in flags && flags.presence === 'required';
}

/** A value that the schema accepts, often enough. */
export function plausible(prng: Prng, description: Description): unknown {
  const { type, examples, allow } = description;
  if (examples?.length && prng.chance(0.5)) return prng.pick<unknown>(examples);
  const values = (allow ?? []).filter((value: unknown) => typeof value !== 'object' || value === null);
  if (values.length > 0 && prng.chance(0.5)) return prng.pick<unknown>(values);
  switch (type) {
    case 'string':
      return prng.text(
        prng.int(Math.min(limitOf(description, 'min', 1), MOST_CHARACTERS), MOST_CHARACTERS),
        'abc äß🙂1+@.',
      );
    case 'number':
      return prng.int(limitOf(description, 'min', 0), limitOf(description, 'max', 100));
    case 'boolean':
      return prng.chance(0.5);
    case 'array':
      return members(prng, description);
    case 'object':
      return object(prng, fieldsOf(description));
    case 'alternatives': {
      const schemas: { schema?: Description }[] = description.matches ?? [];
      const { schema } = prng.pick(schemas);
      return schema ? plausible(prng, schema) : strangeValue(prng);
    }
    default:
      return strangeValue(prng);
  }
}

function members(prng: Prng, description: Description): unknown[] {
  const items: Description[] = description.items ?? [];
  const [item] = items;
  const least = limitOf(description, 'min', 0);
  const length = prng.int(Math.min(least, MOST_MEMBERS), MOST_MEMBERS);
  return Array.from({ length }, () => (item ? plausible(prng, item) : strangeValue(prng)));
}

function object(prng: Prng, fields: Fields): Record<string, unknown> {
  const chosen = Object.entries(fields).filter(([, field]) => prng.chance(isRequired(field) ? 0.98 : 0.3));
  return Object.fromEntries(chosen.map(([name, field]) => [name, plausible(prng, field)]));
}

function limitOf({ rules }: Description, name: string, otherwise: number): number {
  const limit: unknown = (rules ?? []).find((rule: { name: string }) => rule.name === name)?.args?.limit;
  return typeof limit === 'number' ? limit : otherwise;
}
