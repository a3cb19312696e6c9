/** What a worker says to the process that started it. */
export type WorkerMessage =
  /** It serves. */
  | { type: 'ready'; url: string }
  /** It cannot start, with one line for people; it ends. */
  | { type: 'failed'; reason: string }
  /** The answer to `ping`. */
  | { type: 'alive' };

/** What a worker is told. */
export type ParentMessage = 'stop' | 'ping';

/** Set in the environment of workers only: a channel alone could be somebody else's. */
export const WORKER_VARIABLE = 'SWITCHBOARD_WORKER';

/** Reads what came through the channel; undefined when it is none of ours. */
export function readWorkerMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
  const { type } = message;
  if (type === 'ready' && 'url' in message) return { type, url: String(message.url) };
  if (type === 'failed' && 'reason' in message) return { type, reason: String(message.reason) };
  return type === 'alive' ? { type } : undefined;
}
