import { type ParentMessage, WORKER_VARIABLE, type WorkerMessage } from './messages.js';

/** The process that started this one as a worker. */
export interface Parent {
  /** Aborts when this worker shall stop: it was asked to, or its parent is gone. */
  readonly signal: AbortSignal;
  /** Resolves when the signal aborts. */
  readonly aborted: Promise<void>;
  /** Lets go of the channel. */
  release(): void;
  /** Says that this worker serves. */
  ready(url: string): void;
  /** Says why it cannot; resolves when that is under way. */
  failed(reason: string): Promise<void>;
}

/** Undefined when this process is no worker. To be asked once. */
export function parentOfWorker(): Parent | undefined {
  if (!process.env[WORKER_VARIABLE] || !process.send) return undefined;
  delete process.env[WORKER_VARIABLE];
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort();
  process.on('message', (message: ParentMessage) => {
    if (message === 'stop') abort();
    if (message === 'ping') void say({ type: 'alive' });
  });
  process.on('disconnect', abort);
  process.on('SIGTERM', abort);
  // a terminal sends these to all its processes: the parent decides
  for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
  if (!process.connected) abort();
  return {
    signal,
    aborted: new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    release: () => process.off('SIGTERM', abort),
    ready: (url) => void say({ type: 'ready', url }),
    failed: (reason) => say({ type: 'failed', reason }),
  };
}

/** Resolves also when nobody listens any more: the end of the channel is told by itself. */
function say(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
