import { MESSAGE_EDIT } from '../../kinds/protocol-types.js';
import { unwrap } from '../../kinds/unwrap.js';
import type { IncomingMessage, LinkFactory, MessageContent, OpenedSecret } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import { jidsOf } from '../authorship.js';
import type { KnownMessage, KnownMessages } from './known-messages.js';
import type { Parties } from './parties.js';

/** A content that only who has the secret of an earlier message can read. */
export interface Sealed {
  what: 'vote' | 'edit' | 'reaction';
  targetId: string;
}

/** What a sealed content turned out to be. */
export type Opened =
  /** The hashes are undefined when it could not be opened. */
  | { type: 'vote'; pollMessageId: string; selectedHashes: string[] | undefined }
  | { type: 'message'; content: MessageContent };

export interface OpenerOptions {
  links: Pick<LinkFactory, 'openSecret'>;
  known: KnownMessages;
  log: Logger;
}

/** Reads what is encrypted once more, with the secret of the message that it is about. */
export class Opener {
  readonly #options: OpenerOptions;

  constructor(options: OpenerOptions) {
    this.#options = options;
  }

  /** Undefined when it stays closed; a vote is a vote even then. */
  async open(
    session: SessionRecord,
    message: IncomingMessage,
    parties: Parties,
    sealed: Sealed,
  ): Promise<Opened | undefined> {
    const { clientId } = session;
    const { what, targetId } = sealed;
    const target = await this.#options.known.find(session, parties, targetId);
    const opened = target && this.#open(message, parties, sealed, target);
    if (!opened) {
      const why = target?.secret ? 'the secret does not fit' : 'the secret of its target is not known';
      this.#options.log.warn({ clientId, messageId: message.messageId, targetId, why }, `${what} not opened`);
    }
    if (what === 'vote') {
      const selectedHashes = opened?.type === 'vote' ? opened.selectedHashes : undefined;
      return { type: 'vote', pollMessageId: targetId, selectedHashes };
    }
    if (!target || opened?.type !== 'message') return undefined;
    const key = { ...keyOf(message.content), fromMe: target.author.fromMe };
    return { type: 'message', content: aboutTarget(what, opened.content, key) };
  }

  #open(
    message: IncomingMessage,
    parties: Parties,
    { targetId }: Sealed,
    { secret, author }: KnownMessage,
  ): OpenedSecret | undefined {
    if (!secret) return undefined;
    try {
      return this.#options.links.openSecret({
        content: unwrap(message.content),
        targetId,
        secret,
        targetAuthors: jidsOf(author),
        authors: jidsOf(parties.author),
      });
    } catch (error) {
      // whoever wrote it can put anything into it
      this.#options.log.debug({ err: error, messageId: message.messageId }, 'malformed encrypted content');
      return undefined;
    }
  }
}

/** What a content says only to those who can open it; undefined for a plain one. */
export function sealedPart(content: MessageContent): Sealed | undefined {
  const { pollUpdateMessage, secretEncryptedMessage, encReactionMessage } = unwrap(content);
  const targetId = keyOf(content)?.id ?? '';
  if (pollUpdateMessage) return { what: 'vote', targetId };
  if (secretEncryptedMessage) return { what: 'edit', targetId };
  return encReactionMessage ? { what: 'reaction', targetId } : undefined;
}

/** The key of the message that a sealed content is about. */
function keyOf(content: MessageContent) {
  const { pollUpdateMessage, secretEncryptedMessage, encReactionMessage } = unwrap(content);
  return (
    pollUpdateMessage?.pollCreationMessageKey ??
    secretEncryptedMessage?.targetMessageKey ??
    encReactionMessage?.targetMessageKey
  );
}

/** The content as it would have come in plain, about the message that its envelope named. */
function aboutTarget(
  what: Sealed['what'],
  content: MessageContent,
  key: ReturnType<typeof keyOf>,
): MessageContent {
  if (what === 'reaction') return { reactionMessage: { ...content.reactionMessage, key } };
  const edit = unwrap(content).protocolMessage ?? { editedMessage: content };
  return { protocolMessage: { ...edit, type: MESSAGE_EDIT, key } };
}
