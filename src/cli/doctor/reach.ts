import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { bareHost } from '../../domain/host.js';
import { explainConnection } from '../http.js';

const TIMEOUT_MS = 5_000;

interface Endpoint {
  host: string;
  port: number;
  tls: boolean;
}

type Reach = { reached: true; ms: number } | { reached: false; reason: string; fault: Fault };

/** Opens and closes a TCP connection, with TLS handshake and certificate check if `tls`. Sends no data. */
export function reach({ host, port, tls }: Endpoint): Promise<Reach> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const socket: Socket = tls
      ? connectTls({ host, port, ...(!isIP(host) && { servername: host }) })
      : connectTcp({ host, port });
    const end = (result: Reach) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const late: Reach = { reached: false, reason: 'no answer in time', fault: 'timeout' };
    const timer = setTimeout(() => end(late), TIMEOUT_MS);
    const opened = () => end({ reached: true, ms: Math.round(performance.now() - startedAt) });
    socket.once(tls ? 'secureConnect' : 'connect', opened);
    socket.on('error', (error) => {
      end({ reached: false, reason: explainConnection(error), fault: faultOf(error) });
    });
  });
}

export function endpointOf(address: string): Endpoint {
  const { protocol, hostname, port } = new URL(address);
  const tls = protocol === 'https:' || protocol === 'wss:';
  return { host: bareHost(hostname), port: Number(port) || (tls ? 443 : 80), tls };
}

/** `host:port` */
export function shown({ host, port }: Endpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Why a connection failed. */
export type Fault = 'refused' | 'timeout' | 'unknown-host' | 'tls' | 'unreachable';

const RULES: readonly (readonly [RegExp, Fault])[] = [
  [/ECONNREFUSED|connection refused/, 'refused'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown-host'],
  [/certificate|CERT|altnames|SSL|EPROTO|TLS/, 'tls'],
  [/no answer (within|in time)|ETIMEDOUT|timeout/i, 'timeout'],
];

/** By the error texts of Node and of the daemon. */
export function faultIn(text: string): Fault {
  return RULES.find(([rule]) => rule.test(text))?.[1] ?? 'unreachable';
}

/** By an error and its causes. */
export function faultOf(error: unknown): Fault {
  const texts: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    texts.push('code' in each ? String(each.code) : '', each.message);
  }
  return faultIn(texts.join(' '));
}
