import { type Clock, systemClock } from '../../domain/clock.js';
import type { DaemonClient } from '../client.js';
import { listSessions } from '../sessions.js';
import type { ConfigAnswer } from '../wire.js';
import type { CheckResult } from './check.js';
import { checkClock, checkDaemon, checkStore, checkToken } from './daemon.js';
import { checkNetwork } from './network.js';
import { checkSession } from './sessions.js';
import { checkDataDirectory, checkSettings, type FoundSettings } from './settings.js';
import { checkDelivery, checkWebhook } from './webhooks.js';

export interface DoctorOptions {
  client: DaemonClient;
  dataDir: string;
  env: NodeJS.ProcessEnv;
  /** The network to reach; else what the daemon says, else the settings. */
  network?: string;
  /** Sends a real test event to each webhook instead of only connecting to it. */
  sendTest: boolean;
  clock?: Clock;
}

/** Looks at everything that usually goes wrong, in the order in which one thing needs another. */
export async function* doctor(options: DoctorOptions): AsyncGenerator<CheckResult> {
  const { client, dataDir, env, clock = systemClock } = options;
  const settings = await checkSettings(dataDir, env);
  yield settings.result;
  yield await checkDataDirectory(dataDir);
  const daemon = await checkDaemon(client);
  yield daemon.result;
  if (!daemon.live) {
    yield await checkNetwork(networkOf(options, settings, undefined));
    return;
  }
  yield checkClock(daemon.live, clock.now());
  yield await checkStore(client);
  const token = await checkToken(client);
  yield token.result;
  yield await checkNetwork(networkOf(options, settings, token.config));
  if (token.config) yield* checkSessions(options);
}

async function* checkSessions({ client, sendTest }: DoctorOptions): AsyncGenerator<CheckResult> {
  for (const session of await listSessions(client)) {
    yield checkSession(session);
    yield sendTest ? await checkDelivery(client, session) : await checkWebhook(session);
  }
}

/** The network in question: the one that was named, else the daemon's, else that of a daemon started here. */
function networkOf(
  { network }: DoctorOptions,
  { config }: FoundSettings,
  daemon: ConfigAnswer | undefined,
): string {
  return network ?? daemon?.environment ?? config?.network ?? 'whatsapp';
}
