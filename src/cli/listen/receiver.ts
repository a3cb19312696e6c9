import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import { verifyWebhook, WebhookVerificationError } from '../../delivery/verify.js';
import type { GatewayEvent } from '../../events/catalogue.js';
import { LISTEN_CHECK } from '../../events/listen-check.js';
import { CliError } from '../cli-error.js';

/** Bytes of a call that are read. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Milliseconds that calls under way have when the receiver stops. */
const STOP_GRACE_MS = 2_000;

/** A call that proved to be the gateway's. */
export interface WebhookCall {
  deliveryId: string;
  /** From 1. */
  attempt: number;
  event: GatewayEvent;
  /** The event exactly as it came. */
  body: string;
}

/** A call that proved nothing. */
export interface RefusedCall {
  /** The status it was answered with. */
  status: number;
  /** For people; names no secret. */
  reason: string;
  /** Address of the caller. */
  from: string;
}

export interface ReceiverOptions {
  host: string;
  /** 0 for any that is free. */
  port: number;
  /** What calls must carry and be signed with. */
  token: string;
  /** Decides the status of the answer; the call gets none where this rejects. */
  answer(call: WebhookCall): Promise<number>;
  refused(call: RefusedCall): void;
}

/** A webhook receiver on this machine. */
export interface LocalReceiver {
  /** Where it listens; any path will do. */
  url: string;
  /** Lets the calls under way end, for a short while. */
  stop(): Promise<void>;
}

/** Starts a receiver that lets nobody in but the gateway. @throws CliError when the port cannot be had */
export async function startReceiver(options: ReceiverOptions): Promise<LocalReceiver> {
  const { host, port } = options;
  const server = createServer((request, response) => void serve(request, response, options));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portRefusal(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' ? address?.port : port;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${actual}/webhook`,
    async stop() {
      const timer = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(timer);
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiverOptions,
): Promise<void> {
  const refuse = (status: number, reason: string) => {
    options.refused({ status, reason, from: request.socket.remoteAddress ?? '' });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: reason }));
  };
  try {
    if (request.method !== 'POST') return refuse(405, 'a webhook is called with POST');
    const body = await readBody(request);
    if (!body) return refuse(413, `the call is larger than ${MAX_BYTES} bytes`);
    const event = verify(request, body, options.token);
    if (event === 'check') response.writeHead(204).end();
    else if (typeof event === 'string') refuse(401, event);
    else response.writeHead(await options.answer(callOf(request, body, event))).end();
  } catch {
    // the caller went away, or we do: it calls again
    response.destroy();
  }
}

/** The event; `check` for the daemon's question whether we are here; any other text says why it is not the gateway's. */
function verify(request: IncomingMessage, body: Buffer, token: string): GatewayEvent | string {
  const { headers } = request;
  try {
    return verifyWebhook({ headers, body, token });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    // what the body is comes last: token, age and signature of the call were right
    if (error.fault === 'malformed_body' && headers['x-sn-event'] === LISTEN_CHECK) return 'check';
    return error.message;
  }
}

function callOf({ headers }: IncomingMessage, body: Buffer, event: GatewayEvent): WebhookCall {
  return {
    deliveryId: String(headers['x-sn-delivery'] ?? ''),
    attempt: Number(headers['x-sn-attempt'] ?? 1),
    event,
    body: body.toString('utf8'),
  };
}

/** Undefined when it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
  }
  return bytes <= MAX_BYTES ? Buffer.concat(chunks) : undefined;
}

function portRefusal(error: NodeJS.ErrnoException, host: string, port: number): CliError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there',
    EACCES: 'this user may not',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'this machine has no such address',
  };
  const reason = reasons[error.code ?? ''] ?? error.message;
  return new CliError('failure', `${host}:${port} cannot be listened on: ${reason}`, {
    suggestions: ['leave out --port to get one that is free', '--host takes an address of this machine'],
    cause: error,
  });
}
