import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import { verifyWebhook, WebhookVerificationError } from '../../../client/verify.js';
import { type GatewayEvent, LISTEN_CHECK } from '../../../contract/events/catalogue.js';
import { CliError } from '../errors.js';

/** Maximum size of a call in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Milliseconds for calls in flight when the receiver stops. */
const STOP_GRACE_MS = 2_000;

/** A call with valid token and signature. */
export interface WebhookCall {
  deliveryId: string;
  /** From 1. */
  attempt: number;
  event: GatewayEvent;
  /** The raw body. */
  body: string;
}

/** A call without valid token and signature. */
export interface RefusedCall {
  /** Status of the reply. */
  status: number;
  /** Reason for the refusal, without secrets. */
  reason: string;
  /** Address of the caller. */
  from: string;
}

interface ReceiverOptions {
  host: string;
  /** 0 for any free port. */
  port: number;
  /** Expected bearer token and signing key. */
  token: string;
  /** Returns the status of the reply; if it rejects, the call gets no reply. */
  answer(call: WebhookCall): Promise<number>;
  refused(call: RefusedCall): void;
}

/** A webhook receiver on this machine. */
export interface LocalReceiver {
  /** URL of the receiver; any path works. */
  url: string;
  /** Stops the receiver; waits a short time for calls in flight. */
  stop(): Promise<void>;
}

/** Starts a receiver that only the gateway can call. @throws CliError if it cannot listen */
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
    // the caller disconnected, or this command ends: the gateway retries
    response.destroy();
  }
}

/** The event, `check` for the daemon's reachability check, or the reason for the refusal. */
function verify(request: IncomingMessage, body: Buffer, token: string): GatewayEvent | string {
  const { headers } = request;
  try {
    return verifyWebhook({ headers, body, token });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    // the body is checked last: token, age and signature were valid
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

/** Reads the body of a call; undefined if it is too large. */
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
    EADDRINUSE: 'another program listens there',
    EACCES: 'this user has no permission',
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'this machine does not have that address',
  };
  const reason = reasons[error.code ?? ''] ?? error.message;
  return new CliError('failure', `cannot listen on ${host}:${port}: ${reason}`, {
    suggestions: ['omit --port to use any free port', 'set --host to an address of this machine'],
    cause: error,
  });
}
