import { CONTROL_CONTRACT } from '../sandbox/index.js';
import { type ControlOperation, statusOf } from '../sandbox/operation.js';
import { namedType, typeOf } from './client.js';
import type { JsonSchema } from './json-schema.js';
import type { OpenApiDocument, OpenApiOperation } from './openapi.js';
import { sandboxDocument } from './sandbox-openapi.js';

const HEAD = `// Printed from src/contract/sandbox by \`npm run openapi\`: change that, not this file.

/** Sends the calls, and rejects those that the sandbox refuses. */
export interface SandboxTransport {
  /** Sends JSON, and reads JSON if there is any. */
  ask<Answer = void>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Sends a file. */
  send<Answer>(path: string, bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<Answer>;
}

const part = encodeURIComponent;
`;

/** The operations of the sandbox's client as TypeScript, without a dependency. @param version of the API */
export function sandboxClientSource(version: string): string {
  const document = sandboxDocument(version);
  const parts = [...new Set(CONTROL_CONTRACT.map(({ part = '' }) => part))];
  const classes = parts.map((name) => {
    const sections = CONTROL_CONTRACT.filter(({ part = '' }) => part === name);
    const methods = sections.flatMap(({ operations }) =>
      Object.entries(operations).flatMap(([id, operation]) => {
        const printed = document.paths[operation.path]?.[operation.method.toLowerCase()];
        // the client reads streams by itself
        return printed && typeof operation.answer !== 'string'
          ? methodOf(id, operation, printed, document)
          : [];
      }),
    );
    return classOf(name, methods);
  });
  const types = Object.entries(document.components.schemas).filter(([name]) => name !== 'Error');
  return [HEAD, ...types.map(([name, schema]) => namedType(name, schema)), ...classes].join('\n');
}

function classOf(part: string, methods: readonly string[]): string {
  const name = `Sandbox${part.charAt(0).toUpperCase()}${part.slice(1)}Operations`;
  return [
    '/** One method for each operation. */',
    `export class ${name} {`,
    '  readonly #transport: SandboxTransport;',
    '',
    '  constructor(transport: SandboxTransport) {',
    '    this.#transport = transport;',
    '  }',
    '',
    ...methods,
    '}',
    '',
  ].join('\n');
}

function methodOf(
  id: string,
  operation: ControlOperation,
  printed: OpenApiOperation,
  document: OpenApiDocument,
): string {
  const { method, path, summary, takesFile, client: { takes, gives } = {} } = operation;
  const answer = printed.responses[String(statusOf(operation))]?.content?.['application/json']?.schema;
  const params = printed.parameters.filter(({ in: where }) => where === 'path');
  const inPath = params.map(({ name }) => name);
  const body = bodyOf(takes, inPath, printed, document);
  const args = [
    ...params.map(({ name, schema }) => `${name}: ${typeOf(schema)}`),
    ...(takesFile ? ['bytes: Uint8Array | ReadableStream<Uint8Array>'] : body.args),
  ].join(', ');
  const where = `\`${path.replace(/\{(\w+)\}/g, (_, name: string) => `\${part(${name})}`)}\``;
  const type = answer ? typeOf(answer) : 'void';
  const given = gives === undefined ? type : typeOf(answer?.properties?.[gives] ?? {});
  const call = takesFile
    ? `this.#transport.send(${where}, bytes)`
    : `this.#transport.ask${gives ? `<{ ${gives}: ${given} }>` : ''}('${method}', ${where}${body.value && `, ${body.value}`})`;
  return [
    `  /** ${summary}. \`${method} ${path}\` */`,
    `  ${gives ? 'async ' : ''}${id}(${args}): Promise<${given}> {`,
    `    return ${gives ? `(await ${call}).${gives}` : call};`,
    '  }',
    '',
  ].join('\n');
}

/** The arguments for the body, and the expression that makes it of them. */
function bodyOf(
  takes: readonly string[] | undefined,
  inPath: readonly string[],
  printed: OpenApiOperation,
  { components }: OpenApiDocument,
) {
  const schema = printed.requestBody?.content['application/json']?.schema;
  if (!schema) return { args: [], value: '' };
  if (!takes) {
    const { required, minProperties } = components.schemas[typeOf(schema)] ?? schema;
    const isOptional = required === undefined && minProperties === undefined;
    return { args: [`request: ${typeOf(schema)}${isOptional ? ' = {}' : ''}`], value: 'request' };
  }
  const { properties = {}, required = [] } = schema;
  // the path may have a field of the same name
  const fields = takes.map((name) => ({ name, arg: inPath.includes(name) ? `${name}After` : name }));
  return {
    args: fields.map(
      ({ name, arg }) => `${arg}${required.includes(name) ? '' : '?'}: ${argumentOf(properties[name] ?? {})}`,
    ),
    value: `{ ${fields.map(({ name, arg }) => (name === arg ? name : `${name}: ${arg}`)).join(', ')} }`,
  };
}

/** Any object is taken where the contract names no fields. */
function argumentOf(schema: JsonSchema): string {
  return schema.type === 'object' && !schema.properties ? 'object' : typeOf(schema);
}
