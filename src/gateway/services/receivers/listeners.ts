import { EXTRA_EVENT_TYPES, LISTEN_CHECK, type ListenCheck } from '../../../contract/events/catalogue.js';
import type { ListenAnswer, ListenWish } from '../../../contract/index.js';
import type { MonotonicClock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import { shownUrl } from '../../../domain/text.js';
import { withoutCredentials } from '../../../domain/url-credentials.js';
import type { Dispatcher, Receiver } from '../../delivery/dispatch.js';
import { requirePublicUrl } from '../../delivery/guard.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';

/** The listener of a session; without secrets. */
type ListenerView = Omit<ListenAnswer, 'ok' | 'renewed'>;

/** A listener without its lifetime. */
type Identity = Omit<ListenWish, 'seconds' | 'takeOver'>;

interface Listener extends Identity {
  /** Creation time of its session, which tells it from a later session of the same clientId. */
  createdAt: number;
  /** When the listener expires unless it is renewed. On the monotonic clock: a jump of the wall clock must not end a listener. */
  endsAt: number;
}

const EXTRAS: readonly string[] = EXTRA_EVENT_TYPES;

/**
 * Temporary receivers in front of the sessions' webhooks. They live in memory and expire unless they are renewed. When a
 * listener dies, the webhook gets the events that the listener did not answer, and all later ones. The session's own
 * webhook stays registered.
 */
export class Listeners {
  readonly #options;
  readonly #byClient = new Map<string, Listener>();

  constructor(options: {
    sessions: {
      has(clientId: string): boolean;
      /** Finds the session's record. @throws session_unknown */
      find(clientId: string): Pick<SessionRecord, 'createdAt' | 'webhookUrl'>;
    };
    dispatcher: Pick<Dispatcher, 'probe'>;
    /** Permits receivers on private addresses; default: yes. */
    allowPrivateUrls?: boolean;
    clock: MonotonicClock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /**
   * Puts a receiver in front of the session's webhook, or renews it. A new receiver gets one test call first.
   * @throws session_unknown, webhook_taken while another one listens, webhook_unreachable when it does not answer 2xx
   */
  async listen({ seconds, takeOver, ...wish }: ListenWish): Promise<Omit<ListenAnswer, 'ok'>> {
    const { clientId, webhookUrl } = wish;
    const { sessions, allowPrivateUrls = true, clock, log } = this.#options;
    sessions.find(clientId);
    if (!allowPrivateUrls) requirePublicUrl('webhookUrl', webhookUrl);
    const renewed = isSame(this.#current(clientId), wish);
    if (!renewed) {
      if (!takeOver) this.#requireFree(wish);
      await this.#prove(wish);
      // another listener may have registered during the test call
      if (!takeOver) this.#requireFree(wish);
      log.info(
        { clientId, url: shownUrl(webhookUrl), seconds },
        'a listener takes the events of the session',
      );
    }
    const { createdAt, webhookUrl: registeredUrl } = sessions.find(clientId);
    const listener = { ...wish, createdAt, endsAt: clock.monotonic() + seconds * 1_000 };
    this.#byClient.set(clientId, listener);
    return { ...this.#viewOf(listener, registeredUrl), renewed };
  }

  /**
   * Removes the listener with that token, or any listener if no token is given. Returns false if there was none.
   * @throws session_unknown
   */
  end(clientId: string, webhookToken?: string): boolean {
    this.#options.sessions.find(clientId);
    const listener = this.#current(clientId);
    if (!listener || (webhookToken !== undefined && webhookToken !== listener.webhookToken)) return false;
    this.#remove(listener, 'the listener ended');
    return true;
  }

  /** The session left this node: the listener registers at its new node. */
  forget(clientId: string): void {
    const listener = this.#byClient.get(clientId);
    if (listener) this.#remove(listener, 'the session left this node');
  }

  /** Undefined when there is no listener. */
  view(clientId: string): ListenerView | undefined {
    const listener = this.#current(clientId);
    return listener && this.#viewOf(listener, this.#options.sessions.find(clientId).webhookUrl);
  }

  /**
   * The receiver of an event: the listener, if there is one, with the webhook as its fallback.
   * @param registered the webhook; undefined when the session has none, or does not want that type
   */
  inFront(event: { clientId: string; type: string }, registered: Receiver | undefined): Receiver | undefined {
    const listener = this.#current(event.clientId);
    if (!listener) return registered;
    if (!registered && EXTRAS.includes(event.type) && !wants(listener, event.type)) return undefined;
    return this.#before(listener, registered);
  }

  /** Like `inFront`, for an event that an operator sends by hand: the listener gets it even if it did not ask for the type. */
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
    if (lives && listener.endsAt > clock.monotonic()) return listener;
    this.#remove(listener, lives ? 'the listener has expired' : 'the session of the listener is gone');
    return undefined;
  }

  #requireFree({ clientId, webhookToken }: Identity): void {
    const other = this.#current(clientId);
    if (!other || other.webhookToken === webhookToken) return;
    const until = this.#expiry(other);
    const message = `somebody listens to session ${clientId} already, until ${until} if it is not renewed; use takeOver to take its place`;
    throw new GatewayError('webhook_taken', message);
  }

  /** Makes a test call: an unreachable listener or a wrong address must not take events from the webhook. */
  async #prove({ clientId, webhookUrl: url, webhookToken: token }: Identity): Promise<void> {
    const timestamp = new Date(this.#options.clock.now()).toISOString();
    const check: ListenCheck = { event: 'listen.check', type: LISTEN_CHECK, clientId, timestamp };
    const { outcome, reason: why } = await this.#options.dispatcher.probe({ url, token }, check);
    if (outcome === 'delivered') return;
    const refused = reason('receiver_refuses', { url: shownUrl(url), why });
    throw new GatewayError('webhook_unreachable', refused);
  }

  #viewOf(listener: Listener, registeredUrl: string): ListenerView {
    const { clientId, webhookUrl } = listener;
    return {
      clientId,
      webhookUrl: withoutCredentials(webhookUrl),
      registeredUrl: withoutCredentials(registeredUrl),
      expiresAt: this.#expiry(listener),
    };
  }

  #expiry({ endsAt }: Listener): string {
    const { clock } = this.#options;
    return new Date(clock.now() + endsAt - clock.monotonic()).toISOString();
  }

  /** Does nothing when another listener has taken its place. */
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
