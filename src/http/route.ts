import type { Lifecycle, Request, ResponseToolkit, Server } from '@hapi/hapi';
import type { ObjectSchema } from 'joi';
import type { Registry } from 'prom-client';
import type { Services } from '../services/services.js';
import { bodyValidator } from './body.js';
import type { EventStreams } from './event-streams.js';
import type {} from './owner/stay.js';
import type { Peers } from './peers.js';
import type { QrImages } from './qr-images.js';
import { type ClientQuery, clientQuery } from './schemas.js';
import type { StoreProbe } from './store-probe.js';
import { type Upload, uploadOptions } from './upload.js';

/**
 * Which node answers: the one that holds the `session` that the request is about, `any` (what it tells is shared by
 * all), or `none` in particular (each node speaks of itself).
 */
export type Owner = 'session' | 'any' | 'none';

/** What a route takes. */
export interface RouteInputs {
  query?: ObjectSchema;
  params?: ObjectSchema;
  headers?: ObjectSchema;
  body?: ObjectSchema;
  /** The same as a multipart form, where it takes one too. */
  form?: ObjectSchema;
}

declare module '@hapi/hapi' {
  interface RouteOptionsApp {
    owner: Owner;
    /** The session that the request is about, where it does not name it. */
    sessionOf?: (request: Request) => Promise<string | undefined>;
    /** Makes the session when there is none. */
    creates?: boolean;
    /** Needs no token. */
    open?: boolean;
    /** Not for per-session secrets. */
    masterOnly?: boolean;
    /** Its paths name what only some may know: logs show the route instead. */
    pathIsSecret?: boolean;
    /** What the route takes, for its documentation. */
    inputs?: RouteInputs;
  }
}

/** Facts of this run that may be shown; nothing of it is secret. */
export interface RuntimeFacts {
  podName: string;
  /** The network that it is linked to. */
  environment: string;
  /** Name of the store's back end. */
  storage: string;
  publicMedia: boolean;
  proxy: boolean;
  alerts: boolean;
  /** `<year>-<month>` */
  version: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** What handlers work with. */
export interface Parts {
  services: Services;
  facts: RuntimeFacts;
  /** Milliseconds since the epoch. */
  now(): number;
  store: StoreProbe;
  /** The daemon has been asked to stop: load balancers are to look for another node. */
  isStopping(): boolean;
  registry: Registry;
  qrImages: QrImages;
  eventStreams: EventStreams;
  peers: Peers;
}

/** A route as its file writes it down. Everything that is not named here is the same for all. */
export interface RouteSpec<Query, Body, Params, Headers> {
  method: 'GET' | 'POST';
  path: `/${string}`;
  owner: Owner;
  /**
   * The session that a request is about, where it does not name it; undefined when there is none, which the handler will
   * say. Nothing is validated yet.
   */
  sessionOf?(request: Pick<Request, 'params'>, parts: Parts): Promise<string | undefined>;
  /** Makes the session when there is none: then any node may do it. */
  creates?: boolean;
  /** One line for the documentation. */
  description: string;
  /** Takes an optional `clientId` unless said otherwise. */
  query?: ObjectSchema<Query>;
  /** Of a POST; without one only an empty body or `{}` is taken. */
  body?: ObjectSchema<Body>;
  /** Of a POST that takes JSON or a form, and reads them by itself: its payload is the body as a stream. */
  upload?: Upload;
  params?: ObjectSchema<Params>;
  headers?: ObjectSchema<Headers>;
  /** Needs no token. */
  open?: boolean;
  masterOnly?: boolean;
  /** Its paths name what only some may know: logs show the route instead. */
  pathIsSecret?: boolean;
  handler(
    request: Request<Inputs<Query, Body, Params, Headers>>,
    parts: Parts,
    h: ResponseToolkit<Inputs<Query, Body, Params, Headers>>,
  ): Lifecycle.ReturnValue;
}

/** What a handler finds on its request. */
export interface Inputs<Query, Body, Params, Headers> {
  Query: Query;
  Payload: Body;
  Params: Params;
  Headers: Headers;
}

/** Adds a route to a server. */
export type Route = (server: Server, parts: Parts) => void;

/** Makes a route of its description; the schemas' types reach the handler. */
export function route<
  Query extends object = ClientQuery,
  Body extends object = object,
  Params extends object = object,
  Headers extends object = object,
>(spec: RouteSpec<Query, Body, Params, Headers>): Route {
  const { method, path, owner, description, query, body, upload, params, headers } = spec;
  const { sessionOf, creates, open, masterOnly, pathIsSecret } = spec;
  const inputs = { query: query ?? clientQuery, params, headers, body, ...upload?.inputs };
  return (server, parts) =>
    server.route<Inputs<Query, Body, Params, Headers>>({
      method,
      path,
      options: {
        description,
        tags: ['api'],
        app: {
          ...{ owner, inputs },
          ...(sessionOf && { sessionOf: (request) => sessionOf(request, parts) }),
          ...(creates && { creates }),
          ...(open && { open }),
          ...(masterOnly && { masterOnly }),
          ...(pathIsSecret && { pathIsSecret }),
        },
        ...(open && { auth: false }),
        ...(upload && uploadOptions(upload)),
        validate: {
          query: inputs.query,
          ...(params && { params }),
          ...(headers && { headers }),
          ...(method === 'POST' && !upload && { payload: bodyValidator(body) }),
        },
      },
      handler(request, h) {
        const work = () => spec.handler(request, parts, h);
        return request.plugins.stay?.during(work) ?? work();
      },
    });
}

/** The path of a route as it is told: hapi marks optional and catch-all parameters inside their braces. */
export function shownPath({ path }: { path: string }): string {
  return path.replace(/[?*]\d*\}/g, '}');
}
