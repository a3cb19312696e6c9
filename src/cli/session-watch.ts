import type { DaemonClient } from './client.js';
import { tail } from './tail.js';

/** Tells at once when something happens to a session, so that a poll need not be frequent. */
export interface SessionWatch {
  /** Aborts at the session's next event, or when the watch ends. */
  nextChange(): AbortSignal;
  stop(): void;
}

/**
 * Follows a session's events in the background. It only ever makes a poll earlier: without the stream, as with a
 * session's secret or behind a proxy that holds it back, the poll alone is enough.
 */
export function watchSession(client: DaemonClient, clientId: string, signal: AbortSignal): SessionWatch {
  const end = new AbortController();
  const ended = AbortSignal.any([signal, end.signal]);
  let change = new AbortController();
  void follow();
  return {
    nextChange() {
      if (change.signal.aborted) change = new AbortController();
      return AbortSignal.any([ended, change.signal]);
    },
    stop: () => end.abort(),
  };

  async function follow(): Promise<void> {
    try {
      for await (const item of tail(client, { clientId, types: ['session_status'], signal: ended })) {
        if (item.type === 'entry') change.abort();
      }
    } catch {
      // the poll goes on
    }
  }
}
