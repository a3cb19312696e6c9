import { Socket } from 'node:net';
import { quoted } from '../error-text.js';
import { BrokerConnections } from './connections.js';
import { Lines } from './lines.js';
import { ALLOW_PRIVATE, type Order, REPORTS, type Report, readOrder } from './messages.js';
import { guardSockets } from './sockets.js';

/*
 * The broker process: holds the clients of all brokers, so that data from a broker can crash, block or fill only this
 * process. Orders arrive on standard input, reports leave on a separate descriptor. The process ends with the daemon
 * that started it.
 */

guardSockets({ allowPrivate: process.argv.includes(ALLOW_PRIVATE) });

const reports = new Socket({ fd: REPORTS, readable: false });
// the daemon has gone
reports.on('error', () => process.exit(1));
const report = (one: Report) => void reports.write(`${JSON.stringify(one)}\n`);

for (const name of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(name, (error: unknown) => {
    report({ report: 'broken', text: quoted(error) });
    reports.end(() => process.exit(1));
    // stop all clients: after an uncaught error their state is unknown
    connections.stop();
  });
}
// a terminal sends these signals to the whole process group: the daemon decides when this process ends
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

const connections = new BrokerConnections(report);
const lines = new Lines();
process.stdin.on('data', (chunk: Buffer) => {
  for (const line of lines.take(chunk) ?? []) obey(readOrder(line));
});
process.stdin.on('end', () => process.exit(0));
report({ report: 'ready' });

function obey(order: Order | undefined): void {
  // impossible for a daemon of the same release
  if (!order) throw new Error('an order that cannot be read');
  if (order.order === 'ping') report({ report: 'pong', rss: process.memoryUsage.rss() });
  else if (order.order === 'open') connections.open(order.request, order.connection, order.url);
  else if (order.order === 'publish') connections.publish(order.request, order.connection, order.publication);
  else if (order.order === 'close') connections.close(order.request, order.connection);
  else connections.abort(order.connection);
}
