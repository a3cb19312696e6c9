import type { Schema } from 'joi';
import type { Described } from '../operation.js';
import type { SandboxErrorCode } from './errors.js';

/** How the client offers an operation. */
interface ClientMethod {
  /** Fields of the body that are arguments of their own; without it, the whole body is one argument. */
  takes?: readonly string[];
  /** The field of the answer that the method returns; without it, the whole answer. */
  gives?: string;
}

/** One operation of the simulated network's control API. */
export interface ControlOperation<
  Query extends object = object,
  Body extends object = object,
  Params extends object = object,
  Answer extends object = object,
> extends Described<Query, Body, Params> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** 200 unless named. */
  status?: 200 | 201;
  /** A media type where the answer is not JSON; absent where it has no body (204). */
  answer?: Schema<Answer> | `${string}/${string}`;
  /** An example of the answer. */
  example?: Answer;
  /** Limit of the body; 1 MiB unless named. */
  maxBytes?: number;
  /** The body is a file of any type. The handler reads it. */
  takesFile?: true;
  /** Error codes beside those of its method and its path. */
  errors?: readonly SandboxErrorCode[];
  client?: ClientMethod;
}

/** Returns the operation as it is; its schemas give the types. */
export function controlOperation<
  Answer extends object,
  Query extends object = object,
  Body extends object = object,
  Params extends object = object,
>(described: ControlOperation<Query, Body, Params, Answer>): ControlOperation<Query, Body, Params, Answer> {
  return described;
}

/** HTTP status of the answer. */
export function statusOf({ status = 200, answer }: ControlOperation): 200 | 201 | 204 {
  return answer === undefined ? 204 : status;
}

const EVERYWHERE: readonly SandboxErrorCode[] = ['invalid_request', 'host_unknown', 'cross_site', 'internal'];
const OF_BODY: readonly SandboxErrorCode[] = [
  'request_timeout',
  'request_too_large',
  'content_type_unsupported',
];

/** Every code with which an operation may fail. */
export function controlErrorsOf({ method, path, errors = [] }: ControlOperation): SandboxErrorCode[] {
  return [
    ...new Set([
      ...EVERYWHERE,
      ...(method === 'POST' || method === 'PATCH' ? OF_BODY : []),
      ...(path.includes('{number}') ? (['phone_unknown'] as const) : []),
      ...(path.includes('{jid}') ? (['group_unknown'] as const) : []),
      ...errors,
    ]),
  ];
}
