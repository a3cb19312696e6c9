import { type PrintedOperation, printedOperations } from './client.js';
import type { JsonSchema } from './json-schema.js';

const HEAD = `// Printed from src/contract by \`npm run openapi\`: change that, not this file.

/** A field of a request, as a command line offers it. */
export interface RequestField {
  /** \`list\`: of texts; \`object\`: with any fields; \`other\`: anything else, such as a fraction or a list of objects. */
  type: 'text' | 'integer' | 'flag' | 'list' | 'object' | 'other';
  required?: true;
  description?: string;
  /** The value that an absent field has. */
  default?: string | number | boolean;
  options?: readonly string[];
  min?: number;
  max?: number;
}
`;

/** The fields of every request of the client, without the schema library: commands start without loading it. */
export function requestsSource(version: string): string {
  const requests = printedOperations(version).flatMap((operation) =>
    operation.request ? [[operation.id, fieldsOf(operation)] as const] : [],
  );
  const table = JSON.stringify(Object.fromEntries(requests));
  return `${HEAD}
/** By operation and field. */
export const REQUESTS = ${table} as const satisfies Record<string, Record<string, RequestField>>;
`;
}

function fieldsOf({ request }: PrintedOperation): Record<string, object> {
  const { properties = {}, required = [] } = request ?? {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, fieldOf(schema, required.includes(name))]),
  );
}

function fieldOf(schema: JsonSchema, isRequired: boolean): object {
  const { description, default: value, minimum, maximum } = schema;
  const type = typeOf(schema);
  return {
    type,
    required: isRequired || undefined,
    description,
    default: ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined,
    options: type === 'text' ? schema.enum : undefined,
    min: minimum,
    max: maximum,
  };
}

function typeOf({ type, items }: JsonSchema): string {
  if (type === 'string') return 'text';
  if (type === 'boolean') return 'flag';
  if (type === 'array') return items?.type === 'string' ? 'list' : 'other';
  return type === 'integer' || type === 'object' ? type : 'other';
}
