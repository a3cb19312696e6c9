import type {
  FailedDelivery,
  FailedDeliveryWithEvent,
  ResendAnswer,
  SessionHealth,
} from '../../contract/index.js';
import { singleLine } from '../../domain/text.js';
import type { DaemonClient } from './client.js';
import { CliError, type Failure } from './errors.js';
import { shorten } from './text.js';

/** Parallel deliveries. */
const AT_ONCE = 4;
/** The daemon keeps this many per receiver, and shows this many at once. */
export const MAX_FAILED_DELIVERIES = 1_000;

/** Refusals that concern a single delivery. */
const OF_ONE_DELIVERY: ReadonlySet<Failure> = new Set<Failure>(['not_found', 'conflict']);

export interface ResendSummary {
  delivered: number;
  failed: number;
  /** Deliveries that were not tried, because of an interrupt or a refusal. */
  untried: number;
  /** The error that stopped the rest. */
  trouble?: unknown;
}

/** @throws CliError `not_found` */
export async function showFailed(client: DaemonClient, id: string): Promise<FailedDeliveryWithEvent> {
  try {
    return await client.getFailedDelivery({ id });
  } catch (error) {
    throw explained(error);
  }
}

/** Selects the failed deliveries to send again: those of all sessions, unless one is named. */
export interface FailedChoice {
  session?: string | undefined;
  /** Only deliveries to this receiver of the session; 1 is the webhook. */
  receiver?: string | undefined;
  /** Only these types of events; all types if the list is absent. */
  types?: readonly string[];
}

/** Failed deliveries that the token can see, oldest first. Samples of an earlier release are left out, and counted. */
export async function failedOf(
  client: DaemonClient,
  { session, receiver, types = [] }: FailedChoice,
): Promise<{ failed: FailedDelivery[]; samples: number }> {
  const failedDeliveries: FailedDelivery[] = [];
  let before: string | undefined;
  do {
    const query = { clientId: session, receiver, limit: MAX_FAILED_DELIVERIES, before };
    const page = await client.listFailedDeliveries(query);
    failedDeliveries.push(...page.failedDeliveries);
    before = page.next;
  } while (before !== undefined);
  const chosen = failedDeliveries.filter(({ type }) => types.length === 0 || types.includes(type));
  const failed = chosen.filter(({ sample }) => !sample).reverse();
  return { failed, samples: chosen.length - failed.length };
}

/**
 * Delivers events again, a few at a time. Never rejects: a refusal of the daemon becomes the summary's `trouble`.
 * @param tell called with the result of each delivery
 * @param signal stops after the deliveries in flight
 */
export async function resend(
  client: DaemonClient,
  ids: readonly string[],
  { tell, signal }: { tell(id: string, answer: ResendAnswer): void; signal: AbortSignal },
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

/** Delivers one event. A deleted delivery, or a session without a webhook, counts as failed and does not stop the others. */
async function resendOne(client: DaemonClient, id: string): Promise<ResendAnswer> {
  try {
    return await client.resendFailedDelivery({ id });
  } catch (error) {
    if (!(error instanceof CliError && OF_ONE_DELIVERY.has(error.failure))) throw error;
    return { deliveryId: id, delivered: false, reason: error.message };
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof CliError) || error.failure !== 'not_found') return error;
  const suggestions = ['it was delivered, or is older than 7 days: switchboard failed list'];
  return new CliError('not_found', error.message, { suggestions, cause: error });
}

/** Characters of a reason in a table. */
const REASON_LENGTH = 60;
/** Decryption key of a message's file. */
const SECRET = 'mediaKey';

export const FAILED_HEAD = ['ID', 'FAILED AT', 'SESSION', 'TYPE', 'ATTEMPTS', 'REASON'];

export function failedRow({
  id,
  clientId,
  receiver,
  type,
  reason,
  attempts,
  failedAt,
}: FailedDelivery): string[] {
  const why = shorten(singleLine(reason), REASON_LENGTH);
  const session = receiver ? `${clientId}, receiver ${receiver}` : clientId;
  return [id, localTime(failedAt), session, type, String(attempts), why];
}

export function failedFields(delivery: FailedDeliveryWithEvent): Record<string, string> {
  const { id, clientId, receiver, url, type, messageId, reason, attempts, failedAt } = delivery;
  return {
    id,
    session: clientId,
    type,
    message: singleLine(messageId),
    ...(receiver && { receiver }),
    [receiver ? 'address' : 'webhook']: singleLine(url),
    'failed at': `${localTime(failedAt)} (${failedAt})`,
    attempts: String(attempts),
    reason: singleLine(reason),
  };
}

/** An event as indented JSON, cleaned and without the key of its file. */
export function eventText(event: unknown): string {
  const text = JSON.stringify(event, (name, value) => (name === SECRET ? '(not shown)' : value), 2);
  return text.split('\n').map(singleLine).join('\n');
}

/** `2026-11-21 10:33:48` */
function localTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * Waiting events by receiver, each with a name such as `acme` or `acme, receiver 2`.
 * @param only the id of a receiver; all of them unless it is given
 */
export function waitingOf(
  { clientId, waiting, receivers = [] }: Pick<SessionHealth, 'clientId' | 'waiting' | 'receivers'>,
  only?: string,
): [name: string, waiting: NonNullable<SessionHealth['waiting']>][] {
  const all = [{ id: '1', waiting }, ...receivers];
  return all.flatMap(({ id, waiting: one }) => {
    if (!one || (only ?? id) !== id) return [];
    return [[id === '1' ? clientId : `${clientId}, receiver ${id}`, one]];
  });
}

/** `waitingText`, and the outlook for the events. */
export function waitingLine(waiting: NonNullable<SessionHealth['waiting']>): string {
  const what =
    waiting.events === 1
      ? 'it is delivered by itself once the receiver accepts it'
      : 'they are delivered by themselves once the receiver accepts them';
  return `${waitingText(waiting)}; ${what}`;
}

/** Describes the events that wait for a receiver with durable retries, such as `12 events wait for the receiver since …`. */
export function waitingText({ events, since, circuit }: NonNullable<SessionHealth['waiting']>): string {
  const what = events === 1 ? '1 event waits' : `${events} events wait`;
  return `${what} for the receiver since ${localTime(since)}${circuit === 'open' ? ', which is down' : ''}`;
}
