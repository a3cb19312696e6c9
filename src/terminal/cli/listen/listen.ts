import { randomBytes } from 'node:crypto';
import { EXTRA_EVENT_TYPES, type GatewayEvent } from '../../../contract/events/catalogue.js';
import type { ListenAnswer } from '../../../contract/index.js';
import { type Clock, systemClock } from '../../../domain/clock.js';
import { shownUrl, singleLine } from '../../../domain/text.js';
import type { DaemonClient } from '../client.js';
import { CliError } from '../errors.js';
import { type Forwarded, type ForwardTarget, forwardEvent } from '../forward.js';
import type { Paint } from '../output.js';
import { watchSession } from '../tail.js';
import { clockTime, tailLine } from '../tail-lines.js';
import { type RefusedCall, startReceiver, type WebhookCall } from './receiver.js';
import { END_MS, Registration } from './registration.js';

/** Timeout of a forwarded call in milliseconds: less than the daemon's 15 s. */
const FORWARD_MS = 14_000;
const NO_CONTENT = 204;
const BAD_GATEWAY = 502;
const TOKEN_BYTES = 32;
/** Addresses that mean all interfaces and cannot be called. */
const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

export interface ListenOptions {
  /** Client whose calls an interrupt aborts. */
  client: DaemonClient;
  /** Creates a client for the final call, which an interrupt does not abort. */
  lastClient(signal: AbortSignal): Promise<DaemonClient>;
  clientId: string;
  host: string;
  /** 0 for any free port. */
  port: number;
  /** URL at which the daemon reaches this machine, if it differs. */
  publicUrl?: string;
  /** Whether to receive opt-in events too. */
  extraEvents: boolean;
  takeOver: boolean;
  forwardTo?: ForwardTarget;
  /** Reply with this status for the first attempts of each event. */
  fail?: { status: number; attempts: number };
  /** Ends the listener without an error. */
  signal: AbortSignal;
  /** Called for each item in order. */
  tell(item: ListenItem): void;
  clock?: Clock;
}

export type ListenItem =
  /** Registered; `registeredUrl` is the session's own webhook, or empty. */
  | { type: 'listening'; clientId: string; url: string; registeredUrl: string }
  /** A delivery attempt and the status of the reply. */
  | {
      type: 'event';
      at: string;
      deliveryId: string;
      attempt: number;
      status: number;
      forwarded?: Forwarded;
      event: GatewayEvent;
    }
  /** A call without valid token and signature. */
  | ({ type: 'refused'; at: string } & RefusedCall)
  | { type: 'lost'; reason: string }
  | { type: 'back' }
  /** Registered again after the registration was lost, as when the session moved to another node. */
  | { type: 'retaken'; clientId: string }
  /** Unregistered: events go to the session's own webhook again. */
  | { type: 'restored'; clientId: string; registeredUrl: string };

/**
 * Receives a session's events instead of its webhook until the signal aborts.
 * @throws CliError if it cannot register, is replaced by another listener, or cannot unregister
 */
export async function listen(options: ListenOptions): Promise<void> {
  const { clientId, host, port, publicUrl, client, clock = systemClock } = options;
  if (!publicUrl && WILDCARDS.includes(host)) {
    throw new CliError('usage', `the daemon cannot call ${host}: add --public-url`);
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const receiver = await startReceiver({
    ...{ host, port, token },
    answer: (call) => answer(call, options),
    refused: (call) => options.tell({ type: 'refused', at: new Date().toISOString(), ...call }),
  });
  const { takeOver } = options;
  const extraEvents = options.extraEvents ? [...EXTRA_EVENT_TYPES] : [];
  const url = publicUrl ?? receiver.url;
  const wish = { clientId, webhookUrl: url, webhookToken: token, extraEvents, takeOver };
  const registration = new Registration(client, wish, clock);
  try {
    await registerUntilAborted(registration, url, options);
  } finally {
    await receiver.stop();
  }
}

async function registerUntilAborted(
  registration: Registration,
  url: string,
  options: ListenOptions,
): Promise<void> {
  const { clientId, tell } = options;
  try {
    const registered = await begin(registration);
    if (registered) {
      tell({ type: 'listening', clientId, url, registeredUrl: registered.registeredUrl });
      await keepUp(registration, options);
    }
  } catch (error) {
    // no effect if the registration is already gone
    await restoreWebhook(registration, options).catch(() => undefined);
    throw error;
  }
  tell({ type: 'restored', clientId, registeredUrl: await restoreWebhook(registration, options) });
}

/** Renews the registration until the signal aborts, earlier if the session may have moved. */
async function keepUp(registration: Registration, options: ListenOptions): Promise<void> {
  const { client, clientId, signal, tell } = options;
  const changes = watchSession(client, clientId, signal);
  try {
    await registration.keepUp(signal, {
      lost: (reason) => tell({ type: 'lost', reason }),
      back: () => tell({ type: 'back' }),
      retaken: () => tell({ type: 'retaken', clientId }),
      nextChange: changes.nextChange,
    });
  } finally {
    changes.stop();
  }
}

/** Registers the listener; undefined after an interrupt: the daemon may have registered it anyway. */
async function begin(registration: Registration): Promise<ListenAnswer | undefined> {
  try {
    return await registration.begin();
  } catch (error) {
    if (error instanceof CliError && error.failure === 'interrupted') return undefined;
    throw error;
  }
}

async function restoreWebhook(registration: Registration, { lastClient }: ListenOptions): Promise<string> {
  return registration.end(await lastClient(AbortSignal.timeout(END_MS)));
}

/** @throws CliError `interrupted` to leave the call without a reply */
async function answer(call: WebhookCall, options: ListenOptions): Promise<number> {
  const { deliveryId, attempt, event } = call;
  const { status, forwarded } = await toAnswer(call, options);
  const at = new Date().toISOString();
  options.tell({
    ...{ type: 'event', at, deliveryId, attempt, status },
    forwarded,
    event,
  });
  return status;
}

async function toAnswer(
  { deliveryId, attempt, event: { type }, body }: WebhookCall,
  { fail, forwardTo, signal }: ListenOptions,
): Promise<{ status: number; forwarded?: Forwarded }> {
  if (fail && attempt <= fail.attempts) return { status: fail.status };
  if (!forwardTo) return { status: NO_CONTENT };
  const event = { deliveryId, attempt, type, body };
  const forwarded = await forwardEvent(forwardTo, event, { timeoutMs: FORWARD_MS, signal });
  // without a reply the event goes to the webhook; an error status on its last attempt would end it
  if (signal.aborted && forwarded.status === 0) throw new CliError('interrupted', 'interrupted');
  return { status: forwarded.status || BAD_GATEWAY, forwarded };
}

type EventItem = Extract<ListenItem, { type: 'event' }>;

/** A received event as lines: the event and the reply. */
export function eventLines(item: EventItem, paint: Paint): string[] {
  const { at, event } = item;
  const line = tailLine({ kind: 'event', at, clientId: event.clientId, event }, paint);
  return [line, `         ${answerText(item, paint)}`];
}

/** A refused call as one line. */
export function refusedLine(item: Extract<ListenItem, { type: 'refused' }>, paint: Paint): string {
  const from = paint('dim', `from ${item.from}`);
  return `${paint('dim', clockTime(item.at))} ${paint('red', `✗ refused ${item.status}`)} ${singleLine(item.reason)} ${from}`;
}

export function noteOf(item: Exclude<ListenItem, EventItem | { type: 'refused' }>): string {
  switch (item.type) {
    case 'listening':
      return `receiving events of ${item.clientId} at ${shownUrl(item.url)}; after Ctrl+C ${webhook(item.registeredUrl)}`;
    case 'lost':
      return `the daemon does not answer, retrying: ${item.reason}`;
    case 'back':
      return 'the daemon answers again';
    case 'retaken':
      return `receiving events of ${item.clientId} again: its node changed or restarted; meanwhile they went to its webhook`;
    case 'restored':
      return `stopped receiving events of ${item.clientId}: ${webhook(item.registeredUrl)}`;
  }
}

function answerText({ status, attempt, deliveryId, forwarded }: EventItem, paint: Paint): string {
  const taken = status >= 200 && status < 300;
  const answered = paint(taken ? 'green' : 'red', `${taken ? '✓' : '✗'} answered ${status}`);
  const facts = paint('dim', `(attempt ${attempt}, ${singleLine(deliveryId)})`);
  if (!forwarded) return `${answered} ${facts}`;
  const { url, reason, durationMs } = forwarded;
  const detail = reason && forwarded.status === 0 ? `: ${singleLine(reason)}` : '';
  return `${answered} by ${singleLine(url)} in ${durationMs} ms${detail} ${facts}`;
}

function webhook(url: string): string {
  return url ? `they go to ${shownUrl(url)}` : 'they go nowhere: this session has no webhook';
}
