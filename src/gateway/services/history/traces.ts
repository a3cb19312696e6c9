import { parseJid, STATUS_JID } from '../../../domain/address.js';
import { unwrap } from '../../../domain/wrappers.js';
import { isSilent } from '../../kinds/content.js';
import { readContent } from '../../kinds/index.js';
import { messageSecret, sealedPart } from '../../kinds/secret.js';
import type { IncomingMessage } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { MessageTrace, TraceStore } from '../../store/store.js';
import { lidJid, type Parties, pnJid } from '../identities/parties.js';
import { Interrupted, type StoreRetry } from '../store-retry.js';

/** Remembers messages without their content, also for sessions without a hosted history. */
export class Traces {
  readonly #options;

  constructor(options: { traces: TraceStore; retry: StoreRetry; log: Logger }) {
    this.#options = options;
  }

  /** Never rejects: a message without a trace is still delivered, but its votes and edits may stay encrypted. */
  async remember(
    clientId: string,
    message: IncomingMessage,
    parties: Parties,
    abandoned: AbortSignal,
  ): Promise<void> {
    const { traces, retry, log } = this.#options;
    const { messageId } = message;
    await retry
      .run(() => traces.add(clientId, traceOf(message, parties)), abandoned)
      .catch((err: unknown) => {
        if (!(err instanceof Interrupted)) log.warn({ err, clientId, messageId }, 'message not remembered');
      });
  }
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

/**
 * Admits messages of people and groups. Statuses, broadcast lists and channels are never delivered as messages. The header of an
 * album is not delivered either: it only counts the pictures, which follow as messages of their own.
 * @returns why a message is not admitted; undefined when it is.
 */
export function admit(message: IncomingMessage): string | undefined {
  if (message.chat === STATUS_JID) return 'status';
  if (message.chat.endsWith('@broadcast')) return 'broadcast';
  if (message.chat.endsWith('@newsletter')) return 'newsletter';
  if (!parseJid(message.chat)) return 'unknown address';
  return unwrap(message.content).albumMessage ? 'album' : undefined;
}

/** Whether later messages may refer to this one: it is a message of its own, and can be read without another message. */
export function isRemembered({ content }: Pick<IncomingMessage, 'content'>): boolean {
  if (isSilent(content) || sealedPart(content)) return false;
  const { kind } = readContent(content);
  return !kind || kind.storedType !== undefined;
}
