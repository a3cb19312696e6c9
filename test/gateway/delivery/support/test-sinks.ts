import { type Clock, systemClock } from '../../../../src/domain/clock.js';
import { type SinkEvent, Sinks } from '../../../../src/gateway/delivery/sinks/sinks.js';
import { createLog } from '../../../../src/gateway/log.js';
import { newerNode } from '../../../support/newer-node.js';
import { preload } from './hostile.js';

type Options = ConstructorParameters<typeof Sinks>[0];

/** Sinks whose broker process may reach this machine, and runs on a Node.js that is new enough for every client. */
export function newSinks({
  clock = systemClock,
  ...options
}: Partial<Options> & { clock?: Clock } = {}): Sinks {
  const log = createLog({ level: 'silent', pretty: false, destination: { write: () => undefined } });
  const execPath = options.process?.execPath ?? newerNode();
  const process = { allowPrivate: true, ...options.process, execPath };
  return new Sinks({ clock, signing: systemClock, log, ...options, process });
}

let made = 0;

/** A new event of a chat, with its number as body. */
export function eventOf(chat = 'acme-1-2', body?: string): SinkEvent {
  const deliveryId = `01JD${++made}`;
  const written = Buffer.from(body ?? JSON.stringify({ made }));
  const facts = { token: 'receiver-token', type: 'text', attempt: 1, clientId: 'acme' };
  return { ...facts, deliveryId, body: written, chat };
}

/** Options of a broker process for which every name resolves to one address. */
export function resolvingTo(address: string): string[] {
  return preload(`
    import dns from 'node:dns';
    import { syncBuiltinESMExports } from 'node:module';
    dns.lookup = (name, options, callback) =>
      options.all ? callback(null, [{ address: '${address}', family: 4 }]) : callback(null, '${address}', 4);
    syncBuiltinESMExports();`);
}
