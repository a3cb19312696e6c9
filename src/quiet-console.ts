/**
 * libsignal prints whole session records, private keys included, straight to the console whenever a session is closed or
 * replaced. This file must be evaluated before the first import of libsignal or Baileys; it drops exactly those lines
 * and lets everything else through. The link and the sandbox, which import that library, import this file first.
 */

/** Beginnings of all lines that libsignal 6 prints. */
const LIBSIGNAL_LINES: readonly string[] = [
  'Closing session:',
  'Opening session:',
  'Removing old closed session:',
  'Session already closed',
  'Session already open',
  'Closing open session in favor of incoming prekey bundle',
  'Decrypted message with closed session.',
  'Failed to decrypt message with any known session...',
  'Session error:',
  'Migrating session to:',
  'V1 session storage migration error',
  'Unhandled bucket type (for naming):',
  'WARNING: Expected pubkey of length 33',
];
const METHODS = ['log', 'info', 'warn', 'error'] as const;
const QUIET = Symbol.for('switchboard.quiet-console');

function isLibsignalLine(first: unknown): boolean {
  return typeof first === 'string' && LIBSIGNAL_LINES.some((line) => first.startsWith(line));
}

/** Filters libsignal's lines out of a console, once. */
export function quietLibsignal(target: Console): void {
  if (QUIET in target) return;
  Object.defineProperty(target, QUIET, { value: true });
  for (const method of METHODS) {
    const print = target[method].bind(target);
    target[method] = (...args: unknown[]) => {
      if (!isLibsignalLine(args[0])) print(...args);
    };
  }
}

quietLibsignal(console);
