/** A signal that aborts when the person or the system asks the command to end. */
export interface Interrupt {
  signal: AbortSignal;
  /** Gives Ctrl+C its usual meaning back. */
  release(): void;
}

/** Listens to SIGINT and SIGTERM, and to a reader that goes away (`… | head`). A second Ctrl+C ends at once. */
export function listenForInterrupt(): Interrupt {
  const controller = new AbortController();
  const abort = () => {
    release();
    controller.abort();
  };
  const release = () => {
    process.off('SIGINT', abort);
    process.off('SIGTERM', abort);
    process.stdout.off('error', abort);
  };
  process.on('SIGINT', abort);
  process.on('SIGTERM', abort);
  process.stdout.on('error', abort);
  return { signal: controller.signal, release };
}
