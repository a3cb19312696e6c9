import { SwitchboardError } from '../../../client/call.js';
import type { ListenWebhookRequest } from '../../../client/generated/operations.generated.js';
import type { ListenAnswer } from '../../../contract/index.js';
import { type Clock, wait } from '../../../domain/clock.js';
import { reasonFrom } from '../../../domain/reasons.js';
import { longestPause } from '../../../domain/retry.js';
import { shownUrl } from '../../../domain/text.js';
import type { DaemonClient } from '../client.js';
import { CliError } from '../errors.js';

/** Seconds after which the daemon drops a listener that does not renew. */
const LEASE_SECONDS = 30;
/** Milliseconds between renewals. */
const RENEW_MS = 5_000;
/** Pause while the daemon does not answer. */
const RETRY = { pausesMs: [500], endless: true } as const;
/** Milliseconds of retries at the end of the registration. */
export const END_MS = 5_000;

/** Failures that a retry does not fix. */
const FINAL: readonly string[] = ['usage', 'unauthorized', 'not_found', 'conflict', 'refused', 'interrupted'];

/**
 * Registration of a listener with the daemon. It expires unless renewed, so a killed listener leaves nothing behind.
 */
export class Registration {
  readonly #client: DaemonClient;
  readonly #wish: ListenWebhookRequest;
  readonly #clock: Clock;
  #expiresAt = '';

  constructor(client: DaemonClient, wish: ListenWebhookRequest, clock: Clock) {
    this.#client = client;
    this.#wish = wish;
    this.#clock = clock;
  }

  /** @throws CliError with suggestions if the daemon may not or cannot call this listener */
  async begin(): Promise<ListenAnswer> {
    try {
      return await this.#ask(this.#wish.takeOver ?? false);
    } catch (error) {
      throw explained(error, this.#wish);
    }
  }

  /** Renews the registration until the signal aborts. @throws CliError if another listener took over or the session is gone */
  async keepUp(
    signal: AbortSignal,
    watch: {
      /** Called when the daemon does not answer. */
      lost(reason: string): void;
      /** Called when the daemon answers again. */
      back(): void;
      /** Called when a lost registration was made again. */
      retaken(): void;
      /** Aborts at an event of the session, which may have moved to another node. */
      nextChange(): AbortSignal;
    },
  ): Promise<void> {
    let isLost = false;
    let change = watch.nextChange();
    for (;;) {
      const early = isLost ? signal : AbortSignal.any([signal, change]);
      await wait(this.#clock, isLost ? longestPause(RETRY) : RENEW_MS, early);
      if (signal.aborted) return;
      // before the call, so that a change during it is not missed
      change = watch.nextChange();
      try {
        // a renewal never takes over
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
   * Ends the registration, with retries for some seconds.
   * @param client one that an interrupt does not abort
   * @returns the session's own webhook, or empty
   * @throws CliError `unreachable` if the daemon does not answer, with the time when the registration expires
   */
  async end(client: DaemonClient): Promise<string> {
    const { clientId, webhookToken } = this.#wish;
    const deadline = this.#clock.now() + END_MS;
    for (;;) {
      try {
        return (await client.unlistenWebhook({ clientId, webhookToken })).webhookUrl;
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        // the session is gone
        if (error.failure === 'not_found') return '';
        if (this.#clock.now() >= deadline || FINAL.includes(error.failure)) throw this.#notEnded(error);
        await wait(this.#clock, longestPause(RETRY));
      }
    }
  }

  async #ask(takeOver: boolean): Promise<ListenAnswer> {
    const answer = await this.#client.listenWebhook({ ...this.#wish, takeOver, seconds: LEASE_SECONDS });
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
    const message = `the webhook of ${clientId} was not restored: ${why}. It is restored automatically${by}, or by a restart of the daemon`;
    return new CliError('unreachable', message, {
      suggestions: [`restore it now: switchboard api POST /unlisten-webhook -f clientId=${clientId}`],
      cause,
    });
  }
}

function explained(error: unknown, { clientId, webhookUrl }: ListenWebhookRequest): unknown {
  if (!(error instanceof CliError)) return error;
  const suggestions = suggestionsFor(error, shownUrl(webhookUrl), clientId);
  return suggestions ? new CliError(error.failure, error.message, { suggestions, cause: error }) : error;
}

function suggestionsFor(error: CliError, url: string, clientId: string): string[] | undefined {
  if (error.failure === 'conflict') {
    return [
      `replace it: switchboard listen --session ${clientId} --take-over`,
      'or wait: a killed listener expires after 30 s',
    ];
  }
  if (error.failure !== 'refused') return undefined;
  if (isPrivate(error.cause)) {
    return [
      'allow private addresses: start the daemon with --allow-private-urls or SWITCHBOARD_ALLOW_PRIVATE_URLS=true',
      'or set a public URL of this machine: --public-url',
    ];
  }
  return [
    `the daemon must be able to call ${url}`,
    'if it runs on another machine, set --host to an address that it can reach, and --public-url if the URL differs',
  ];
}

/** The daemon refuses the address because it is private. */
function isPrivate(refusal: unknown): boolean {
  if (!(refusal instanceof SwitchboardError) || !refusal.reason) return false;
  const { why } = reasonFrom(refusal.reason.code, refusal.reason.values)?.values ?? {};
  return typeof why === 'object' && why.code === 'address_private';
}
