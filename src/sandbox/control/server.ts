import { PassThrough } from 'node:stream';
import Hapi, { type Request, type ResponseToolkit, type Server } from '@hapi/hapi';
import Joi from 'joi';
import { WebSocketServer } from 'ws';
import { DAY_MS, wait } from '../../domain/clock.js';
import { type FaultRequest, type NetworkEvent, type NetworkUpdate, PAIRING_STEPS } from '../api.js';
import { Connection } from '../clients/connection.js';
import type { Parts } from '../clients/parts.js';
import { numberField } from '../fields.js';
import { changeFaults } from '../people/restrictions.js';
import { FAULTS, faultOf, isFaultKind } from '../state/faults.js';
import { serviceWorker } from '../state/rules.js';
import { addressOf } from '../state/visits.js';
import { GroupRefusal, Refusal } from '../wire/refusals.js';
import { activityRoutes } from './activity.js';
import { clockRoutes } from './clock.js';
import { refuseForeignPages } from './foreign-pages.js';
import { groupRoutes } from './groups.js';
import { mediaRoutes } from './media.js';
import { chatRoutes, messageRoutes } from './messages.js';
import { peopleRoutes } from './people.js';
import { pairingRoutes, passkeyRoutes, phoneRoutes } from './phones.js';
import { postRoutes } from './posts.js';
import { stanzaRoutes } from './stanzas.js';
import { tokenRoutes } from './tokens.js';

const CHAT_PATH = '/ws/chat';
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const STOP_TIMEOUT_MS = 1_000;

const ROUTES = [
  phoneRoutes,
  peopleRoutes,
  pairingRoutes,
  passkeyRoutes,
  messageRoutes,
  postRoutes,
  tokenRoutes,
  chatRoutes,
  groupRoutes,
  mediaRoutes,
  faultRoutes,
  networkRoutes,
  clockRoutes,
  activityRoutes,
  stanzaRoutes,
  streamRoute,
];

/** HTTP status of each group refusal: 401 stays reserved for authentication, and unacceptable input is a bad request. */
const GROUP_STATUSES = { 400: 400, 401: 403, 403: 403, 404: 404, 406: 400, 409: 409, 501: 501 } as const;

/** The sandbox's one port: the control API, and the WebSocket that clients connect to. */
export function createServer(parts: Parts, address: { host: string; port: number }): Server {
  const { network } = parts;
  const server = Hapi.server({
    ...address,
    // compression would delay the event stream
    compression: false,
    debug: false,
    routes: { validate: { failAction: (_request, _h, error) => Promise.reject(error) } },
  });
  server.validator(Joi);
  server.ext('onPreResponse', shapeError);
  server.events.on({ name: 'request', channels: 'error' }, (_request, { error }) => {
    if (!(error instanceof Refusal || error instanceof GroupRefusal))
      network.log?.error({ err: error }, 'a control request failed');
  });
  for (const add of ROUTES) add(server, parts);
  server.ext('onRequest', (request, h) => {
    network.visits.note(request.raw.req);
    return h.continue;
  });
  refuseForeignPages(server, address.host);
  server.route({
    method: 'GET',
    path: '/connections',
    handler: () => ({ connections: network.visits.list() }),
  });
  server.route({ method: 'GET', path: '/stats', handler: () => network.counters() });
  server.route({
    method: 'GET',
    path: '/root-key',
    handler: () => ({ publicKey: network.authority.root.public.toString('base64') }),
  });
  acceptClients(server, parts);
  return server;
}

/** Stops the server; cuts sockets that do not close in time. */
export async function stopServer(server: Server): Promise<void> {
  await server.stop({ timeout: STOP_TIMEOUT_MS });
}

function acceptClients(server: Server, parts: Parts): void {
  const { network } = parts;
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  server.listener.on('upgrade', (request, socket, head) => {
    network.visits.note(request);
    socket.on('error', (error) => network.log?.debug({ err: error }, 'socket error before the upgrade'));
    if (network.faults.take('refuse-upgrade')) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    } else if (request.url?.split('?')[0] !== CHAT_PATH) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    } else {
      sockets.handleUpgrade(
        request,
        socket,
        head,
        (webSocket) => new Connection(webSocket, parts, addressOf(request)),
      );
    }
  });
}

/** Every error body is `{error}`; unexpected errors reveal no details. */
function shapeError(request: Request, h: ResponseToolkit) {
  const { response } = request;
  if (!(response instanceof Error)) return h.continue;
  if (response instanceof GroupRefusal)
    return h.response({ error: response.message }).code(GROUP_STATUSES[response.code]);
  if (response instanceof Refusal) return h.response({ error: response.message }).code(response.status);
  const { statusCode } = response.output;
  const error = statusCode >= 500 ? 'internal error' : response.message;
  return h.response({ error }).code(statusCode);
}

/** A slow reader with a larger backlog is disconnected. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

/** Server-sent events of the network, complete from the first byte on. */
function streamRoute(server: Server, { network }: Parts): void {
  const streams = new Set<PassThrough>();
  server.route({
    method: 'GET',
    path: '/stream',
    options: { validate: { query: Joi.object({ stanzas: Joi.boolean().default(false) }) } },
    handler: (request, h) => {
      const stream = new PassThrough();
      const write = (event: NetworkEvent) => {
        if (stream.writableLength > MAX_BACKLOG_BYTES) stream.destroy();
        else stream.write(`data: ${JSON.stringify(event)}\n\n`);
      };
      const { query } = request;
      const hubs = query.stanzas ? [network.events, network.stanzas] : [network.events];
      const stops = hubs.map((hub) => hub.listen(write));
      stream.once('close', () => {
        for (const stop of stops) stop();
        streams.delete(stream);
      });
      request.raw.req.once('close', () => stream.destroy());
      streams.add(stream);
      // the first bytes flush the headers: a client that has them misses no later event
      stream.write(': watching\n\n');
      return h.response(stream).type('text/event-stream').header('cache-control', 'no-store');
    },
  });
  server.ext('onPreStop', () => {
    for (const stream of streams) stream.destroy();
  });
}

const MAX_COUNT = 1_000_000;
const MAX_MS = 600_000;
/** Milliseconds of the longest restriction and ban. */
const MAX_ENDING_MS = 90 * DAY_MS;
const kinds = Object.keys(FAULTS).sort();

const faultPayload = Joi.object({
  kind: Joi.string()
    .valid(...kinds)
    .required(),
  number: numberField,
  count: Joi.number().integer().min(1).max(MAX_COUNT),
  ms: Joi.number().integer().min(0).max(MAX_ENDING_MS),
  step: Joi.string().valid(...PAIRING_STEPS),
}).required();

function faultRoutes(server: Server, { network }: Parts): void {
  server.route<{ Payload: FaultRequest }>({
    method: 'POST',
    path: '/faults',
    options: { validate: { payload: faultPayload } },
    handler: ({ payload }, h) => {
      const { kind, number, ...rest } = payload;
      if (!isFaultKind(kind)) throw new Refusal(400, `"kind" must be one of ${kinds.join(', ')}`);
      const fault = faultOf(kind);
      if (fault.takesTime && rest.ms === undefined) throw new Refusal(400, `"ms" is required with ${kind}`);
      if (!fault.ends && (rest.ms ?? 0) > MAX_MS)
        throw new Refusal(400, `"ms" must be at most ${MAX_MS} with ${kind}`);
      if (fault.takesStep !== (rest.step && true))
        throw new Refusal(400, `"step" is ${fault.takesStep ? 'required' : 'not allowed'} with ${kind}`);
      if (fault.isNumberless && number) throw new Refusal(400, `"number" is not allowed with ${kind}`);
      const account = number === undefined ? undefined : network.directory.require(number);
      changeFaults(network, () => network.faults.order(kind, rest, network.connections, account));
      return h.response(payload).code(201);
    },
  });
  server.route({
    method: 'DELETE',
    path: '/faults',
    handler: (_request, h) => {
      changeFaults(network, () => network.faults.clear());
      return h.response().code(204);
    },
  });
}

const versionField = Joi.string()
  .pattern(/^2\.3000\.[0-9]{1,10}$/, 'version')
  .messages({ 'string.pattern.name': '{{#label}} must be a version such as 2.3000.1043857760' });

const networkPayload = Joi.object({ minVersion: versionField.allow(null), checkDisplay: Joi.boolean() })
  .min(1)
  .required();

/** What the network demands of clients, and the page that names the current version. */
function networkRoutes(server: Server, { network }: Parts): void {
  const { rules, stats, faults, clock } = network;
  server.route({ method: 'GET', path: '/network', handler: () => rules.view() });
  server.route<{ Payload: NetworkUpdate }>({
    method: 'PATCH',
    path: '/network',
    options: { validate: { payload: networkPayload } },
    handler: ({ payload }) => {
      rules.change(payload);
      return rules.view();
    },
  });
  server.route({
    method: 'GET',
    path: '/sw.js',
    handler: async (_request, h) => {
      stats.versionLookups++;
      const fault = faults.take('no-version-page');
      if (!fault) return h.response(serviceWorker(rules.revision)).type('text/javascript');
      await wait(clock, fault.ms);
      throw new Refusal(503, 'the page is not available');
    },
  });
}
