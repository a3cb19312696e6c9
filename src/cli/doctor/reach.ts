import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { explainConnection } from '../transport.js';
import { type Fault, faultOf } from './fault.js';

const TIMEOUT_MS = 5_000;

export interface Endpoint {
  host: string;
  port: number;
  tls: boolean;
}

/** A connection that was opened and closed again, or why it could not be. */
export type Reach = { reached: true; ms: number } | { reached: false; reason: string; fault: Fault };

/** Opens a connection, with the TLS handshake and the certificate's check where there is one, and sends nothing. */
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

/** Where an address leads. */
export function endpointOf(address: string): Endpoint {
  const { protocol, hostname, port } = new URL(address);
  const tls = protocol === 'https:' || protocol === 'wss:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (tls ? 443 : 80), tls };
}

/** `host:port` for people. */
export function shown({ host, port }: Endpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
