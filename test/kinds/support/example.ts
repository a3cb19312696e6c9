import type { Schema } from 'joi';

/** A payload made of a schema's own examples; fields without one are left out. */
export function examplePayload(schema: Schema): Record<string, unknown> {
  const fields = fieldsOf(schema).flatMap(([name, { examples = [] }]) =>
    examples.length > 0 ? [[name, examples[0]]] : [],
  );
  return Object.fromEntries(fields);
}

/** Names of the fields that a schema takes. */
export function fieldNames(schema: Schema): string[] {
  return fieldsOf(schema).map(([name]) => name);
}

/** Names of the fields that a schema needs. */
export function requiredFields(schema: Schema): string[] {
  return fieldsOf(schema).flatMap(([name, { flags }]) => (flags?.presence === 'required' ? [name] : []));
}

interface Field {
  examples?: unknown[];
  flags?: { presence?: string };
}

interface ObjectDescription extends Field {
  keys?: Record<string, Field>;
}

function fieldsOf(schema: Schema): [string, Field][] {
  const { keys = {} }: ObjectDescription = schema.describe();
  return Object.entries(keys);
}
