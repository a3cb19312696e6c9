import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';
import { parseObject } from './json-api.js';

export const METHODS = ['GET', 'POST'] as const;

/** A call of any route, as it was typed. */
export interface RawCall {
  method: (typeof METHODS)[number];
  path: string;
  /** `name=text` */
  fields: readonly string[];
  /** `name=JSON` */
  jsonFields: readonly string[];
  /** A JSON object; `undefined` when there is none. */
  body: string | undefined;
}

/**
 * Calls a route: fields go where the contract wants them, into the query of a GET and into the body of a POST.
 * @returns the answer's object, or its text when it is no JSON
 * @throws CliError by the answer's status
 */
export async function rawCall(client: DaemonClient, call: RawCall): Promise<object | string> {
  const text = await client.text(call.method, call.path, inputOf(call));
  return parseObject(text) ?? text;
}

/** @throws CliError `usage` */
function inputOf(call: RawCall): { query?: Record<string, string>; body?: object } {
  const { method, path } = call;
  if (!path.startsWith('/')) throw new CliError('usage', `${path} is no path: it begins with /`);
  const fields = { ...texts(call.fields), ...values(call.jsonFields) };
  if (method === 'GET') {
    if (call.body !== undefined) throw new CliError('usage', 'a GET has no body; use --field');
    return { query: asText(fields) };
  }
  return { body: { ...parseBody(call.body), ...fields } };
}

function parseBody(body: string | undefined): object {
  if (body === undefined) return {};
  const value = parseObject(body);
  if (value) return value;
  throw new CliError('usage', 'the body is no JSON object');
}

function texts(fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.map(pair));
}

function values(fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map(pair).map(([name, text]) => [name, parseValue(name, text)]));
}

function parseValue(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError('usage', `--json-field ${name}: ${text} is no JSON`, { cause: error });
  }
}

function asText(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function pair(field: string): [string, string] {
  const at = field.indexOf('=');
  if (at > 0) return [field.slice(0, at), field.slice(at + 1)];
  throw new CliError('usage', `${field} is no field: name=value`);
}
