import Hapi, { type Request, type ResponseToolkit, type Server } from '@hapi/hapi';
import Joi from 'joi';
import { WebSocketServer } from 'ws';
import type { SandboxErrorCode } from '../../contract/sandbox/errors.js';
import { Connection } from '../clients/connection.js';
import type { NetworkParts } from '../clients/network-parts.js';
import { addressOf } from '../state/visits.js';
import { Refusal } from '../wire/refusals.js';
import { activityRoutes } from './activity.js';
import { channelRoutes } from './channels.js';
import { faultRoutes } from './faults.js';
import { fileRoutes } from './files.js';
import { refuseForeignPages } from './foreign-pages.js';
import { groupRoutes } from './groups.js';
import { chatRoutes, messageRoutes, postRoutes, tokenRoutes } from './messages.js';
import { networkRoutes } from './network.js';
import { peopleRoutes } from './people.js';
import { pairingRoutes, passkeyRoutes, phoneRoutes } from './phones.js';
import type { ControlParts, Route } from './route.js';
import { stanzaRoutes } from './stanzas.js';
import { streamRoute } from './stream.js';
import { whatsAppHosts } from './whatsapp-hosts.js';

const CHAT_PATH = '/ws/chat';
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const STOP_TIMEOUT_MS = 1_000;

const ROUTES: readonly Route[] = [
  ...phoneRoutes,
  ...peopleRoutes,
  ...pairingRoutes,
  ...passkeyRoutes,
  ...messageRoutes,
  ...postRoutes,
  ...tokenRoutes,
  ...chatRoutes,
  ...groupRoutes,
  ...channelRoutes,
  ...fileRoutes,
  ...faultRoutes,
  ...networkRoutes,
  ...activityRoutes,
  ...stanzaRoutes,
  streamRoute,
  whatsAppHosts,
];

/** The sandbox's one port: the control API, the servers of WhatsApp's names, and the WebSocket that clients connect to. */
export function createServer(parts: ControlParts, address: { host: string; port: number }): Server {
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
    if (!(error instanceof Refusal)) network.log?.error({ err: error }, 'a control request failed');
  });
  for (const add of ROUTES) add(server, parts);
  server.ext('onRequest', (request, h) => {
    network.visits.note(request.raw.req);
    return h.continue;
  });
  refuseForeignPages(server, address.host);
  acceptClients(server, parts);
  return server;
}

/** Stops the server; cuts sockets that do not close in time. */
export async function stopServer(server: Server): Promise<void> {
  await server.stop({ timeout: STOP_TIMEOUT_MS });
}

function acceptClients(server: Server, parts: NetworkParts): void {
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

/** The codes of requests that reach no handler, by their status; others are `invalid_request`. */
const CODES = new Map<number, SandboxErrorCode>([
  [404, 'route_unknown'],
  [408, 'request_timeout'],
  [413, 'request_too_large'],
  [415, 'content_type_unsupported'],
]);
const FIRST_FAILURE = 500;

/** Every error body is `{error, code}`; unexpected errors reveal no details. */
function shapeError(request: Request, h: ResponseToolkit) {
  const { response } = request;
  if (!(response instanceof Error)) return h.continue;
  if (response instanceof Refusal)
    return h.response({ error: response.message, code: response.code }).code(response.status);
  const { statusCode } = response.output;
  const isOurs = statusCode >= FIRST_FAILURE;
  const code = isOurs ? 'internal' : (CODES.get(statusCode) ?? 'invalid_request');
  return h.response({ error: isOurs ? 'internal error' : response.message, code }).code(statusCode);
}
