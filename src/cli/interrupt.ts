/** A signal that aborts when the person or the system asks the command to end. */
export interface Interrupt {
  signal: AbortSignal;
  /** Resolves when the signal aborts. */
  aborted: Promise<void>;
  /** Gives Ctrl+C its usual meaning back. */
  release(): void;
}

/**
 * Listens to SIGINT and SIGTERM, to a terminal that is closed, and to a reader that goes away (`… | head`). A second
 * Ctrl+C ends at once.
 */
export function listenForInterrupt(): Interrupt {
  const controller = new AbortController();
  const abort = () => {
    release();
    controller.abort();
  };
  const release = () => {
    process.off('SIGINT', abort);
    process.off('SIGTERM', abort);
    process.off('SIGHUP', abort);
    process.stdout.off('error', abort);
  };
  process.on('SIGINT', abort);
  process.on('SIGTERM', abort);
  // whoever started it to outlive its terminal (nohup) has sent its output elsewhere
  if (process.stdout.isTTY) process.on('SIGHUP', abort);
  process.stdout.on('error', abort);
  const { signal } = controller;
  const aborted = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  return { signal, aborted, release };
}
