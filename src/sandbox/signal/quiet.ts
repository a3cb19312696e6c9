/**
 * libsignal prints whole session records, private keys included, through the console. Imported for its effect,
 * before libsignal does anything: lines that start as libsignal's do are dropped, everything else passes.
 */
const LIBSIGNAL_LINES = [
  'Closing session:',
  'Opening session:',
  'Removing old closed session:',
  'Session already closed',
  'Session already open',
  'Closing open session in favor of incoming prekey bundle',
  'Closing stale open session',
  'Decrypted message with closed session.',
  'Failed to decrypt message with any known session',
  'Session error:',
  'Migrating session to:',
  'V1 session storage migration error',
  'WARNING: Expected pubkey of length 33',
  'Unhandled bucket type',
];

for (const level of ['log', 'info', 'warn', 'error'] as const) {
  const print = console[level].bind(console);
  console[level] = (...parts: unknown[]) => {
    const [first] = parts;
    if (typeof first === 'string' && LIBSIGNAL_LINES.some((line) => first.startsWith(line))) return;
    print(...parts);
  };
}
