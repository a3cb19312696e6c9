import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { Logger } from '../../log.js';

/** The link on whose behalf the library works in an asynchronous context. */
export interface FaultOwner {
  /** A promise inside the library was rejected and not handled. */
  onLibraryFault(error: unknown): void;
}

/** Holds the owner for asynchronous contexts. The library leaves timers of days behind, whose contexts must not keep a closed link in memory. */
export interface Ownership {
  owner?: FaultOwner;
}

const ownerships = new AsyncLocalStorage<Ownership>();
let log: Logger | undefined;

/** Runs work, with all its asynchronous consequences, on behalf of an owner. */
export function runAsLink<T>(ownership: Ownership, work: () => T): T {
  return ownerships.run(ownership, work);
}

/**
 * Installs the process's listener for unhandled rejections. A rejection that belongs to a link ends that link; any other
 * is logged as an error. Neither ends the process.
 */
export function watchRejections(logger: Logger): void {
  const installed = log !== undefined;
  log = logger;
  if (!installed) process.on('unhandledRejection', onRejection);
}

function onRejection(error: unknown): void {
  const ownership = ownerships.getStore();
  // without an owner the link has ended: late rejections of its library are harmless
  if (ownership) ownership.owner?.onLibraryFault(error);
  else log?.error({ err: error }, 'unhandled rejection');
}

/** A listener as Node's emitters keep it. */
type Listener = ReturnType<EventEmitter['listeners']>[number];

/**
 * Wraps every listener that the library has on its socket: a failure, synchronous or not, harms neither later frames nor
 * the process. Frames that cannot be decoded fail in the `message` listener.
 */
export function guardListeners(
  socket: EventEmitter,
  on: {
    stanzaFault(error: unknown, event: string): void;
    frameFault(error: unknown): void;
    /** True for a frame or a stanza that the library must not see now. */
    isHandled?(event: string, data: unknown): boolean;
  },
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
    for (const listener of listeners) {
      const guard = guarded(listener, report);
      socket.on(event, (...args) => {
        if (!on.isHandled?.(name, args[0])) guard(...args);
      });
    }
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
