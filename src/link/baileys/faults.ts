import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { Logger } from '../../log.js';

/** Whoever answers for the library's work in an asynchronous context. */
export interface FaultOwner {
  /** Something inside the library failed where nobody waits for the result. */
  onLibraryFault(error: unknown): void;
}

/**
 * An owner as contexts remember it. The library leaves timers of days behind; what they remember must not keep a link
 * that is gone in memory.
 */
export interface Ownership {
  owner?: FaultOwner;
}

const ownerships = new AsyncLocalStorage<Ownership>();
let log: Logger | undefined;

/** Runs work, and everything that follows from it, in the name of an owner. */
export function inNameOf<T>(ownership: Ownership, work: () => T): T {
  return ownerships.run(ownership, work);
}

/**
 * Installs the process's one listener for rejections that nobody handles. Those of a link end that link; any other is
 * logged as an error and does not end the process.
 */
export function watchRejections(logger: Logger): void {
  const installed = log !== undefined;
  log = logger;
  if (!installed) process.on('unhandledRejection', onRejection);
}

function onRejection(error: unknown): void {
  const ownership = ownerships.getStore();
  // after the end of a link its library still stumbles over what is gone: nobody's concern any more
  if (ownership) ownership.owner?.onLibraryFault(error);
  else log?.error({ err: error }, 'a rejection that nobody handles');
}

/** A listener as Node's emitters keep it. */
type Listener = ReturnType<EventEmitter['listeners']>[number];

/**
 * Puts a guard around every listener that the library has on its socket: one that fails, at once or later, harms neither
 * the frames that follow nor the process. Frames that cannot be decoded end in the `message` listener.
 */
export function guardListeners(
  socket: EventEmitter,
  on: { stanzaFault(error: unknown, event: string): void; frameFault(error: unknown): void },
): void {
  for (const event of socket.eventNames()) {
    const name = String(event);
    const report =
      name === 'message'
        ? on.frameFault
        : (error: unknown) => on.stanzaFault(error, name.split(',')[0] ?? '');
    if (name !== 'message' && !name.startsWith('CB:')) continue;
    const listeners = socket.listeners(event);
    socket.removeAllListeners(event);
    for (const listener of listeners) socket.on(event, guarded(listener, report));
  }
}

function guarded(listener: Listener, report: (error: unknown) => void): (...args: unknown[]) => void {
  return (...args) => {
    try {
      const result: unknown = Reflect.apply(listener, undefined, args);
      if (result instanceof Promise) result.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
