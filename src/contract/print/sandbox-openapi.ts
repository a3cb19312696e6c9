import type { ObjectSchema } from 'joi';
import { SANDBOX_ERRORS } from '../sandbox/errors.js';
import { CONTROL_CONTRACT, type ControlSection } from '../sandbox/index.js';
import { type ControlOperation, controlErrorsOf, statusOf } from '../sandbox/operation.js';
import { networkEvent } from '../sandbox/stream.js';
import { type Components, jsonSchemaOf } from './json-schema.js';
import {
  codesByStatus,
  exampleOf,
  type OpenApiDocument,
  type OpenApiOperation,
  parametersOf,
} from './openapi.js';

/** The media type of a file of any type. */
const FILE = 'application/octet-stream';

/** Prints the contract of the sandbox's control API. @param version of the API, `<year>-<month>` */
export function sandboxDocument(version: string): OpenApiDocument {
  const components: Components = new Map();
  const paths: OpenApiDocument['paths'] = {};
  for (const section of CONTROL_CONTRACT) {
    for (const [id, operation] of Object.entries(section.operations)) {
      paths[operation.path] = {
        ...paths[operation.path],
        [operation.method.toLowerCase()]: printOperation(id, operation, section, components),
      };
    }
  }
  jsonSchemaOf(networkEvent, { components, isRead: true });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchboard sandbox',
      version,
      description:
        'The control API of the simulated network: what people do on their phones, and what the network does to its ' +
        'clients. It has no token. The body of every error is `{"error": "<message>", "code": "<code>"}`: the message ' +
        'is for people, the code is stable and for programs.',
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: '/' }],
    tags: CONTROL_CONTRACT.map(({ name, summary }) => ({ name, description: summary })),
    paths,
    components: {
      securitySchemes: {},
      responses: {},
      schemas: {
        Error: {
          type: 'object',
          properties: { error: { type: 'string' }, code: { $ref: '#/components/schemas/SandboxErrorCode' } },
          required: ['error', 'code'],
        },
        SandboxErrorCode: { type: 'string', enum: Object.keys(SANDBOX_ERRORS).sort() },
        ...Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      },
    },
  };
}

function printOperation(
  id: string,
  operation: ControlOperation,
  { name, part }: ControlSection,
  components: Components,
): OpenApiOperation {
  const { summary, description, query, params, body, takesFile } = operation;
  const schemaOf = (schema: ObjectSchema) => jsonSchemaOf(schema, { components, isRead: false });
  const example = body && exampleOf(body);
  return {
    operationId: part ? `${part}.${id}` : id,
    tags: [name],
    summary,
    ...(description && { description }),
    parameters: [
      ...parametersOf('query', query && schemaOf(query)),
      ...parametersOf('path', params && schemaOf(params)),
    ],
    ...(body && {
      requestBody: {
        required: body.$_getFlag('default') === undefined,
        content: { 'application/json': { schema: schemaOf(body), ...(example && { example }) } },
      },
    }),
    ...(takesFile && { requestBody: { required: true, content: { [FILE]: { schema: {} } } } }),
    responses: { ...toResponses(operation, components), ...failuresOf(operation) },
  };
}

function toResponses(operation: ControlOperation, components: Components): OpenApiOperation['responses'] {
  const { answer, example } = operation;
  if (answer === undefined) return { '204': { description: 'Done' } };
  const content =
    typeof answer === 'string'
      ? { [answer]: {} }
      : { 'application/json': { schema: jsonSchemaOf(answer, { components, isRead: true }), example } };
  return { [String(statusOf(operation))]: { description: 'Done', content } };
}

/** One response for each status, with the codes that it may carry. */
function failuresOf(operation: ControlOperation): OpenApiOperation['responses'] {
  const byStatus = codesByStatus(controlErrorsOf(operation), SANDBOX_ERRORS);
  const schema = { $ref: '#/components/schemas/Error' };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: { 'application/json': { schema } },
      },
    ]),
  );
}
