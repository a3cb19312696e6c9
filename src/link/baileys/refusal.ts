import { GatewayError } from '../../domain/errors.js';

/** The network's code in an error answer to a query; undefined when no answer came at all. */
export function refusalCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('data' in error)) return undefined;
  const { data } = error;
  if (typeof data === 'number') return data;
  // some queries carry the whole error node
  const attrs: unknown = data instanceof Object ? Reflect.get(data, 'attrs') : undefined;
  const code: unknown = attrs instanceof Object ? Reflect.get(attrs, 'code') : undefined;
  return typeof code === 'string' && /^\d+$/.test(code) ? Number(code) : undefined;
}

/** For a query that was refused for no reason that we know, or not answered. */
export function lookupFailed(cause: unknown): GatewayError {
  const code = refusalCode(cause);
  const why = code === undefined ? 'did not answer' : `refused (${code})`;
  return new GatewayError('lookup_failed', `The network ${why}. Try again.`, { cause });
}
