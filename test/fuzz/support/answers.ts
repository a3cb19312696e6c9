import { gunzipSync, inflateSync } from 'node:zlib';
import { parseJson } from '../../../src/domain/json.js';
import type { HttpCase } from './http-cases.js';
import { DESCRIBED } from './plausible.js';

export interface Answer {
  status: number;
  contentType: string;
  text: string;
}

/** The one answer with secrets: an export is to be used elsewhere. */
const EXPORT = /^\/export(\?|$)/;
const PAIR_PAGE = /^GET \/pair\/[^/?]*(\?|$)/;

/** The text of a body, which the server may have compressed. @param encoding the header `content-encoding` */
export function textOf(body: Buffer, encoding: unknown): string {
  if (encoding === 'gzip') return gunzipSync(body).toString();
  return (encoding === 'deflate' ? inflateSync(body) : body).toString();
}

/** What is wrong with an answer; empty when nothing is. @param secrets that no answer may have */
export function faultOf(
  request: HttpCase,
  { status, contentType, text }: Answer,
  secrets: readonly string[],
): string {
  const isExport = status === 200 && EXPORT.test(request.path);
  if (!isExport && secrets.some((secret) => text.includes(secret))) return 'a secret in the answer';
  if (status < 400) return '';
  if (status >= 500 && !isDocumented(status, request, text)) return 'an undocumented 5xx';
  if (request.method === 'HEAD') return '';
  // people open a one-time address in a browser, also one that has expired: the answer is a page
  if (
    status === 404 &&
    PAIR_PAGE.test(`${request.method} ${request.path}`) &&
    contentType.startsWith('text/html')
  )
    return '';
  if (!contentType.startsWith('application/json')) return `an error as ${contentType || 'nothing'}`;
  return isErrorBody(text) ? '' : 'a wrong error body';
}

/** With a store that works, only the network can be the reason. */
function isDocumented(status: number, { method, path }: HttpCase, text: string): boolean {
  return mayFail(method, path).has(status) && !/internal|undefined|TypeError/.test(text);
}

/** Statuses that the contract lists for whatever the network answers. */
function mayFail(method: string, path: string): ReadonlySet<number> {
  const name = `${method} ${path.split(/[/?]/).slice(0, 2).join('/')}`;
  const found = [...DESCRIBED].find(([route]) => route === name || route.startsWith(`${name}/{`));
  return found?.[1].mayFail ?? new Set();
}

/** Whether a text is the one form of errors. */
export function isErrorBody(text: string): boolean {
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null || Object.keys(body).join() !== 'error') return false;
  return 'error' in body && typeof body.error === 'string' && body.error !== '' && body.error.length <= 1_000;
}

/** A case for the message of a failure. */
export function describeCase(index: number, { method, path, headers, body }: HttpCase): string {
  return `case ${index}: ${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${String(body).slice(0, 500)}`;
}
