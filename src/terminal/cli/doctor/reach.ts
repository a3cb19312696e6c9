import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type ConnectionFault, connectionFaultOf } from '../../../domain/connection-fault.js';
import { bareHost } from '../../../domain/host.js';
import { explainConnection } from '../http.js';

const TIMEOUT_MS = 5_000;

interface Endpoint {
  host: string;
  port: number;
  tls: boolean;
}

type Reach = { reached: true; ms: number } | { reached: false; reason: string; fault: ConnectionFault };

/** Opens and closes a TCP connection, with TLS handshake and certificate check if `tls`. Sends no data. */
export function reach({ host, port, tls }: Endpoint): Promise<Reach> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const socket: Socket = tls
      ? connectTls({ host, port, servername: !isIP(host) ? host : undefined })
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
      end({ reached: false, reason: explainConnection(error), fault: connectionFaultOf(error) });
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

/** A fault among the facts of a finding. */
export function faultFact(fault: ConnectionFault): string {
  return fault.replace('_', '-');
}
