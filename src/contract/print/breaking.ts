import type { JsonSchema } from './json-schema.js';
import type { OpenApiDocument, OpenApiOperation } from './openapi.js';

type Schemas = Record<string, JsonSchema>;
/** A part of the API as two documents describe it. */
interface Pair {
  before: JsonSchema;
  after: JsonSchema;
}

/**
 * The changes that break callers, one line each: a removed path, field or value, a newly required field of a request, a
 * narrower bound.
 */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  return new Comparison(before.components.schemas, after.components.schemas).documents(before, after);
}

class Comparison {
  readonly #before: Schemas;
  readonly #after: Schemas;
  /** Components that are compared once, which also ends circles. */
  readonly #seen = new Set<string>();

  constructor(before: Schemas, after: Schemas) {
    this.#before = before;
    this.#after = after;
  }

  documents(before: OpenApiDocument, after: OpenApiDocument): string[] {
    const paths = Object.entries(before.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const where = `${method.toUpperCase()} ${path}`;
        const now = after.paths[path]?.[method];
        return now ? this.#operation(where, operation, now) : [`${where} is gone`];
      }),
    );
    const events = { $ref: '#/components/schemas/WebhookEvent' };
    return [...paths, ...this.#answer('event', { before: events, after: events })];
  }

  #operation(where: string, before: OpenApiOperation, after: OpenApiOperation): string[] {
    const renamed =
      before.operationId === after.operationId
        ? []
        : [`${where} was ${before.operationId} and is ${after.operationId} in the client`];
    return [
      ...renamed,
      ...this.#parameters(where, before, after),
      ...Object.entries(before.requestBody?.content ?? {}).flatMap(([type, content]) => {
        const now = after.requestBody?.content[type];
        return now
          ? this.#request(where, { before: content.schema, after: now.schema })
          : [`${where} takes no ${type} now`];
      }),
      ...(before.requestBody || !after.requestBody?.required
        ? []
        : this.#newlyRequired(where, {}, Object.values(after.requestBody.content)[0]?.schema ?? {})),
      ...Object.entries(before.responses).flatMap(([status, response]) =>
        Object.entries(response.content ?? {}).flatMap(([type, { schema }]) => {
          const now = after.responses[status]?.content?.[type];
          if (!now) return [`${where} does not answer ${status} with ${type} now`];
          return this.#answer(where, { before: schema ?? {}, after: now.schema ?? {} });
        }),
      ),
    ];
  }

  #parameters(where: string, before: OpenApiOperation, after: OpenApiOperation): string[] {
    const objectOf = ({ parameters }: OpenApiOperation): JsonSchema => ({
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
    });
    return this.#request(where, { before: objectOf(before), after: objectOf(after) });
  }

  /** Breaking changes of a request: every accepted request must still be accepted. */
  #request(where: string, pair: Pair): string[] {
    const { before, after } = this.#resolved(pair);
    return [
      ...this.#newlyRequired(where, before, after),
      ...narrowed(where, before, after),
      ...Object.entries(before.properties ?? {}).flatMap(([name, field]) => {
        const now = after.properties?.[name];
        if (now) return this.#request(`${where}: ${name}`, { before: field, after: now });
        return after.additionalProperties === false ? [`${where} does not take ${name} now`] : [];
      }),
      ...(before.items && after.items
        ? this.#request(`${where}[]`, { before: before.items, after: after.items })
        : []),
      ...(optionsOf(before).length > optionsOf(after).length ? [`${where} takes fewer shapes`] : []),
    ];
  }

  #newlyRequired(where: string, before: JsonSchema, after: JsonSchema): string[] {
    const had = before.required ?? [];
    return (after.required ?? [])
      .filter((name) => !had.includes(name))
      .map((name) => `${where} needs ${name} now`);
  }

  /** Breaking changes of an answer: every field must remain, with its type. */
  #answer(where: string, pair: Pair): string[] {
    const name = pair.before.$ref ?? '';
    if (name !== '' && this.#seen.has(name)) return [];
    this.#seen.add(name);
    const { before, after } = this.#resolved(pair);
    if (String(before.type) !== String(after.type))
      return [`${where} was ${before.type} and is ${after.type}`];
    const known = [...(before.enum ?? []), ...(after['x-opt-in'] ?? [])];
    const values = before.enum ? (after.enum ?? []).filter((value) => !known.includes(value)) : [];
    return [
      ...values.map((value) => `${where} may be ${JSON.stringify(value)} now`),
      ...(before.enum && !after.enum ? [`${where} may be any text now`] : []),
      ...Object.entries(before.properties ?? {}).flatMap(([field, schema]) => {
        const now = after.properties?.[field];
        if (!now) return [`${where} has no ${field} now`];
        const isRarer = before.required?.includes(field) && !after.required?.includes(field);
        const rarer = isRarer ? [`${where} may lack ${field} now`] : [];
        return [...rarer, ...this.#answer(`${where}: ${field}`, { before: schema, after: now })];
      }),
      ...(before.items && after.items
        ? this.#answer(`${where}[]`, { before: before.items, after: after.items })
        : []),
      ...this.#members(where, before, after),
    ];
  }

  /** Breaking changes of a union: new members are allowed only if a discriminator field exists, as in events. */
  #members(where: string, before: JsonSchema, after: JsonSchema): string[] {
    const [had, has] = [optionsOf(before), optionsOf(after)];
    const lost = had.flatMap((member, index) => {
      const now = member.$ref ? has.find(({ $ref }) => $ref === member.$ref) : has[index];
      return now
        ? this.#answer(where, { before: member, after: now })
        : [`${where} is never ${member.$ref ?? 'one of its shapes'} now`];
    });
    const isNew = has.length > had.length && !after.discriminator;
    return isNew ? [...lost, `${where} may have another shape now`] : lost;
  }

  #resolved({ before, after }: Pair): Pair {
    return { before: resolved(before, this.#before), after: resolved(after, this.#after) };
  }
}

function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  return schema.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
}

function optionsOf({ anyOf, oneOf }: JsonSchema): JsonSchema[] {
  return anyOf ?? oneOf ?? [];
}

const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems'] as const;
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems'] as const;

function narrowed(where: string, before: JsonSchema, after: JsonSchema): string[] {
  const found: string[] = [];
  if (String(before.type) !== String(after.type))
    found.push(`${where} was ${before.type} and is ${after.type}`);
  if (after.enum) {
    const gone = (before.enum ?? ['any text']).filter((value) => !after.enum?.includes(value));
    found.push(...gone.map((value) => `${where} must not be ${JSON.stringify(value)} now`));
  }
  if (before.pattern !== after.pattern && after.pattern !== undefined) {
    found.push(`${where} must match ${after.pattern} now`);
  }
  for (const bound of LOWER_BOUNDS) {
    const [was, is] = [Number(before[bound] ?? -Infinity), Number(after[bound] ?? -Infinity)];
    if (is > was) found.push(`${where} has the ${bound} ${is} now`);
  }
  for (const bound of UPPER_BOUNDS) {
    const [was, is] = [Number(before[bound] ?? Infinity), Number(after[bound] ?? Infinity)];
    if (is < was) found.push(`${where} has the ${bound} ${is} now`);
  }
  return found;
}

/** The breaking changes that the section "Unreleased" of a changelog does not name, by their path, under "Breaking". */
export function unannounced(changes: readonly string[], changelog: string): string[] {
  const unreleased = sectionOf(changelog, '## [Unreleased]', '## ');
  const announced = sectionOf(unreleased, '### Breaking', '### ');
  return changes.filter((change) => {
    const path = /\/[^\s:[\]]*/.exec(change)?.[0] ?? 'event';
    return !announced.includes(path);
  });
}

function sectionOf(text: string, heading: string, next: string): string {
  const [, after = ''] = text.split(`${heading}\n`);
  return after.split(`\n${next}`, 1)[0] ?? '';
}
