import { randomUUID } from 'node:crypto';
import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';
import type { SendAnswer } from './wire.js';

/** A message of any kind: the send route's path and what goes into its body. */
export interface MessageToSend {
  path: `/${string}`;
  body: object;
}

/**
 * Sends a message. The key is made up when absent, so that a lost answer can be asked for again.
 * @throws CliError; when the answer was lost it says how to send again without sending twice.
 */
export function send(
  client: DaemonClient,
  { path, body }: MessageToSend,
  idempotencyKey: string = randomUUID(),
): Promise<SendAnswer> {
  return repeatably(idempotencyKey, () => client.send(path, body, idempotencyKey));
}

/** Explains a lost answer. @throws CliError */
export async function repeatably<Answer>(key: string, sending: () => Promise<Answer>): Promise<Answer> {
  try {
    return await sending();
  } catch (error) {
    throw isLostAnswer(error) ? repeatable(error, key) : error;
  }
}

/** The daemon may have sent it all the same. A refused connection is no such case. */
export function isLostAnswer(error: unknown): error is CliError {
  if (!(error instanceof CliError) || !['unreachable', 'interrupted'].includes(error.failure)) return false;
  const { cause } = error;
  return !(cause instanceof Error && 'code' in cause && UNSENT.has(String(cause.code)));
}

const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function repeatable(error: CliError, key: string): CliError {
  return new CliError(error.failure, `${error.message}; the message may have been sent all the same`, {
    suggestions: [
      `to be sure, send again with --idempotency-key ${key}: it arrives once`,
      ...error.suggestions,
    ],
    cause: error.cause,
  });
}
