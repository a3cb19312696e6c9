import type { Lifecycle, Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import type { Registry } from 'prom-client';
import { checkAnswer, unlistedCode } from '../../contract/check.js';
import { errorsOf, type Operation, type Owner } from '../../contract/operation.js';
import { clientQuery } from '../../contract/schema.js';
import type { EpochMs } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import type { Tracing } from '../../domain/tracing.js';
import type { Services } from '../services/services.js';
import { bodyValidator, jsonOptions, uploadOptions } from './body.js';
import type { EventStreams } from './events/event-streams.js';
import { cameFromNode, type Peers } from './peers.js';
import type {} from './plugins/owner.js';
import type {} from './plugins/traces.js';
import type { StoreProbe } from './store-probe.js';

declare module '@hapi/hapi' {
  interface RouteOptionsApp {
    owner: Owner;
    /** Finds the session of a request that does not name it. */
    sessionOf?: (request: Request) => Promise<string | undefined>;
    /** The request creates the session if there is none. */
    creates?: boolean;
    /** The route needs no token. */
    open?: boolean;
    /** The route refuses per-session secrets. */
    masterOnly?: boolean;
    /** Paths of the route contain secrets: logs show the route instead. */
    pathIsSecret?: boolean;
  }
}

/** Facts of this run that may be shown; none is secret. */
export interface RuntimeFacts {
  podName: string;
  /** Name of the network to which the gateway connects. */
  environment: string;
  /** Name of the store's back end. */
  storage: string;
  publicMedia: boolean;
  alerts: boolean;
  /** `<year>-<month>` */
  version: string;
  startedAt: EpochMs;
}

/** Dependencies of handlers. */
export interface Parts {
  services: Services;
  tracing: Tracing;
  facts: RuntimeFacts;
  now(): EpochMs;
  store: StoreProbe;
  /** True once the daemon has been asked to stop, so that load balancers choose another node. */
  isStopping(): boolean;
  registry: Registry;
  eventStreams: EventStreams;
  peers: Peers;
  /** Whether a text is the master token. */
  isMasterToken(text: string): boolean;
  /** Whether to fail a request whose answer breaks the contract. */
  checkAnswers: boolean;
}

/** Types of the validated parts of a request. */
export interface Inputs<Query, Body, Params, Headers> {
  Query: Query;
  Payload: Body;
  Params: Params;
  Headers: Headers;
}

/** Adds a route to a server. */
export type Route = (server: Server, parts: Parts) => void;

/** Finds the session of a request that is not validated yet; undefined if there is none, which the handler will report. */
type SessionOf = (request: Pick<Request, 'params'>, parts: Parts) => Promise<string | undefined>;

/**
 * Makes a route from an operation: the contract validates the handler's input, and its types fix the answer.
 * @param sessionOf for an operation whose requests do not name their session
 */
export function route<
  Query extends object,
  Body extends object,
  Params extends object,
  Headers extends object,
  Answer extends object,
>(
  operation: Operation<Query, Body, Params, Headers, Answer>,
  handler: (
    request: Request<Inputs<Query, Body, Params, Headers>>,
    parts: Parts,
    h: ResponseToolkit<Inputs<Query, Body, Params, Headers>>,
  ) => Answer | ResponseObject | Promise<Answer | ResponseObject>,
  sessionOf?: SessionOf,
): Route {
  const { method, path, owner, access, summary, query, params, headers, body, form } = operation;
  const { creates, pathIsSecret } = operation;
  const payload = method === 'POST' && !form && bodyValidator(body);
  return (server, parts) =>
    server.route<Inputs<Query, Body, Params, Headers>>({
      method,
      path,
      options: {
        description: summary,
        app: {
          owner,
          ...(sessionOf && { sessionOf: (request) => sessionOf(request, parts) }),
          ...(creates && { creates }),
          ...(access === 'open' && { open: true }),
          ...(access === 'master' && { masterOnly: true }),
          ...(pathIsSecret && { pathIsSecret }),
        },
        ...(access === 'open' && { auth: false }),
        ...(form && uploadOptions(form.maxBytes)),
        ...(payload && jsonOptions()),
        validate: {
          query: query ?? clientQuery,
          ...(params && { params }),
          ...(headers && { headers }),
          ...(payload && { payload }),
        },
      },
      handler(request, h) {
        const work = async (): Promise<Lifecycle.ReturnValueTypes> => {
          const answer = handler(request, parts, h);
          // another node asks for its part of a merged answer
          const isPart = owner === 'any' && cameFromNode(request);
          return parts.checkAnswers && !isPart ? checked(operation, answer) : answer;
        };
        const run = () => request.plugins.active?.during(work) ?? work();
        return parts.tracing.during(request.plugins.span?.context, run);
      },
    });
}

/** Checks an answer, or the code of a failure, against the contract. @throws Error if it is not in the contract */
async function checked<T>(operation: Operation, answering: T | Promise<T>): Promise<T> {
  let answer: T;
  try {
    answer = await answering;
  } catch (error) {
    if (!isGatewayError(error) || errorsOf(operation).includes(error.code)) throw error;
    throw unlistedCode(operation, error.code, error);
  }
  checkAnswer(operation, bodyOf(answer));
  return answer;
}

function bodyOf(answer: unknown): unknown {
  const isResponse =
    typeof answer === 'object' && answer !== null && 'source' in answer && 'headers' in answer;
  return isResponse ? answer.source : answer;
}

/** The path of a route as the API shows it: hapi marks optional parameters inside their braces. */
export function shownPath({ path }: { path: string }): string {
  return path.replace(/[?*]\d*\}/g, '}');
}
