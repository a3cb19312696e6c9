import type { JsonSchema } from './json-schema.js';
import type { OpenApiDocument, OpenApiOperation } from './openapi.js';
import { openApiDocument } from './openapi.js';

/** Operations without a client method: the page of the API, and the stream, which the client reads with code of its own. */
const WITHOUT_METHOD: readonly string[] = [
  'getDocsPage',
  'getDocsFile',
  'getPairPage',
  'getPairPageFile',
  'streamEvents',
];

const HEAD = `// Printed from src/contract by \`npm run openapi\`: change that, not this file.

/** Options of a call. */
export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
  /** For a send: the same key within 24 h sends once and returns the first answer. */
  idempotencyKey?: string;
  /** Additional headers, such as \`Range\` for a part of a file. */
  headers?: Record<string, string>;
}

/** The places of a request's fields; all other fields go into the body. */
export interface Call {
  method: 'GET' | 'POST';
  path: string;
  query: readonly string[];
}

/** Sends the calls, and rejects those that the gateway refuses. */
export interface Transport {
  json<Answer>(call: Call, request: object, options?: CallOptions): Promise<Answer>;
  response(call: Call, request: object, options?: CallOptions): Promise<Response>;
}
`;

const CLASS = `/** An operation that answers JSON. */
export type OperationName = keyof typeof CALLS;

/** The request of an operation. */
export type RequestOf<Name extends OperationName> = NonNullable<Parameters<Operations[Name]>[0]>;

/** What an operation answers. */
export type AnswerOf<Name extends OperationName> = Awaited<ReturnType<Operations[Name]>>;

/** One method for each operation. */
export class Operations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Calls an operation by its name, with a request that only the gateway checks. */
  callByName<Name extends OperationName>(name: Name, request: object, options?: CallOptions): Promise<AnswerOf<Name>> {
    return this.#transport.json<AnswerOf<Name>>(CALLS[name], request, options);
  }
`;

/** The client's operations as TypeScript, without a dependency. @param version of the API */
export function clientSource(version: string): string {
  const document = openApiDocument(version);
  const operations = operationsOf(document);
  return [
    HEAD,
    ...Object.entries(document.components.schemas).map(([name, schema]) => namedType(name, schema)),
    ...operations.map(({ id, request }) => request && namedType(requestName(id), request)),
    `/** The calls of the operations that answer JSON. */\nconst CALLS = {`,
    ...operations.flatMap((operation) =>
      operation.answer ? [`${operation.id}: ${callOf(operation)},`] : [],
    ),
    '} as const satisfies Record<string, Call>;\n',
    CLASS,
    ...operations.map(methodOf),
    '}',
  ]
    .filter((part) => part !== undefined)
    .join('\n');
}

/** The operations that have a method. @param version of the API */
export function printedOperations(version: string): PrintedOperation[] {
  return operationsOf(openApiDocument(version));
}

/** An operation as its method is printed. */
export interface PrintedOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  query: string[];
  /** Schema of all inputs as one object; undefined if there are none. */
  request: JsonSchema | undefined;
  /** Schema of the answer; undefined if it is not JSON. */
  answer: JsonSchema | undefined;
}

function operationsOf({ paths }: OpenApiDocument): PrintedOperation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      method === 'head' ? [] : printed(path, method.toUpperCase(), operation),
    ),
  );
  return all.filter(({ id }) => !WITHOUT_METHOD.includes(id));
}

function printed(path: string, method: string, operation: OpenApiOperation): PrintedOperation {
  const body = operation.requestBody?.content['application/json']?.schema ?? {};
  // leave out the optional `clientId` of the query if the body of a POST has it
  const parameters = operation.parameters.filter(
    ({ name, in: where }) => where !== 'header' && !(name in (body.properties ?? {})),
  );
  const properties = {
    ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    ...body.properties,
  };
  const required = parameters.flatMap((parameter) => (parameter.required ? [parameter.name] : []));
  return {
    id: operation.operationId,
    method,
    path,
    summary: operation.summary,
    query: parameters.flatMap(({ name, in: where }) => (where === 'query' ? [name] : [])),
    request:
      Object.keys(properties).length === 0
        ? undefined
        : { type: 'object', properties, required: [...required, ...(body.required ?? [])] },
    answer: operation.responses['200']?.content?.['application/json']?.schema,
  };
}

function requestName(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`;
}

function callOf({ method, path, query }: PrintedOperation): string {
  return `{ method: '${method}', path: '${path}', query: ${JSON.stringify(query)} }`;
}

function methodOf(operation: PrintedOperation): string {
  const { id, method, path, summary, request, answer } = operation;
  const isOptional = (request?.required ?? []).length === 0;
  const takes = request ? `request: ${requestName(id)}${isOptional ? ' = {}' : ''}, ` : '';
  const call = answer ? `CALLS.${id}` : callOf(operation);
  const how = answer ? 'json' : 'response';
  return [
    `  /** ${summary}. \`${method} ${path}\` */`,
    `  ${id}(${takes}options?: CallOptions): Promise<${answer ? typeOf(answer) : 'Response'}> {`,
    `    return this.#transport.${how}(${call}, ${request ? 'request' : '{}'}, options);`,
    '  }',
    '',
  ].join('\n');
}

/** A named schema as a type. */
export function namedType(name: string, schema: JsonSchema): string {
  const text = typeOf(schema);
  return schema.properties ? `export interface ${name} ${text}\n` : `export type ${name} = ${text};\n`;
}

/** A JSON Schema as a TypeScript type. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, type, enum: values, items, properties, patternProperties } = schema;
  const options = schema.anyOf ?? schema.oneOf;
  if ($ref) return $ref.split('/').at(-1) ?? 'unknown';
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (options) return unionOf(options);
  if (type === 'array') return `(${items ? typeOf(items) : 'unknown'})[]`;
  if (properties) return objectOf(properties, schema.required ?? []);
  if (patternProperties) return `Record<string, ${unionOf(Object.values(patternProperties))}>`;
  if (type === 'object') return 'Record<string, unknown>';
  if (type === 'integer' || type === 'number') return 'number';
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ');
  return type === 'string' || type === 'boolean' || type === 'null' ? type : 'unknown';
}

function unionOf(schemas: readonly JsonSchema[]): string {
  return [...new Set(schemas.map(typeOf))].join(' | ');
}

function objectOf(properties: Record<string, JsonSchema>, required: readonly string[]): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `/** ${schema.description.replaceAll('*/', '')} */\n` : '';
    return `${comment}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`;
  });
  return `{\n${lines.join('\n')}\n}`;
}
