import type { Schema } from 'joi';

/** A JSON Schema of draft 2020-12, which is the dialect of OpenAPI 3.1. */
export interface JsonSchema {
  $ref?: string;
  /** Several for a value that may be null. */
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean;
  patternProperties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  examples?: unknown[];
  /** Values that only callers see who asked for them. */
  'x-opt-in'?: string[];
  [keyword: string]: unknown;
}

/** The schemas that have a name, by it. */
export type Components = Map<string, JsonSchema>;

/** The part of Joi's description that is used here. */
interface Description {
  flags?: { description?: string };
  allow?: unknown[];
  examples?: unknown[];
  metas?: { name?: string; discriminator?: string; maxLength?: number; optIn?: string[] }[];
  keys?: Record<string, Description>;
  items?: Description[];
  matches?: { schema?: Description; switch?: { then?: Description }[] }[];
  /** Conditions on other fields. */
  whens?: unknown[];
}

/** How to print schemas: as what callers send, or as what they read. */
interface Mode {
  components: Components;
  /** Readers ignore fields that they do not know, so that new ones can come. */
  isRead: boolean;
}

/** A schema as JSON Schema; those with a name are added to the components and referred to. */
export function jsonSchemaOf(schema: Schema, mode: Mode): JsonSchema {
  const { $schema: _, ...rendered } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return printed(rendered, schema.describe(), mode);
}

/** The words of Markdown: the links are those of the pages of docs/, which a document or a type is not beside. */
export function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}

const OWN = '#/$defs/';

/** Walks Joi's own rendering and its description side by side: the rendering lacks examples, names and more. */
function printed(rendered: JsonSchema, described: Description, mode: Mode): JsonSchema {
  // a schema inside itself: its name is also its id
  if (rendered.$ref?.startsWith(OWN)) return { $ref: rendered.$ref.replace(OWN, '#/components/schemas/') };
  const { whens, ...plain } = described;
  const [only, ...more] = rendered.anyOf ?? [];
  // JSON Schema has no word for a field that is allowed only beside another one
  if (whens && only && more.length === 0) return printed(only, plain, mode);
  const schema = withEmptyText(rendered, described);
  if (mode.isRead && schema.additionalProperties === false) delete schema.additionalProperties;
  for (const { maxLength, optIn } of described.metas ?? []) {
    if (maxLength) schema.maxLength = maxLength;
    if (optIn) schema['x-opt-in'] = optIn;
  }
  const [example] = described.examples ?? [];
  if (example !== undefined) schema.examples = [example];
  if (described.flags?.description) schema.description = withoutLinks(described.flags.description);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const key = described.keys?.[name];
    if (key && schema.properties) schema.properties[name] = printed(property, key, mode);
  }
  const [item] = described.items ?? [];
  if (item && schema.items) schema.items = printed(schema.items, item, mode);
  if (schema.anyOf && described.matches) {
    const matches = described.matches.flatMap((match) =>
      match.switch ? match.switch.map(({ then }) => then) : match.schema,
    );
    schema.anyOf = schema.anyOf.map((option, index) => {
      const match = matches[index];
      return match ? printed(option, match, mode) : option;
    });
  }
  return referred(schema, described, mode);
}

/** Allows `""` in addition to length, pattern and format, which Joi's rendering omits. */
function withEmptyText(rendered: JsonSchema, { allow = [] }: Description): JsonSchema {
  if (!allow.includes('')) return rendered;
  const { minLength: _, format: __, pattern, ...rest } = rendered;
  return pattern === undefined ? rest : { ...rest, pattern: `^$|${pattern}` };
}

/** Adds a schema with a name to the components. A description stays where the schema is used. */
function referred(schema: JsonSchema, { metas = [] }: Description, { components }: Mode): JsonSchema {
  const { name, discriminator }: { name?: string; discriminator?: string } = Object.assign({}, ...metas);
  if (name === undefined) return schema;
  const { description, ...component } = schema;
  components.set(name, discriminator === undefined ? component : union(component, discriminator, components));
  return { $ref: `#/components/schemas/${name}`, ...(description && { description }) };
}

/** A union with a discriminator field. */
function union({ anyOf = [] }: JsonSchema, propertyName: string, components: Components): JsonSchema {
  const mapping = anyOf.flatMap(({ $ref = '' }) => {
    const member = components.get($ref.split('/').at(-1) ?? '');
    return (member?.properties?.[propertyName]?.enum ?? []).map((value) => [String(value), $ref] as const);
  });
  return { oneOf: anyOf, discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
}
