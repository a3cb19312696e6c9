import type { Clock } from '../../../../domain/clock.js';

/** Milliseconds that a client may take to open a connection. */
export const OPEN_TIMEOUT_MS = 10_000;

export interface OpenOptions {
  clock: Clock;
  /** Ends the connection at once, open or not. */
  signal: AbortSignal;
  /** Called when the broker ends the connection. */
  lost(): void;
}

/** The broker can never store this event, such as one above its limit of bytes. */
export class RefusedEventError extends Error {}

/** The client of this broker needs a newer Node.js. */
export class UnsupportedNodeError extends Error {}

/** Turns the failed import of a client library into an error with the package to install. */
export function notInstalled(client: string, packages: string): (cause: unknown) => never {
  return (cause) => {
    throw new Error(`the client of ${client} is not installed: npm install -g ${packages}`, { cause });
  };
}
