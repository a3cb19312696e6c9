import { CliError } from './cli-error.js';
import { type DaemonClient, DELIVERY_TIMEOUT_MS } from './client.js';
import type { TestEventAnswer } from './wire.js';

/** Deliveries that are sent again at the same time. */
const AT_ONCE = 4;
/** As many as are kept of a session. */
export const MOST = 1_000;

/** One row of `/failed-deliveries`. */
export interface FailedRow {
  id: string;
  clientId: string;
  /** Where it should have gone, without what may be secret. */
  url: string;
  type: string;
  /** Empty for events that are no message's. */
  messageId: string;
  reason: string;
  attempts: number;
  /** RFC 3339. */
  failedAt: string;
}

export interface FailedDetails extends FailedRow {
  event: unknown;
}

export interface FailedPage {
  failedDeliveries: FailedRow[];
  /** Where the next page begins; absent on the last. */
  next?: string;
}

/** How many did what. */
export interface ResendSummary {
  delivered: number;
  failed: number;
  /** Left when it was interrupted, or the daemon refused. */
  untried: number;
  /** Why it went no further. */
  trouble?: unknown;
}

/** Newest first. */
export function listFailed(
  client: DaemonClient,
  { session, limit, before }: { session?: string; limit: number; before?: string },
): Promise<FailedPage> {
  const query = { clientId: session, limit: String(limit), before };
  return client.call<FailedPage>('GET', '/failed-deliveries', { query });
}

/** @throws CliError `not_found` */
export async function showFailed(client: DaemonClient, id: string): Promise<FailedDetails> {
  try {
    return await client.call<FailedDetails>('GET', `/failed-deliveries/${encodeURIComponent(id)}`, {});
  } catch (error) {
    throw explained(error);
  }
}

/** Those of a session, the oldest first, as they happened. */
export async function failedOf(
  client: DaemonClient,
  session: string,
  types: readonly string[],
): Promise<FailedRow[]> {
  const { failedDeliveries } = await listFailed(client, { session, limit: MOST });
  return failedDeliveries.filter(({ type }) => types.length === 0 || types.includes(type)).reverse();
}

/**
 * Sends deliveries again, a few at a time. Never rejects: what the daemon refuses altogether is the summary's `trouble`.
 * @param tell is told of each, as it ends
 * @param signal ends it after those that are under way
 */
export async function resend(
  client: DaemonClient,
  ids: readonly string[],
  { tell, signal }: { tell(id: string, answer: TestEventAnswer): void; signal: AbortSignal },
): Promise<ResendSummary> {
  const waiting = [...ids];
  const summary: ResendSummary = { delivered: 0, failed: 0, untried: 0 };
  const work = async () => {
    while (!signal.aborted && !summary.trouble) {
      const id = waiting.shift();
      if (id === undefined) return;
      try {
        const answer = await resendOne(client, id);
        summary[answer.delivered ? 'delivered' : 'failed'] += 1;
        tell(id, answer);
      } catch (error) {
        summary.failed += 1;
        summary.trouble ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { ...summary, untried: waiting.length };
}

/** Sends one of them again, and tells whether it arrived. @throws CliError `not_found` */
export function resendFailed(client: DaemonClient, id: string): Promise<TestEventAnswer> {
  const path = `/failed-deliveries/${encodeURIComponent(id)}/resend`;
  return client.call<TestEventAnswer>('POST', path, { body: {}, timeoutMs: DELIVERY_TIMEOUT_MS });
}

/** One that is gone did not arrive; with the others it goes on. */
async function resendOne(client: DaemonClient, id: string): Promise<TestEventAnswer> {
  try {
    return await resendFailed(client, id);
  } catch (error) {
    if (!(error instanceof CliError) || error.failure !== 'not_found') throw error;
    return { deliveryId: id, delivered: false, reason: error.message };
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof CliError) || error.failure !== 'not_found') return error;
  const suggestions = ['it arrived, or is older than 7 days: switchboard failed list'];
  return new CliError('not_found', error.message, { suggestions, cause: error });
}
