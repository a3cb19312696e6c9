import type { ObjectSchema } from 'joi';
import { ERROR_STATUSES, type ErrorCode } from '../../domain/errors.js';
import { sampleEvent } from '../events/sample.js';
import { CONTRACT, type Section } from '../index.js';
import { errorsOf, type Operation } from '../operation.js';
import { clientQuery } from '../schema.js';
import { EVENT_TYPES, streamEntry, webhookEvent } from '../webhooks.js';
import { type Components, type JsonSchema, jsonSchemaOf, withoutLinks } from './json-schema.js';

/** The API as an OpenAPI 3.1 document. */
export interface OpenApiDocument extends Record<string, unknown> {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, object>;
    securitySchemes: Record<string, object>;
  };
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters: { name: string; in: string; required: boolean; schema: JsonSchema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema?: JsonSchema }> }>;
  [keyword: string]: unknown;
}

/** Error codes of requests that reach no operation. */
const WITHOUT_OPERATION: readonly ErrorCode[] = ['route_unknown', 'headers_too_large'];
/** Fields of every send, which would only make each example longer. */
const LEFT_OUT: readonly string[] = ['quotedMessageId', 'mentions', 'metaData'];
const EXAMPLE_TIME = Date.UTC(2026, 10, 22, 10);
const EXAMPLE_ID = '3EB0A9253D5F6C2B1E7A90';
/** Statuses of requests that may succeed later. */
const REPEATABLE: readonly string[] = ['429', '503'];

/** Prints the contract. @param version of the API, `<year>-<month>` */
export function openApiDocument(version: string): OpenApiDocument {
  const components: Components = new Map();
  const failures: Failures = new Map();
  const paths: OpenApiDocument['paths'] = {};
  for (const section of CONTRACT) {
    for (const [id, operation] of Object.entries(section.operations)) {
      const path = operation.path.replace('?}', '}');
      const printed = printOperation(id, operation, section, components, failures);
      paths[path] = {
        ...paths[path],
        [operation.method.toLowerCase()]: printed,
        ...(isProbed(operation) && { head: headOf(printed) }),
      };
    }
  }
  const webhooks = { event: { post: printWebhook(components) } };
  jsonSchemaOf(streamEntry, { components, isRead: true });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchboard',
      version,
      description:
        'A self-hosted WhatsApp gateway. The body of every error is `{"error": "<message>"}`, for people; the header ' +
        '`X-SN-Error` has a stable code, for programs. Every GET also answers HEAD.',
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { secret: [] }],
    tags: CONTRACT.map(({ name, summary }) => ({ name, description: summary })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: "The API token, or a session's own secret" },
        secret: { type: 'apiKey', in: 'header', name: 'X-V3-Secret', description: 'The same, in a header' },
      },
      responses: Object.fromEntries([...failures].sort(([a], [b]) => (a < b ? -1 : 1))),
      schemas: {
        Error: { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] },
        ErrorCode: { type: 'string', enum: errorCodes() },
        ...Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      },
    },
  };
}

/** Every code that a caller may see. */
function errorCodes(): ErrorCode[] {
  const operations = CONTRACT.flatMap((section) => Object.values(section.operations));
  return [...new Set([...operations.flatMap(errorsOf), ...WITHOUT_OPERATION])].sort();
}

/** True for open GET operations, to which monitors and browsers send HEAD. */
function isProbed({ method, access }: Operation): boolean {
  return method === 'GET' && access === 'open';
}

/** The HEAD operation of a GET operation; its answers have no body. */
function headOf({ operationId, summary, responses, ...get }: OpenApiOperation): OpenApiOperation {
  const bodiless = Object.keys(responses).map((status) => [
    status,
    { description: 'As of GET, without a body' },
  ]);
  return {
    ...get,
    operationId: `head${operationId.replace(/^get/, '')}`,
    summary: `${summary}: the headers of GET alone`,
    responses: Object.fromEntries(bodiless),
  };
}

function printOperation(
  id: string,
  operation: Operation,
  section: Section,
  components: Components,
  failures: Failures,
): OpenApiOperation {
  const { summary, access = 'token', query, params, headers, body, form } = operation;
  const description = [operation.description, access === 'master' && 'Needs the master token.']
    .filter(Boolean)
    .join(' ');
  const schemaOf = (schema: ObjectSchema) => jsonSchemaOf(schema, { components, isRead: false });
  const example = body && exampleOf(body);
  return {
    operationId: id,
    tags: [section.name],
    summary,
    ...(description && { description: withoutLinks(description) }),
    ...(access === 'open' && { security: [] }),
    parameters: [
      ...parametersOf('query', schemaOf(query ?? clientQuery)),
      ...parametersOf('path', params && schemaOf(params)),
      ...parametersOf('header', headers && schemaOf(headers)),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaOf(body), ...(example && { example }) },
          ...(form && { 'multipart/form-data': { schema: schemaOf(form.schema) } }),
        },
      },
    }),
    responses: { ...answersOf(operation, components), ...failuresOf(operation, failures) },
  };
}

/** @param schema of an object: each of its fields is a parameter */
export function parametersOf(
  where: 'query' | 'path' | 'header',
  schema?: JsonSchema,
): OpenApiOperation['parameters'] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || (schema?.required ?? []).includes(name),
    schema: field,
  }));
}

/** A body made of the examples of its fields; undefined when it has none. */
export function exampleOf(body: ObjectSchema): Record<string, unknown> | undefined {
  const keys: Record<string, { examples?: unknown[] }> = body.describe().keys ?? {};
  const examples = Object.entries(keys).flatMap(([name, { examples }]) =>
    examples && !LEFT_OUT.includes(name) ? [[name, examples[0]] as const] : [],
  );
  return examples.length > 0 ? Object.fromEntries(examples) : undefined;
}

function answersOf({ answer, example, alsoAnswers = {} }: Operation, components: Components) {
  const content =
    typeof answer === 'string'
      ? { [answer]: {} }
      : {
          'application/json': {
            schema: jsonSchemaOf(answer, { components, isRead: true }),
            ...(example !== undefined && { example }),
          },
        };
  const others = Object.entries(alsoAnswers).map(([status, description]) => [
    status,
    { description, ...(status !== '304' && { content }) },
  ]);
  return { '200': { description: 'Done', content }, ...Object.fromEntries(others) };
}

/** Responses of failures by their possible codes; many operations share one. */
type Failures = Map<string, object>;

/** Error codes by their HTTP status. */
export function codesByStatus<Code extends string>(
  codes: readonly Code[],
  statuses: Readonly<Record<Code, number>>,
): Map<string, Code[]> {
  const found = new Map<string, Code[]>();
  for (const code of codes) {
    const status = String(statuses[code]);
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return found;
}

/** One response for each status, with its possible codes. */
function failuresOf(operation: Operation, failures: Failures): OpenApiOperation['responses'] {
  const responses = [...codesByStatus(errorsOf(operation), ERROR_STATUSES)].map(([status, codes]) => {
    const reason = operation.alsoAnswers?.[Number(status)];
    const response = {
      description: [reason, codes.map((code) => `\`${code}\``).join(', ')].filter(Boolean).join('; or '),
      headers: {
        'X-SN-Error': { description: 'What went wrong', schema: { type: 'string', enum: codes } },
        ...(REPEATABLE.includes(status) && {
          'Retry-After': { description: 'Seconds', schema: { type: 'integer' } },
        }),
      },
      content: {
        ...(reason && typeof operation.answer === 'string' && { [operation.answer]: {} }),
        'application/json': { schema: errorSchema(operation, status) },
      },
    };
    if (reason) return [status, response];
    const name = codes.join('.');
    failures.set(name, response);
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(responses);
}

/** The schema of an error; a union with the answer if that can have the same status. */
function errorSchema({ answer, alsoAnswers = {} }: Operation, status: string): JsonSchema {
  const error = { $ref: '#/components/schemas/Error' };
  if (!(Number(status) in alsoAnswers) || typeof answer === 'string') return error;
  return { anyOf: [jsonSchemaOf(answer, { components: new Map(), isRead: true }), error] };
}

function printWebhook(components: Components): Record<string, unknown> {
  const schema = jsonSchemaOf(webhookEvent, { components, isRead: true });
  const header = (name: string, description: string, required = true) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  });
  return {
    operationId: 'event',
    tags: ['Events'],
    summary: "An event, POSTed to the session's webhook",
    description:
      'Answer with a 2xx status within 15 s. A 429, a 5xx or no answer is tried again, 4 attempts in all; any other status ' +
      'rejects the event. Events may come twice and out of order: tell them apart by `clientId`, `chatRoomId` and ' +
      '`messageId`, and order them by `timestamp`.',
    parameters: [
      header('X-SN-Event', "The event's type"),
      header('X-SN-Delivery', 'Id of the delivery, the same in all attempts'),
      header('X-SN-Attempt', '1 to 4'),
      header('Authorization', "`Bearer` and the session's webhookToken", false),
      header('webhook-id', 'Id of the delivery (Standard Webhooks)', false),
      header('webhook-timestamp', 'Seconds since the epoch (Standard Webhooks)', false),
      header('webhook-signature', 'HMAC-SHA256 of id, timestamp and body (Standard Webhooks)', false),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema,
          examples: Object.fromEntries(
            EVENT_TYPES.map(({ type, summary }) => [type, { summary, value: sampleOf(type) }]),
          ),
        },
      },
    },
    responses: {
      '200': { description: 'Delivered, as with any 2xx' },
      '400': { description: 'Rejected, as with any other 4xx: not tried again' },
      '500': { description: 'Tried again, as with any 5xx and 429' },
    },
  };
}

/** A sample with fixed ids and times, so that each printing gives the same document. */
function sampleOf(type: (typeof EVENT_TYPES)[number]['type']): Record<string, unknown> {
  const event = sampleEvent(type, { clientId: 'acme', orgId: '', myLid: '', at: EXAMPLE_TIME });
  return { ...event, ...('messageId' in event && { messageId: EXAMPLE_ID }) };
}
