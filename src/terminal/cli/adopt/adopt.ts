import type { AdoptRequest } from '../../../client/generated/operations.generated.js';
import type { MovedSettings } from '../../../contract/index.js';
import { systemClock, wait } from '../../../domain/clock.js';
import { errorMessage } from '../../../domain/errors.js';
import { pauseAfter, type RetryPolicy } from '../../../domain/retry.js';
import type { SessionStatus } from '../../../domain/session.js';
import type { DaemonClient } from '../client.js';
import { CliError } from '../errors.js';
import { healthOf } from '../sessions.js';
import { type LinkedNumber, ownJid, type StoredKey } from './linked-number.js';

/** Approximate bytes of keys in one request; the API accepts a megabyte. */
const PART_BYTES = 600 * 1024;
/** Bytes of the largest key that fits into a request. */
const KEY_BYTES = 900 * 1024;
/** Milliseconds between two looks at the sessions. */
const POLL_MS = 500;
/** Pauses after transient failures of one number. */
const RETRY: RetryPolicy = { pausesMs: Array<number>(5).fill(1_000), endless: false };
/** Milliseconds that a number may take to connect. */
const CONNECT_MS = 60_000;

const IN_USE = 'another program uses this link too';

/** The result for one number. */
export interface Adopted {
  clientId: string;
  jid: string;
  /** `here`: the session had this number before. */
  outcome: 'connected' | 'here' | 'not_connected' | 'failed' | 'conflict';
  /** Reason of the outcome; empty if all is well. */
  reason: string;
  /** Names of keys that were left out. */
  leftOut: string[];
}

/** Settings of the new sessions, instead of those of the other program. */
export type AdoptSettings = Pick<AdoptRequest, 'webhookUrl' | 'webhookToken'> & { orgId?: string };

/**
 * Takes numbers over in turn. Ends at the first `conflict`: another program uses the link of a number that was taken
 * over.
 * @param watchMs how long to watch for a conflict after the last number
 */
export async function* adoptNumbers(
  client: DaemonClient,
  numbers: readonly LinkedNumber[],
  settings: AdoptSettings,
  watchMs: number,
): AsyncGenerator<Adopted> {
  const taken: string[] = [];
  for (const number of numbers) {
    const adopted = await retrying(() => adoptOne(client, number, settings));
    if (adopted.outcome === 'connected') taken.push(number.clientId);
    yield adopted;
    if (adopted.outcome === 'conflict') return;
    const conflict = await conflictIn(client, taken);
    if (conflict) return yield conflict;
  }
  const end = systemClock.now() + watchMs;
  while (taken.length > 0 && systemClock.now() < end) {
    await wait(systemClock, POLL_MS);
    const conflict = await conflictIn(client, taken);
    if (conflict) return yield conflict;
  }
}

/** Retries work after transient failures, such as while a node moves its sessions. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = pauseAfter(RETRY, failures);
      if (pauseMs === undefined || !(error instanceof CliError) || !error.isTemporary) throw error;
      await wait(systemClock, pauseMs);
    }
  }
}

async function adoptOne(
  client: DaemonClient,
  number: LinkedNumber,
  settings: AdoptSettings,
): Promise<Adopted> {
  const { clientId } = number;
  const jid = ownJid(number.credentials);
  const leftOut = [...number.unreadable];
  const ended = (outcome: Adopted['outcome'], reason = ''): Adopted => ({
    ...{ clientId, jid, outcome, reason, leftOut },
  });
  try {
    const { clients } = await client.listClients({ clientId });
    const known = clients.find((session) => session.clientId === clientId);
    if (known?.jid === jid) {
      return ['connected', 'reconnecting'].includes(known.status)
        ? ended('here')
        : ended('not_connected', `it is here and ${known.status}`);
    }
    await send(client, number, settings, leftOut);
    const { status, reason } = await settledStatus(client, clientId);
    if (status === 'replaced') return ended('conflict', IN_USE);
    return status === 'connected' ? ended('connected') : ended('not_connected', reason);
  } catch (error) {
    // stop: without a daemon, or with a wrong token, no further number can be taken over
    if (error instanceof CliError && !['usage', 'conflict'].includes(error.failure)) throw error;
    return ended('failed', errorMessage(error));
  }
}

/** Sends keys in parts, then the credentials, with which the number connects. */
async function send(
  client: DaemonClient,
  { clientId, credentials, keys, moved, ...own }: LinkedNumber,
  settings: AdoptSettings,
  leftOut: string[],
): Promise<void> {
  const { pollLookupUrl, extraEvents, proxy, retry } = moved?.settings ?? {};
  const { linkedAt, receivers, webhookPaused, previousToken } = moved?.settings ?? {};
  const webhookUrl = settings.webhookUrl ?? own.webhookUrl;
  const webhookToken =
    settings.webhookToken ?? (settings.webhookUrl === undefined ? own.webhookToken : undefined);
  // first check all URLs: one that the daemon refuses must end the adoption before anything is stored
  await client.adopt({
    ...{ clientId, begin: true, extraEvents, webhookUrl, webhookToken, receivers },
    pollLookupUrl: pollLookupUrl || undefined,
    proxy: proxy || undefined,
  });
  const tooLarge = (key: StoredKey) => void leftOut.push(`${key.type} ${key.id}`);
  for await (const part of partsOf(keys(), tooLarge)) {
    leftOut.push(...(await client.adopt({ clientId, keys: part })).leftOut);
  }
  // a message that is too large is skipped: the only effect is that its redelivery is not recognised
  for await (const received of partsOf(moved?.received ?? [])) await client.adopt({ clientId, received });
  if (moved) await applySettings(client, clientId, moved.settings);
  const orgId = settings.orgId ?? own.orgId;
  // before the number connects, so that its messages are kept from the first one
  if (orgId) await client.setOrgId({ clientId, orgId });
  if (webhookUrl !== undefined) await client.setWebhook({ clientId, webhookUrl, webhookToken, retry });
  // these settings belong to the webhook in the file, so only set them if that webhook is kept
  const ofWebhook = settings.webhookUrl === undefined && settings.webhookToken === undefined;
  await client.adopt({
    ...{ clientId, credentials },
    linkedAt: linkedAt || undefined,
    receivers,
    webhookPaused: (ofWebhook && webhookPaused) || undefined,
    previousToken: (ofWebhook && previousToken) || undefined,
  });
}

/** Groups items so that each group fits into one request. */
async function* partsOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  tooLarge: (item: T) => void = () => undefined,
): AsyncGenerator<T[]> {
  let part: T[] = [];
  let bytes = 0;
  for await (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item));
    if (size > KEY_BYTES) {
      tooLarge(item);
      continue;
    }
    if (part.length > 0 && bytes + size > PART_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

/** Applies settings that differ from those of a new session. */
async function applySettings(
  client: DaemonClient,
  clientId: string,
  { enableGroupAi, rejectCalls, retentionDays, keepEvents }: MovedSettings,
): Promise<void> {
  if (enableGroupAi) await client.setEnableGroupAi({ clientId, enabled: true });
  if (rejectCalls) await client.setRejectCalls({ clientId, enabled: true });
  if (retentionDays !== null) await client.setRetention({ clientId, days: retentionDays });
  if (keepEvents) await client.setRetention({ clientId, keepEvents });
}

/** Waits until the number is connected, or certain not to connect by itself, and returns the status. */
async function settledStatus(
  client: DaemonClient,
  clientId: string,
): Promise<{ status: SessionStatus; reason: string }> {
  const end = systemClock.now() + CONNECT_MS;
  while (true) {
    const [session] = await healthOf(client, [clientId]);
    const status = session?.status ?? 'initializing';
    const reason = session?.reason || `it is still ${status}`;
    const isSettled = ['connected', 'logged_out', 'replaced', 'banned', 'qr'].includes(status);
    if (isSettled || systemClock.now() > end) return { status, reason };
    await wait(systemClock, POLL_MS);
  }
}

async function conflictIn(client: DaemonClient, taken: readonly string[]): Promise<Adopted | undefined> {
  if (taken.length === 0) return undefined;
  const { clients } = await client.listClients();
  const replaced = clients.find(({ clientId, status }) => taken.includes(clientId) && status === 'replaced');
  if (!replaced) return undefined;
  const { clientId, jid } = replaced;
  return { clientId, jid, outcome: 'conflict', reason: IN_USE, leftOut: [] };
}
