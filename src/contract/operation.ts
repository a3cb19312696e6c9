import type { ObjectSchema, Schema } from 'joi';
import type { ErrorCode } from '../domain/errors.js';
import type { ClientQuery } from './schema.js';

/**
 * Which node answers: the one that holds the `session` of the request, `any` (all nodes have the same data), or `none`
 * in particular (each node describes itself).
 */
export type Owner = 'session' | 'any' | 'none';

/** Access: anybody (`open`), the `master` token only, or also a per-session secret, for its own session (`token`). */
type Access = 'open' | 'token' | 'master';

/** Description of an operation of any HTTP API. */
export interface Described<
  Query extends object = object,
  Body extends object = object,
  Params extends object = object,
> {
  /** Path in the form of hapi: `{name?}` may be absent. */
  path: `/${string}`;
  /** One line, imperative. */
  summary: string;
  /** Further text, in Markdown. */
  description?: string;
  query?: ObjectSchema<Query>;
  params?: ObjectSchema<Params>;
  body?: ObjectSchema<Body>;
}

/**
 * One operation of the gateway's API: all that its caller, its handler, the document and the client need to know. Without
 * `query` it takes an optional `clientId`; a POST without `body` accepts only an empty body or `{}`.
 */
export interface Operation<
  Query extends object = object,
  Body extends object = object,
  Params extends object = object,
  Headers extends object = object,
  Answer extends object = object,
> extends Described<Query, Body, Params> {
  method: 'GET' | 'POST';
  owner: Owner;
  /** `token` unless named. */
  access?: Access;
  headers?: ObjectSchema<Headers>;
  /** The body as a multipart form, of at most `maxBytes`. The handler then reads and validates the body itself. */
  form?: { schema: ObjectSchema; maxBytes: number };
  /** Schema of the answer, or a media type if it is not JSON. */
  answer: Schema<Answer> | `${string}/${string}`;
  /** An example of the answer. */
  example?: Answer;
  /** Statuses beside 200 for the same answer, with the reason. */
  alsoAnswers?: Readonly<Record<number, string>>;
  /** Error codes beside those of every operation with the same owner and access. */
  errors?: readonly ErrorCode[];
  /** Creates the session if there is none, so any node may answer. */
  creates?: boolean;
  /** Paths contain secrets: logs show the route instead. */
  pathIsSecret?: boolean;
}

/** Returns the operation as it is; its schemas give the types. */
export function operation<
  Answer extends object,
  Query extends object = ClientQuery,
  Body extends object = object,
  Params extends object = object,
  Headers extends object = object,
>(
  described: Operation<Query, Body, Params, Headers, Answer>,
): Operation<Query, Body, Params, Headers, Answer> {
  return described;
}

/** Type of the body that an operation takes, once it is validated. */
export type BodyOf<O> = O extends Operation<infer _Q, infer B, infer _P, infer _H, infer _A> ? B : never;

/** Type of the answer of an operation. */
export type AnswerOf<O> = O extends Operation<infer _Q, infer _B, infer _P, infer _H, infer A> ? A : never;

const EVERYWHERE: readonly ErrorCode[] = [
  'invalid_request',
  'store_unavailable',
  'store_damaged',
  'stopping',
  'internal',
];
const OF_TOKEN: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
  'too_many_attempts',
  'too_many_requests',
];
/** Errors of open operations, which also refuse pages of other hosts in a browser on the same machine. */
const OF_OPEN: readonly ErrorCode[] = ['host_unknown'];
const OF_BODY: readonly ErrorCode[] = [
  'request_timeout',
  'request_too_large',
  'content_type_unsupported',
  'cross_site',
];
const OF_SESSION: readonly ErrorCode[] = [
  'session_unknown',
  'session_elsewhere',
  'session_unheld',
  'node_unreachable',
  'too_many_requests',
];

/** Every code with which an operation may fail. */
export function errorsOf({ owner, access, method, errors = [] }: Operation): ErrorCode[] {
  const codes = [
    ...EVERYWHERE,
    ...(access === 'open' ? OF_OPEN : OF_TOKEN),
    ...(method === 'POST' ? OF_BODY : []),
    ...(owner === 'session' ? OF_SESSION : []),
    ...errors,
  ];
  return [...new Set(codes)];
}
