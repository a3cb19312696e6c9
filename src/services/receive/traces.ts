import { unwrap } from '../../kinds/unwrap.js';
import type { IncomingMessage, MessageContent } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { MessageTrace, TraceStore } from '../../store/store.js';
import { lidJid, pnJid } from '../authorship.js';
import type { StoreSteps } from '../store-steps.js';
import type { Parties } from './parties.js';

export interface TracesOptions {
  traces: TraceStore;
  steps: StoreSteps;
  log: Logger;
}

/** Remembers messages without their content, also of sessions that keep no history. */
export class Traces {
  readonly #options: TracesOptions;

  constructor(options: TracesOptions) {
    this.#options = options;
  }

  /** Never rejects: without its trace a message is as good, only votes and edits of it may stay closed. */
  async remember(
    clientId: string,
    message: IncomingMessage,
    parties: Parties,
    abandoned: AbortSignal,
  ): Promise<void> {
    const { traces, steps, log } = this.#options;
    const { messageId } = message;
    await steps
      .run(async () => abandoned.aborted || traces.add(clientId, traceOf(message, parties)))
      .catch((err: unknown) => log.warn({ err, clientId, messageId }, 'message not remembered'));
  }
}

/**
 * The secret that later votes, edits and reactions are encrypted with; undefined when the message has none. It stands
 * beside a wrapper or within it.
 */
export function messageSecret(content: MessageContent): Uint8Array | undefined {
  const contexts = [content.messageContextInfo, unwrap(content).messageContextInfo];
  return (
    contexts.map((context) => context?.messageSecret).find((secret) => secret && secret.length > 0) ??
    undefined
  );
}

function traceOf(message: IncomingMessage, { remoteJid, author }: Parties): MessageTrace {
  return {
    messageId: message.messageId,
    chat: remoteJid,
    fromMe: message.fromMe,
    authorLid: author.lid ? lidJid(author.lid) : '',
    authorPn: author.pn ? pnJid(author.pn) : '',
    secret: messageSecret(message.content),
    sentAt: message.timestamp,
  };
}
