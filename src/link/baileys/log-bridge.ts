import type { SocketConfig } from '@whiskeysockets/baileys';
import type { Logger } from '../../log.js';

type LibraryLog = SocketConfig['logger'];

/**
 * The library's log. Only warnings and errors pass, one level lower than the library thinks, and of their objects only
 * an error's message: the rest holds keys, nodes and people's words.
 */
export function libraryLog(log: Logger): LibraryLog {
  const nothing = () => undefined;
  const bridge: LibraryLog = {
    level: 'warn',
    child: () => bridge,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: (object, message) => log.debug({ reason: reasonIn(object) }, textOf(object, message)),
    error: (object, message) => log.warn({ reason: reasonIn(object) }, textOf(object, message)),
  };
  return bridge;
}

function reasonIn(object: unknown): string | undefined {
  if (!(object instanceof Object)) return undefined;
  for (const name of ['err', 'error', 'e', 'ackErr']) {
    const error: unknown = Reflect.get(object, name);
    if (error instanceof Error) return error.message;
  }
  return undefined;
}

function textOf(object: unknown, message: string | undefined): string {
  return message ?? (typeof object === 'string' ? object : 'the library reports');
}
