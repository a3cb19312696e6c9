import { parseObject, readJson } from '../../domain/json.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';

export const METHODS = ['GET', 'POST'] as const;

/**
 * Calls a route. Fields go into the query of a GET or the body of a POST.
 * @returns the JSON object of the answer, or its text
 * @throws CliError `usage`, or by the answer's status
 */
export async function rawCall(
  client: DaemonClient,
  {
    method,
    path,
    ...input
  }: {
    method: (typeof METHODS)[number];
    path: string;
    /** `name=text` */
    fields: readonly string[];
    /** `name=JSON` */
    jsonFields: readonly string[];
    /** A JSON object. */
    body: string | undefined;
  },
): Promise<object | string> {
  if (!path.startsWith('/')) throw new CliError('usage', `${path} is not a path: it must begin with /`);
  const fields = { ...texts(input.fields), ...values(input.jsonFields) };
  if (method === 'GET' && input.body !== undefined)
    throw new CliError('usage', 'a GET has no body: use --field');
  const text = await (method === 'GET'
    ? client.text(method, withQuery(path, fields))
    : client.text(method, path, { ...parseBody(input.body), ...fields }));
  return parseObject(text) ?? text;
}

function parseBody(body: string | undefined): object {
  if (body === undefined) return {};
  const value = parseObject(body);
  if (value) return value;
  throw new CliError('usage', 'the body is not a JSON object');
}

function texts(fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.map(pair));
}

function values(fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map(pair).map(([name, text]) => [name, parseValue(name, text)]));
}

function parseValue(name: string, text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    throw new CliError('usage', `--json-field ${name}: ${text} is not JSON`, { cause: error });
  }
}

function withQuery(path: string, fields: Readonly<Record<string, unknown>>): string {
  const url = new URL(`http://daemon${path}`);
  for (const [name, value] of Object.entries(fields)) {
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return `${url.pathname}${url.search}`;
}

function pair(field: string): [string, string] {
  const at = field.indexOf('=');
  if (at > 0) return [field.slice(0, at), field.slice(at + 1)];
  throw new CliError('usage', `${field} is not a field: use name=value`);
}
