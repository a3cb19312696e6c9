/** A message from a worker to its parent process. */
export type WorkerMessage =
  /** The worker accepts requests. */
  | { type: 'ready'; url: string }
  /** The worker cannot start, and exits. `reason` is one line for people. */
  | { type: 'failed'; reason: string }
  /** Answers a `ping`. */
  | { type: 'alive' };

/** A message from the parent process to a worker. */
export type ParentMessage = 'stop' | 'ping';

/** Environment variable that marks a worker: an IPC channel alone could belong to another program. */
export const WORKER_VARIABLE = 'SWITCHBOARD_WORKER';

/** Reads a message of the channel; undefined if it is not ours. */
export function readWorkerMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
  const { type } = message;
  if (type === 'ready' && 'url' in message) return { type, url: String(message.url) };
  if (type === 'failed' && 'reason' in message) return { type, reason: String(message.reason) };
  return type === 'alive' ? { type } : undefined;
}

/** The parent process of this worker. */
export interface Parent {
  /** Aborts when this worker must stop: on request, or because its parent has gone. */
  readonly signal: AbortSignal;
  /** Resolves when the signal aborts. */
  readonly aborted: Promise<void>;
  /** Stops listening to SIGTERM. */
  release(): void;
  /** Reports that this worker serves. */
  ready(url: string): void;
  /** Reports why this worker cannot start; resolves once the message is sent. */
  failed(reason: string): Promise<void>;
}

/** The channel to the parent process; undefined if this process is not a worker. Must be called only once. */
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
  // a terminal sends these signals to the whole process group: the parent decides when workers end
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

/** Sends a message. Also resolves if the channel is closed, which has an event of its own. */
function say(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
