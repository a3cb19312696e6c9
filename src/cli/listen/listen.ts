import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../../domain/clock.js';
import type { ExtraEventType, GatewayEvent } from '../../events/catalogue.js';
import { CliError } from '../cli-error.js';
import type { DaemonClient } from '../client.js';
import { watchSession } from '../session-watch.js';
import { type Forwarded, type ForwardTarget, forwardEvent } from './forward.js';
import { type RefusedCall, startReceiver, type WebhookCall } from './receiver.js';
import { END_MS, Registration, type RegistrationAnswer } from './registration.js';

/** Milliseconds for handing an event on: less than the daemon waits for our answer. */
const FORWARD_MS = 14_000;
const NO_CONTENT = 204;
const BAD_GATEWAY = 502;
const TOKEN_BYTES = 32;
/** Addresses that stand for all of this machine's, and can be called by nobody. */
const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

export interface ListenOptions {
  /** An interrupt ends its calls. */
  client: DaemonClient;
  /** One for the end, whose calls the signal ends. */
  lastClient(signal: AbortSignal): Promise<DaemonClient>;
  clientId: string;
  host: string;
  /** 0 for any that is free. */
  port: number;
  /** Where the daemon reaches us, when that is not where we listen. */
  publicUrl?: string;
  extraEvents: readonly ExtraEventType[];
  takeOver: boolean;
  forwardTo?: ForwardTarget;
  /** Answers with that status in place of taking the event. */
  fail?: { status: number; attempts: number };
  /** Ends it, without an error. */
  signal: AbortSignal;
  /** Told of everything, in its order. */
  tell(item: ListenItem): void;
  clock?: Clock;
}

export type ListenItem =
  /** Events come here from now on; `registeredUrl` is the session's own webhook, empty when it has none. */
  | { type: 'listening'; clientId: string; url: string; registeredUrl: string }
  /** An attempt to deliver an event, and the status that it was answered with. */
  | {
      type: 'event';
      at: string;
      deliveryId: string;
      attempt: number;
      status: number;
      forwarded?: Forwarded;
      event: GatewayEvent;
    }
  /** A call that was not the gateway's. */
  | ({ type: 'refused'; at: string } & RefusedCall)
  | { type: 'lost'; reason: string }
  | { type: 'back' }
  /** The daemon had lost our place, as when the session moved to another node: meanwhile events went to the webhook. */
  | { type: 'retaken'; clientId: string }
  /** Events go to the session's own webhook again. */
  | { type: 'restored'; clientId: string; registeredUrl: string };

/**
 * Takes a session's events in place of its webhook until the signal aborts, and then gives them back.
 * @throws CliError when it cannot begin, when somebody takes its place, and when the webhook could not be put back
 */
export async function listen(options: ListenOptions): Promise<void> {
  const { clientId, host, port, publicUrl, client, clock = systemClock } = options;
  if (!publicUrl && WILDCARDS.includes(host)) {
    throw new CliError('usage', `${host} is no address that the daemon can call: add --public-url`);
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const receiver = await startReceiver({
    ...{ host, port, token },
    answer: (call) => answer(call, options),
    refused: (call) => options.tell({ type: 'refused', at: new Date().toISOString(), ...call }),
  });
  const { extraEvents, takeOver } = options;
  const url = publicUrl ?? receiver.url;
  const wish = { clientId, webhookUrl: url, webhookToken: token, extraEvents, takeOver };
  const registration = new Registration(client, wish, clock);
  try {
    await hold(registration, url, options);
  } finally {
    await receiver.stop();
  }
}

/** From the registration to its end, whatever happens in between. */
async function hold(registration: Registration, url: string, options: ListenOptions): Promise<void> {
  const { clientId, tell } = options;
  try {
    const registered = await begin(registration);
    if (registered) {
      tell({ type: 'listening', clientId, url, registeredUrl: registered.registeredUrl });
      await keepUp(registration, options);
    }
  } catch (error) {
    // where nothing of ours is left, this changes nothing
    await giveBack(registration, options).catch(() => undefined);
    throw error;
  }
  tell({ type: 'restored', clientId, registeredUrl: await giveBack(registration, options) });
}

/** Renews the registration until the signal aborts: again and again, and at once when the session may have moved. */
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

/** Undefined when it was interrupted: it may have got there all the same. */
async function begin(registration: Registration): Promise<RegistrationAnswer | undefined> {
  try {
    return await registration.begin();
  } catch (error) {
    if (error instanceof CliError && error.failure === 'interrupted') return undefined;
    throw error;
  }
}

async function giveBack(registration: Registration, { lastClient }: ListenOptions): Promise<string> {
  return registration.end(await lastClient(AbortSignal.timeout(END_MS)));
}

/** @throws CliError `interrupted` when there is nothing to answer any more */
async function answer(call: WebhookCall, options: ListenOptions): Promise<number> {
  const { deliveryId, attempt, event } = call;
  const { status, forwarded } = await answerOf(call, options);
  const at = new Date().toISOString();
  options.tell({
    ...{ type: 'event', at, deliveryId, attempt, status },
    ...(forwarded && { forwarded }),
    event,
  });
  return status;
}

async function answerOf(
  { deliveryId, attempt, event: { type }, body }: WebhookCall,
  { fail, forwardTo, signal }: ListenOptions,
): Promise<{ status: number; forwarded?: Forwarded }> {
  if (fail && attempt <= fail.attempts) return { status: fail.status };
  if (!forwardTo) return { status: NO_CONTENT };
  const event = { deliveryId, attempt, type, body };
  const forwarded = await forwardEvent(forwardTo, event, { timeoutMs: FORWARD_MS, signal });
  // an error would be the event's end where this is its last attempt; without an answer it goes to the webhook
  if (signal.aborted && forwarded.status === 0) throw new CliError('interrupted', 'interrupted');
  return { status: forwarded.status || BAD_GATEWAY, forwarded };
}
