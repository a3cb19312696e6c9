import { type WebhookFacts, webhookHeaders } from '../../delivery/webhook-headers.js';
import { shownUrl } from '../../domain/shown-url.js';
import { CliError } from '../cli-error.js';
import { exchange } from '../transport.js';

/** Somewhere else where events are handed on to. */
export interface ForwardTarget {
  url: string;
  /** Its own `Authorization` and signature are made with it; empty for neither. */
  token: string;
}

/** What came of handing an event on. */
export interface Forwarded {
  /** Without what may be secret. */
  url: string;
  /** The HTTP status; 0 when there was no answer. */
  status: number;
  /** Why it was not taken, for people; empty when it answered 2xx. */
  reason: string;
  durationMs: number;
}

export interface ForwardOptions {
  /** Milliseconds for the whole call. */
  timeoutMs: number;
  /** Breaks it off. */
  signal: AbortSignal;
}

/** An event as text, with what its headers tell. */
export interface ForwardedEvent extends Omit<WebhookFacts, 'token' | 'body'> {
  body: string;
}

/** POSTs an event as the gateway would. Redirects are not followed. Never rejects. */
export async function forwardEvent(
  { url, token }: ForwardTarget,
  event: ForwardedEvent,
  { timeoutMs, signal }: ForwardOptions,
): Promise<Forwarded> {
  const startedAt = performance.now();
  const done = (status: number, reason: string): Forwarded => {
    return { url: shownUrl(url), status, reason, durationMs: Math.round(performance.now() - startedAt) };
  };
  const headers = webhookHeaders({ ...event, token, body: Buffer.from(event.body) }, Date.now());
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const { status } = await exchange(new URL(url), {
      method: 'POST',
      headers,
      body: event.body,
      timeoutMs,
      signal: AbortSignal.any([signal, deadline]),
    });
    return done(status, status >= 200 && status < 300 ? '' : `answered ${status}`);
  } catch (error) {
    if (deadline.aborted && !signal.aborted) return done(0, `no answer within ${timeoutMs / 1_000} s`);
    return done(0, error instanceof CliError ? error.message : String(error));
  }
}
