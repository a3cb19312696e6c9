import { endsWithin, systemClock } from '../../domain/clock.js';
import { LIMITS } from '../../domain/limits.js';
import { type Config, summarize } from '../config/schema.js';
import { createLog, type Logger } from '../log.js';
import { assemble, type DaemonOverrides, type DaemonParts } from './assembly.js';

export type { DaemonOverrides } from './assembly.js';

/** A running gateway. */
export interface Daemon {
  /** Address of the API. */
  readonly url: string;
  /** Control API of the sandbox network inside this daemon; undefined without one. */
  readonly sandboxUrl: string | undefined;
  /** Finishes work in flight, closes the links without unlinking any device, and frees everything. */
  stop(): Promise<void>;
}

/**
 * Opens store and network, creates the services and starts to listen. Links connect last, so that the API can report their
 * state from the first moment.
 * @throws ConfigError, GatewayError or a system error (port taken) with one line for people; nothing keeps running.
 */
export async function createDaemon(config: Config, overrides: DaemonOverrides = {}): Promise<Daemon> {
  const log = overrides.log ?? createLog({ level: config.logLevel, pretty: Boolean(process.stderr.isTTY) });
  log.info({ settings: summarize(config) }, 'starting');
  const cleanup: (() => Promise<unknown>)[] = [];
  try {
    const parts = await assemble(config, { ...overrides, log }, cleanup);
    await parts.membership.prepare(parts);
    await parts.server.start();
    cleanup.push(() => parts.server.stop({ timeout: LIMITS.stopGraceMs }));
    await parts.membership.start();
    log.info({ url: parts.server.info.uri, network: config.network }, 'ready');
    let stopping: Promise<void> | undefined;
    return {
      url: parts.server.info.uri,
      sandboxUrl: parts.network.sandbox?.url,
      stop: () => {
        stopping ??= stop(parts, overrides, log);
        return stopping;
      },
    };
  } catch (error) {
    await runAll(cleanup.reverse(), log);
    throw error;
  }
}

/** Runs every step, even after a failed one; logs failures. */
async function runAll(steps: readonly (() => Promise<unknown>)[], log: Logger): Promise<void> {
  for (const step of steps) {
    await step().catch((error: unknown) => log.error({ err: error }, 'a part failed to stop'));
  }
}

/**
 * Hands sessions over to other nodes first, while requests still find them. Then ends requests (their sends need the links),
 * then the links, so that the network queues new messages, then deliveries, and the store last. An event that its receiver
 * does not accept in time is announced again at the next start, from the journal.
 */
async function stop(parts: DaemonParts, overrides: DaemonOverrides, log: Logger): Promise<void> {
  const { server, lifecycle, membership, dispatcher, lookups, media, store, network } = parts;
  const { clock = systemClock, stopGraceMs = LIMITS.stopGraceMs } = overrides;
  log.info('stopping');
  parts.run.isStopping = true;
  const steps = [
    () => membership.drain(),
    () => server.stop({ timeout: stopGraceMs }),
    () => lifecycle.stop(),
    () => media.stop(),
    () => endsWithin(clock, stopGraceMs, lifecycle.idle()),
    () => lookups.destroy(),
    () => dispatcher.stop(0),
    () => lifecycle.idle(),
    () => membership.leave(),
    () => parts.stopTracing(),
    () => store.close(),
    async () => network.sandbox?.stop(),
  ];
  await runAll(steps, log);
  log.info('stopped');
}
