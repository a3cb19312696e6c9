import type { Dispatcher, Receiver } from '../delivery/dispatch.js';
import type { Clock } from '../domain/clock.js';
import { GatewayError } from '../domain/errors.js';
import { shownUrl } from '../domain/shown-url.js';
import { EXTRA_EVENT_TYPES } from '../events/catalogue.js';
import { LISTEN_CHECK, type ListenCheck } from '../events/listen-check.js';
import type { Logger } from '../log.js';
import type { SessionRecord } from '../store/store.js';
import type { ListenAnswer, ListenerView, Listening, ListenWish } from './services.js';

export interface ListenersOptions {
  sessions: {
    has(clientId: string): boolean;
    /** @throws session_unknown */
    find(clientId: string): Pick<SessionRecord, 'createdAt' | 'webhookUrl'>;
  };
  dispatcher: Pick<Dispatcher, 'probe'>;
  clock: Clock;
  log: Logger;
}

/** Who a listener is, without how long it stays. */
type Identity = Omit<ListenWish, 'seconds' | 'takeOver'>;

interface Listener extends Identity {
  /** Of its session: a later one of that name is another. */
  createdAt: number;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const EXTRAS: readonly string[] = EXTRA_EVENT_TYPES;

/**
 * Temporary receivers in front of the sessions' webhooks. They live in memory and expire unless they are renewed, so
 * that one that dies leaves nothing behind: what it does not answer goes to the webhook, and so does all that comes
 * later. What is registered for the session is never touched.
 */
export class Listeners implements Listening {
  readonly #options: ListenersOptions;
  readonly #byClient = new Map<string, Listener>();

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  async listen({ seconds, takeOver, ...wish }: ListenWish): Promise<ListenAnswer> {
    const { clientId, webhookUrl } = wish;
    const { sessions, clock, log } = this.#options;
    sessions.find(clientId);
    const renewed = isSame(this.#current(clientId), wish);
    if (!renewed) {
      if (!takeOver) this.#requireFree(wish);
      await this.#prove(wish);
      // that took its time: somebody may have been quicker
      if (!takeOver) this.#requireFree(wish);
      log.info(
        { clientId, url: shownUrl(webhookUrl), seconds },
        'a listener takes the events of the session',
      );
    }
    const { createdAt, webhookUrl: registeredUrl } = sessions.find(clientId);
    const listener = { ...wish, createdAt, expiresAt: clock.now() + seconds * 1_000 };
    this.#byClient.set(clientId, listener);
    return { ...viewOf(listener, registeredUrl), renewed };
  }

  end(clientId: string, webhookToken?: string): boolean {
    this.#options.sessions.find(clientId);
    const listener = this.#current(clientId);
    if (!listener || (webhookToken !== undefined && webhookToken !== listener.webhookToken)) return false;
    this.#remove(listener, 'the listener ended');
    return true;
  }

  /** The session is not here any more: who listens has to come to its new node. */
  forget(clientId: string): void {
    const listener = this.#byClient.get(clientId);
    if (listener) this.#remove(listener, 'the session is not here any more');
  }

  view(clientId: string): ListenerView | undefined {
    const listener = this.#current(clientId);
    return listener && viewOf(listener, this.#options.sessions.find(clientId).webhookUrl);
  }

  /**
   * Where an event goes: to the listener, if there is one, and when that does not answer to the registered webhook.
   * @param registered undefined when the session has no webhook, or did not ask for that type
   */
  inFront(event: { clientId: string; type: string }, registered: Receiver | undefined): Receiver | undefined {
    const listener = this.#current(event.clientId);
    if (!listener) return registered;
    if (!registered && EXTRAS.includes(event.type) && !wants(listener, event.type)) return undefined;
    return this.#before(listener, registered);
  }

  /** The same for an event that somebody sends by hand: whoever does that wants it there, opt-in or not. */
  inFrontByHand(clientId: string, registered: Receiver | undefined): Receiver | undefined {
    const listener = this.#current(clientId);
    return listener ? this.#before(listener, registered) : registered;
  }

  #before(listener: Listener, registered: Receiver | undefined): Receiver {
    const unanswered = () => {
      this.#remove(listener, 'the listener did not answer');
      return registered;
    };
    const { clientId, webhookUrl: url, webhookToken: token } = listener;
    return { url, token, unanswered, gone: () => this.#current(clientId)?.webhookToken !== token };
  }

  #current(clientId: string): Listener | undefined {
    const listener = this.#byClient.get(clientId);
    if (!listener) return undefined;
    const { sessions, clock } = this.#options;
    const lives = sessions.has(clientId) && sessions.find(clientId).createdAt === listener.createdAt;
    if (lives && listener.expiresAt > clock.now()) return listener;
    this.#remove(listener, lives ? 'the listener has expired' : 'the session of the listener is gone');
    return undefined;
  }

  #requireFree({ clientId, webhookToken }: Identity): void {
    const other = this.#current(clientId);
    if (!other || other.webhookToken === webhookToken) return;
    const until = new Date(other.expiresAt).toISOString();
    const message = `somebody listens to session ${clientId} already, until ${until} if it is not renewed; use takeOver to take its place`;
    throw new GatewayError('webhook_taken', message);
  }

  /** A listener that cannot be reached, or is somebody else, must not take events away from the webhook. */
  async #prove({ clientId, webhookUrl: url, webhookToken: token }: Identity): Promise<void> {
    const timestamp = new Date(this.#options.clock.now()).toISOString();
    const check: ListenCheck = { event: 'listen.check', type: LISTEN_CHECK, clientId, timestamp };
    const { outcome, reason } = await this.#options.dispatcher.probe({ url, token }, check);
    if (outcome === 'delivered') return;
    const message = `${shownUrl(url)} does not take calls of this gateway: ${reason}`;
    throw new GatewayError('webhook_unreachable', message);
  }

  /** Another one may have taken its place since. */
  #remove(listener: Listener, why: string): void {
    const { clientId, webhookToken } = listener;
    if (this.#byClient.get(clientId)?.webhookToken !== webhookToken) return;
    this.#byClient.delete(clientId);
    this.#options.log.info({ clientId }, `${why}: events go to the webhook of the session again`);
  }
}

function isSame(listener: Listener | undefined, wish: Identity): boolean {
  if (!listener || listener.webhookToken !== wish.webhookToken) return false;
  return listener.webhookUrl === wish.webhookUrl && wish.extraEvents.every((type) => wants(listener, type));
}

function wants({ extraEvents }: Identity, type: string): boolean {
  return extraEvents.some((wanted) => wanted === type);
}

function viewOf({ clientId, webhookUrl, expiresAt }: Listener, registeredUrl: string): ListenerView {
  return { clientId, webhookUrl, registeredUrl, expiresAt: new Date(expiresAt).toISOString() };
}
