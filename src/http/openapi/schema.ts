import type { Schema } from 'joi';

/** A JSON Schema of draft 2020-12, which is the dialect of OpenAPI 3.1. */
export type JsonSchema = Record<string, unknown>;

/** A Joi schema as JSON Schema, with its examples and descriptions, which Joi's own rendering leaves out. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  const { $schema: _, ...rendered } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  annotate(rendered, schema.describe());
  return rendered;
}

/** Walks both trees side by side. */
function annotate(rendered: JsonSchema, described: Description): void {
  const [example] = described.examples ?? [];
  if (example !== undefined) rendered.examples = [example];
  if (described.flags?.description) rendered.description = described.flags.description;
  for (const [name, key] of Object.entries(described.keys ?? {})) {
    const property = propertyOf(rendered.properties, name);
    if (property) annotate(property, key);
  }
  const [item] = described.items ?? [];
  if (item && isSchema(rendered.items)) annotate(rendered.items, item);
}

/** The part of Joi's description that is used here. */
interface Description {
  flags?: { description?: string };
  examples?: unknown[];
  keys?: Record<string, Description>;
  items?: Description[];
}

function propertyOf(properties: unknown, name: string): JsonSchema | undefined {
  const property: unknown = isSchema(properties) ? properties[name] : undefined;
  return isSchema(property) ? property : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
