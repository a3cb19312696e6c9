import { isObject, parseObject } from '../domain/json.js';
import type { Call, CallOptions, ErrorCode, PolicyRefusal } from './generated/operations.generated.js';

/** A reason as the gateway sends it. A newer gateway may have codes and values that this client does not know. */
export interface ReasonData {
  code: string;
  values: Readonly<Record<string, unknown>>;
}

/**
 * A failed call. `code` is the gateway's stable code, `unreachable` without an answer (`status` 0), or `unknown` if
 * something other than the gateway answered.
 */
export class SwitchboardError extends Error {
  readonly status: number;
  readonly code: ErrorCode | 'unreachable' | 'unknown';
  /** Seconds after which the gateway asks to try again. */
  readonly retryAfter: number | undefined;
  /** For `policy_refused`: the rule, what is left of its limit, and when it allows the message. */
  readonly policy: PolicyRefusal | undefined;
  /** The message as data, where its words depend on who reads it: docs/reasons.md. */
  readonly reason: ReasonData | undefined;

  constructor(
    message: string,
    about: Pick<SwitchboardError, 'status' | 'code'> & {
      retryAfter?: number;
      policy?: PolicyRefusal | undefined;
      reason?: ReasonData | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: about.cause });
    this.name = 'SwitchboardError';
    this.status = about.status;
    this.code = about.code;
    this.retryAfter = about.retryAfter;
    this.policy = about.policy;
    this.reason = about.reason;
  }
}

/** The URL and body of a request; a GET has no body. */
export function requestOf(
  { method, path, query }: Call,
  request: object,
): { method: Call['method']; path: string; body: object | undefined } {
  const fields = new Map<string, unknown>(Object.entries(request).filter(([, value]) => value !== undefined));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name) ?? '';
    fields.delete(name);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  for (const name of query) {
    const value = fields.get(name);
    if (value !== undefined) search.set(name, String(value));
    fields.delete(name);
  }
  return {
    method,
    path: search.size > 0 ? `${filled}?${search}` : filled,
    body: method === 'GET' ? undefined : Object.fromEntries(fields),
  };
}

/** The headers for a caller's options. */
export function headersOf({ headers, idempotencyKey }: CallOptions = {}): Record<string, string> {
  return { ...headers, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) };
}

/** The error of an answer that refuses a call. The message is the gateway's own, if a gateway refused. */
export function refusalOf(
  status: number,
  header: (name: string) => string | null,
  text: string,
): SwitchboardError {
  const retryAfter = Number(header('retry-after') ?? Number.NaN);
  return new SwitchboardError(messageIn(text) ?? `HTTP ${status}`, {
    status,
    code: codeIn(header('x-sn-error')),
    policy: policyIn(text),
    reason: reasonIn(header('x-sn-reason') ?? ''),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

/** @returns undefined when the body is not one of the gateway's errors */
export function messageIn(text: string): string | undefined {
  const error = parseObject(text)?.error;
  return typeof error === 'string' ? error : undefined;
}

function policyIn(text: string): PolicyRefusal | undefined {
  const policy = parseObject(text)?.policy;
  return isPolicyRefusal(policy) ? policy : undefined;
}

/** Reads the header that has the message as data. */
function reasonIn(json: string): ReasonData | undefined {
  const { reasonCode: code, reasonValues: values = {} } = parseObject(json) ?? {};
  return typeof code === 'string' && isObject(values) ? { code, values } : undefined;
}

/** Accepts unknown rules, which a newer gateway may have, and passes them on unchanged. */
function isPolicyRefusal(value: unknown): value is PolicyRefusal {
  return isObject(value) && typeof value.rule === 'string' && typeof value.allowedAt === 'string';
}

/** Accepts unknown codes, which a newer gateway may have, and passes them on unchanged. */
function codeIn(code: string | null): SwitchboardError['code'] {
  return code !== null && isCode(code) ? code : 'unknown';
}

function isCode(text: string): text is ErrorCode {
  return /^[a-z_]+$/.test(text);
}
