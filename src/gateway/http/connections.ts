import type { Server } from 'node:net';
import { Counter, Gauge, type Registry } from 'prom-client';
import { ConnectionLimit } from '../../domain/connection-limit.js';

/**
 * Closes connections above the limit of one address at once: otherwise a machine without a token could use up the open
 * files of a node. These connections get no answer, because that would wait for a request.
 * @param perAddress 0 for no limit
 */
export function boundConnections(listener: Server, perAddress: number, registry: Registry): void {
  const limit = new ConnectionLimit(perAddress);
  let open = 0;
  const refused = new Counter({
    name: 'switchboard_http_connections_refused_total',
    help: 'Connections that were closed at once because their address had too many',
    registers: [registry],
  });
  new Gauge({
    name: 'switchboard_http_connections',
    help: 'Open connections of callers',
    registers: [registry],
    collect() {
      this.set(open);
    },
  });
  listener.on('connection', (socket) => {
    const leave = limit.enter(socket.remoteAddress ?? '');
    if (!leave) {
      refused.inc();
      socket.destroy();
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
      leave();
    });
  });
}
