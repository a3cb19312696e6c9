import { Socket } from 'node:net';
import { quoted } from '../error-text.js';
import { BrokerConnections } from './connections.js';
import { Lines } from './lines.js';
import { ALLOW_PRIVATE, type Order, REPORTS, type Report, readOrder } from './messages.js';
import { guardSockets } from './sockets.js';

/*
 * The broker process: holds the clients of all brokers, so that what a broker sends can break, block or fill this process alone. Orders come
 * on standard input, reports leave on a descriptor of their own. It ends with the daemon that started it.
 */

guardSockets({ allowPrivate: process.argv.includes(ALLOW_PRIVATE) });

const reports = new Socket({ fd: REPORTS, readable: false });
// the daemon has gone: standard input ends, too
reports.on('error', () => process.exit(1));
const report = (one: Report) => void reports.write(`${JSON.stringify(one)}\n`);

for (const name of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(name, (error: unknown) => {
    report({ report: 'broken', text: quoted(error) });
    reports.end(() => process.exit(1));
    // no client goes on with what it has broken
    connections.stop();
  });
}
// a terminal sends these to all its processes: the daemon decides what happens
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

const connections = new BrokerConnections(report);
const lines = new Lines();
process.stdin.on('data', (chunk: Buffer) => {
  for (const line of lines.take(chunk) ?? []) obey(readOrder(line));
});
process.stdin.on('end', () => process.exit(0));
report({ report: 'ready' });

function obey(order: Order | undefined): void {
  // the daemon and this program are of the same release
  if (!order) throw new Error('an order that cannot be read');
  if (order.order === 'ping') report({ report: 'pong', rss: process.memoryUsage.rss() });
  else if (order.order === 'open') connections.open(order.request, order.connection, order.url);
  else if (order.order === 'publish') connections.publish(order.request, order.connection, order.publication);
  else if (order.order === 'close') connections.close(order.request, order.connection);
  else connections.abort(order.connection);
}
