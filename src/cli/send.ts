import { randomUUID } from 'node:crypto';
import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';
import type { SendAnswer } from './wire.js';

export interface SendTextOptions {
  clientId: string;
  to: string;
  body: string;
  quotedMessageId?: string;
  mentions?: string[];
  /** A JSON object as it was typed. */
  meta?: string;
  /** Made up when absent, so that a lost answer can be asked for again. */
  idempotencyKey?: string;
}

/**
 * Sends a text.
 * @throws CliError; when the answer was lost it says how to send again without sending twice.
 */
export async function sendText(client: DaemonClient, options: SendTextOptions): Promise<SendAnswer> {
  const { clientId, to, body, quotedMessageId, mentions, meta, idempotencyKey = randomUUID() } = options;
  const text = {
    clientId,
    to,
    body,
    quotedMessageId,
    mentions,
    metaData: meta ? parseMeta(meta) : undefined,
  };
  try {
    return await client.sendText(text, idempotencyKey);
  } catch (error) {
    throw isLostAnswer(error) ? repeatable(error, idempotencyKey) : error;
  }
}

function parseMeta(meta: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(meta);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // said below
  }
  throw new CliError('usage', '--meta must be a JSON object', {
    suggestions: ['such as --meta \'{"fromAI": true}\''],
  });
}

/** The daemon may have sent it all the same. A refused connection is no such case. */
function isLostAnswer(error: unknown): error is CliError {
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
