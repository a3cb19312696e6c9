import { type Clock, wait } from '../../domain/clock.js';
import { shownUrl } from '../../domain/shown-url.js';
import { CliError } from '../cli-error.js';
import type { DaemonClient } from '../client.js';

/** Seconds for which the daemon keeps a listener that has fallen silent. */
export const LEASE_SECONDS = 30;
/** Milliseconds between renewals, and between attempts while the daemon does not answer. */
const RENEW_MS = 5_000;
const RETRY_MS = 500;
/** Milliseconds for one call: before it answers a new listener the daemon calls it, for at most 15 s. */
const ASK_TIMEOUT_MS = 20_000;
/** Milliseconds that the end of the registration is tried for. */
export const END_MS = 5_000;

/** Answers that will be the same next time. */
const FINAL: readonly string[] = ['usage', 'unauthorized', 'not_found', 'conflict', 'refused', 'interrupted'];

export interface Wish {
  clientId: string;
  /** Where the daemon reaches us. */
  webhookUrl: string;
  webhookToken: string;
  extraEvents: readonly string[];
  takeOver: boolean;
}

export interface RegistrationAnswer {
  /** The session's own webhook; empty when it has none. */
  registeredUrl: string;
  /** RFC 3339. */
  expiresAt: string;
  /** False when the daemon did not know us; older daemons do not tell. */
  renewed?: boolean;
}

export interface RegistrationWatch {
  /** The daemon does not answer; it is asked again and again. */
  lost(reason: string): void;
  /** It does again. */
  back(): void;
  /** It had lost our place, and we have it again. */
  retaken(): void;
  /** Aborts when something happens to the session, which may have moved to a node that does not know us. */
  nextChange(): AbortSignal;
}

/**
 * Our place in front of a session's webhook. It expires by itself unless it is renewed, so that a listener that is
 * killed leaves nothing behind.
 */
export class Registration {
  readonly #client: DaemonClient;
  readonly #wish: Wish;
  readonly #clock: Clock;
  #expiresAt = '';

  constructor(client: DaemonClient, wish: Wish, clock: Clock) {
    this.#client = client;
    this.#wish = wish;
    this.#clock = clock;
  }

  /** @throws CliError with what to set when the daemon may not or cannot call us */
  async begin(): Promise<RegistrationAnswer> {
    try {
      return await this.#ask(this.#wish.takeOver);
    } catch (error) {
      throw explained(error, this.#wish);
    }
  }

  /** Renews it until the signal aborts. @throws CliError when somebody took our place, or the session is gone */
  async keepUp(signal: AbortSignal, watch: RegistrationWatch): Promise<void> {
    let isLost = false;
    let change = watch.nextChange();
    for (;;) {
      const early = isLost ? signal : AbortSignal.any([signal, change]);
      await wait(this.#clock, isLost ? RETRY_MS : RENEW_MS, early);
      if (signal.aborted) return;
      // one that comes while we ask must not be missed
      change = watch.nextChange();
      try {
        // who took our place keeps it
        const { renewed } = await this.#ask(false);
        if (isLost) watch.back();
        if (renewed === false) watch.retaken();
        isLost = false;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof CliError) || FINAL.includes(error.failure)) throw explained(error, this.#wish);
        if (!isLost) watch.lost(error.message);
        isLost = true;
      }
    }
  }

  /**
   * Gives the events back to the session's webhook; tried for some seconds.
   * @param client one that an interrupt does not end
   * @returns the webhook that is used again; empty when the session has none
   * @throws CliError `unreachable` when the daemon does not answer, with when it happens by itself
   */
  async end(client: DaemonClient): Promise<string> {
    const { clientId, webhookToken } = this.#wish;
    const deadline = this.#clock.now() + END_MS;
    for (;;) {
      try {
        const body = { clientId, webhookToken };
        return (await client.call<{ webhookUrl: string }>('POST', '/unlisten-webhook', { body })).webhookUrl;
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        // a session that is gone has nothing to be put back
        if (error.failure === 'not_found') return '';
        if (this.#clock.now() >= deadline || FINAL.includes(error.failure)) throw this.#notEnded(error);
        await wait(this.#clock, RETRY_MS);
      }
    }
  }

  async #ask(takeOver: boolean): Promise<RegistrationAnswer> {
    const body = { ...this.#wish, takeOver, seconds: LEASE_SECONDS };
    const options = { body, timeoutMs: ASK_TIMEOUT_MS };
    const answer = await this.#client.call<RegistrationAnswer>('POST', '/listen-webhook', options);
    this.#expiresAt = answer.expiresAt;
    return answer;
  }

  #notEnded(cause: CliError): CliError {
    const { clientId } = this.#wish;
    const by = this.#expiresAt ? ` at ${new Date(this.#expiresAt).toLocaleTimeString()} at the latest` : '';
    const why =
      cause.failure === 'interrupted'
        ? `the daemon does not answer within ${END_MS / 1_000} s`
        : cause.message;
    const message = `the webhook of ${clientId} was not put back: ${why}. It comes back by itself${by}, or with a restart of the daemon`;
    return new CliError('unreachable', message, {
      suggestions: [`put it back at once: switchboard api POST /unlisten-webhook -f clientId=${clientId}`],
      cause,
    });
  }
}

/** Adds to a refusal what to do about it. */
function explained(error: unknown, { clientId, webhookUrl }: Wish): unknown {
  if (!(error instanceof CliError)) return error;
  const suggestions = suggestionsFor(error, shownUrl(webhookUrl), clientId);
  return suggestions ? new CliError(error.failure, error.message, { suggestions, cause: error }) : error;
}

function suggestionsFor(error: CliError, url: string, clientId: string): string[] | undefined {
  if (error.failure === 'conflict') {
    return [
      `take its place: switchboard listen --session ${clientId} --take-over`,
      'or wait: one that was killed is gone half a minute later',
    ];
  }
  if (error.failure !== 'refused') return undefined;
  if (error.message.includes('--allow-private-urls')) {
    return [
      'let the daemon call addresses of its own network: start it with --allow-private-urls, or SWITCHBOARD_ALLOW_PRIVATE_URLS=true',
      'or give it a public address that leads here: --public-url',
    ];
  }
  return [
    `the daemon must be able to call ${url}`,
    'when it runs on another machine, listen where it can reach you: --host ADDRESS, and --public-url if that differs',
  ];
}
