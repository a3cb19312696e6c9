import type { ClientRequest } from 'node:http';
import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { Agent, type AgentConnectOpts } from 'agent-base';
import { SocksClient } from 'socks';
import { buildConnector, Pool } from 'undici';
import { containing } from '../../../domain/contained.js';
import { errorMessage } from '../../../domain/errors.js';
import { bareHost, hostInUrl } from '../../../domain/host.js';
import { type ProxyAddress, parseProxy } from '../../../domain/proxy.js';
import { type KindOf, ownersTextOf, type Reason, reason, type ValuesOf } from '../../../domain/reasons.js';

/** Milliseconds in which a proxy must have opened a connection. */
const OPEN_MS = 15_000;
const PROXY_AUTHENTICATION_REQUIRED = 407;

/**
 * A connection that the session's proxy did not open. The reason has no address of the proxy, and the error has no cause on
 * purpose: errors of the SOCKS library carry the password.
 */
export class ProxyFailure extends Error {
  readonly reason: Reason & { code: 'proxy_failed' };

  constructor(why: ValuesOf<'proxy_failed'>) {
    const failed = reason('proxy_failed', why);
    super(ownersTextOf(failed));
    this.reason = failed;
  }

  // undici repeats a connection without end when its error has one of undici's own codes
  readonly code = 'PROXY_FAILED';
}

/** Opens connections through the proxy of a session. The proxy resolves host names, never this machine. */
export class Tunnel {
  readonly #url: string;
  readonly #timeoutMs: number;
  #pool: Pool | undefined;

  /** @param url as `parseProxy` reads it */
  constructor(url: string, timeoutMs: number = OPEN_MS) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws ProxyFailure */
  async open(host: string, port: number): Promise<Socket> {
    try {
      const proxy = parseProxy(this.#url);
      return proxy.kind === 'socks5'
        ? await this.#bySocks(proxy, host, port)
        : await this.#byConnect(proxy, host, port);
    } catch (error) {
      throw error instanceof ProxyFailure ? error : new ProxyFailure(whyOf(error));
    }
  }

  async #bySocks({ host, port, user, password }: ProxyAddress, toHost: string, toPort: number) {
    const { socket } = await SocksClient.createConnection({
      command: 'connect',
      proxy: { type: 5, host, port, ...(user && { userId: user, password }) },
      destination: { host: bareHost(toHost), port: toPort },
      timeout: this.#timeoutMs,
    });
    return socket;
  }

  /** Connects through an HTTP or HTTPS proxy (RFC 9110, section 9.3.6). */
  async #byConnect({ kind, host, port, user, password }: ProxyAddress, toHost: string, toPort: number) {
    const origin = `${kind}://${hostInUrl(host)}:${port}`;
    this.#pool ??= new Pool(origin, { connect: directConnector(this.#timeoutMs) });
    const target = `${hostInUrl(toHost)}:${toPort}`;
    const credentials = Buffer.from(`${user}:${password}`).toString('base64');
    const { statusCode, socket } = await this.#pool.connect({
      path: target,
      headers: { host: target, ...(user && { 'proxy-authorization': `Basic ${credentials}` }) },
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    const isOpen = statusCode >= 200 && statusCode < 300;
    if (isOpen && socket instanceof Socket) return socket;
    socket.on('error', () => undefined).destroy();
    if (statusCode === PROXY_AUTHENTICATION_REQUIRED) throw new ProxyFailure({ kind: 'unauthorized' });
    throw new ProxyFailure({ kind: 'refused', answer: `HTTP ${statusCode}` });
  }
}

/** Meanings of the codes and messages of Node.js, undici and the SOCKS library; the first match wins. */
const CAUSES: readonly (readonly [pattern: RegExp, kind: Exclude<KindOf<'proxy_failed'>, 'refused'>])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'unknown_host'],
  [/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, 'unreachable'],
  [/ETIMEDOUT|TimeoutError|UND_ERR_CONNECT_TIMEOUT|timed out/i, 'late'],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, 'untrusted'],
  [/Authentication failed|no accepted authentication type/, 'unauthorized'],
  [
    /HTTPParserError|HPE_|EPROTO|ERR_SSL|invalid Socks5|unknown authentication type|invalid socks version/i,
    'foreign',
  ],
  [/ECONNRESET|EPIPE|UND_ERR_SOCKET|Socket closed/, 'closed'],
];

function whyOf(error: unknown): ValuesOf<'proxy_failed'> {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  const text = [code, error instanceof Error ? error.name : '', errorMessage(error)].join(' ');
  const refusal = /proxy rejected connection - (\w+)/.exec(text)?.[1];
  if (refusal) return { kind: 'refused', answer: `SOCKS: ${refusal}` };
  return { kind: CAUSES.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown' };
}

/** The failure of a proxy inside an error of the library; undefined for every other error. */
export function proxyFailureIn(error: unknown): ProxyFailure | undefined {
  if (error instanceof ProxyFailure) return error;
  const inside = error instanceof Error && 'data' in error ? error.data : undefined;
  return inside instanceof ProxyFailure ? inside : undefined;
}

/** The agent for WebSockets and requests of `node:http`: each gets a connection of its own through the tunnel. */
export class TunnelAgent extends Agent {
  readonly #tunnel: Tunnel;

  constructor(tunnel: Tunnel) {
    super();
    this.#tunnel = tunnel;
  }

  override async connect(_request: ClientRequest, options: AgentConnectOpts): Promise<Duplex> {
    const host = bareHost(String(options.host));
    const socket = await this.#tunnel.open(host, Number(options.port));
    if (!options.secureEndpoint) return socket;
    const servername = isIP(host) ? {} : { servername: host };
    return connectTls({ socket, ALPNProtocols: ['http/1.1'], ...servername });
  }
}

/** A connector for undici without a tunnel. @param timeoutMs milliseconds to connect */
export function directConnector(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs });
  return (options, callback) => connect(options, containing(callback));
}

/** A connector for undici through the tunnel. @param timeoutMs milliseconds for the TLS handshake inside the tunnel */
export function tunnelConnector(tunnel: Tunnel, timeoutMs: number): buildConnector.connector {
  const secure = buildConnector({ timeout: timeoutMs });
  return (options, callback) => {
    const isSecure = options.protocol === 'https:';
    const port = Number(options.port) || (isSecure ? 443 : 80);
    tunnel.open(bareHost(options.hostname), port).then(
      (socket) => {
        const opened = containing(callback);
        if (isSecure) secure({ ...options, httpSocket: socket }, opened);
        else opened(null, socket);
      },
      (error: unknown) => callback(error instanceof Error ? error : new ProxyFailure(whyOf(error)), null),
    );
  };
}
