import Hapi, { type Request, type ResponseToolkit, type Server } from '@hapi/hapi';
import Joi from 'joi';
import { WebSocketServer } from 'ws';
import { refuseUpgrade } from '../faults/refuse-upgrade.js';
import { GroupRefusal } from '../groups/refusal.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import { chatRoutes } from './chats.js';
import { faultRoutes } from './faults.js';
import { groupRoutes } from './groups.js';
import { mediaRoutes } from './media.js';
import { messageRoutes } from './messages.js';
import { pairingRoutes } from './pairing.js';
import { phoneRoutes } from './phones.js';
import { streamRoute } from './stream.js';

const CHAT_PATH = '/ws/chat';
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const STOP_TIMEOUT_MS = 1_000;

const ROUTES = [
  phoneRoutes,
  pairingRoutes,
  messageRoutes,
  chatRoutes,
  groupRoutes,
  mediaRoutes,
  faultRoutes,
  streamRoute,
];

/** What the network says of groups, in the control API's words: it knows no accounts, and what is unfit is a bad request. */
const GROUP_STATUSES = { 400: 400, 401: 403, 403: 403, 404: 404, 406: 400, 409: 409 } as const;

/** The sandbox's one port: the control API, and the WebSocket that clients connect to. */
export function createServer(network: Network, address: { host: string; port: number }): Server {
  const server = Hapi.server({
    ...address,
    // a compressed event stream would be held back
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
  for (const add of ROUTES) add(server, network);
  server.route({ method: 'GET', path: '/stats', handler: () => network.counters() });
  server.route({
    method: 'GET',
    path: '/root-key',
    handler: () => ({ publicKey: network.authority.root.public.toString('base64') }),
  });
  acceptClients(server, network);
  return server;
}

/** Stops the server; sockets that do not close by themselves are cut. */
export async function stopServer(server: Server): Promise<void> {
  await server.stop({ timeout: STOP_TIMEOUT_MS });
}

function acceptClients(server: Server, network: Network): void {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  server.listener.on('upgrade', (request, socket, head) => {
    socket.on('error', (error) => network.log?.debug({ err: error }, 'socket error before the upgrade'));
    if (network.faults.take(refuseUpgrade)) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    } else if (request.url?.split('?')[0] !== CHAT_PATH) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    } else {
      sockets.handleUpgrade(request, socket, head, (webSocket) => network.welcome(webSocket));
    }
  });
}

/** Every error body is `{error}`; what was not foreseen says nothing of the inside. */
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
