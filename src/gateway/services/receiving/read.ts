import { unwrap } from '../../../domain/wrappers.js';
import { isSilent } from '../../kinds/content.js';
import { readContent } from '../../kinds/index.js';
import type { Reading, StoredType } from '../../kinds/kind.js';
import { aboutTarget, type Sealed, sealedPart } from '../../kinds/secret.js';
import { unknownName } from '../../kinds/unknown.js';
import type { IncomingMessage, LinkFactory, OpenedSecret } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import { jidsOf, type Parties, roomIdOf } from '../identities/parties.js';
import type { KnownMessage, KnownMessages } from './known-messages.js';
import { type PollOptions, readVote } from './votes.js';

/** The readable content of a message, after decryption of a second layer if there is one. */
export interface Read {
  message: IncomingMessage;
  reading: Reading;
  /** Undefined when the message changes an earlier one and is no row of its own. */
  storedType: StoredType | undefined;
}

/** Reads a message by its kind. Votes, edits and reactions may be encrypted with the secret of the message they are about. */
export class Reader {
  readonly #options;

  constructor(options: {
    links: Pick<LinkFactory, 'openSecret'>;
    known: KnownMessages;
    pollOptions: PollOptions;
    observer: { unknownKind(name: string): void };
    log: Logger;
  }) {
    this.#options = options;
  }

  /** Undefined when the message says nothing to people. @throws Interrupted */
  async read(session: SessionRecord, message: IncomingMessage, parties: Parties): Promise<Read | undefined> {
    const sealed = sealedPart(message.content);
    if (!sealed) return this.#readPlain(message);
    const { what, targetId } = sealed;
    const target = await this.#options.known.find(session, parties, targetId);
    const opened = this.#open(session, message, parties, sealed, target);
    if (what === 'vote') {
      const selectedHashes = opened?.type === 'vote' ? opened.selectedHashes : undefined;
      return this.#readVote(session, message, parties, targetId, selectedHashes);
    }
    if (!target || opened?.type !== 'message') return this.#readPlain(message);
    const content = aboutTarget(opened.content, message.content, target.author.fromMe);
    return this.#readPlain({ ...message, content });
  }

  #readPlain(message: IncomingMessage): Read | undefined {
    if (isSilent(message.content)) return undefined;
    const { kind, reading } = readContent(message.content);
    if (!kind) this.#options.observer.unknownKind(unknownName(message.content));
    return { message, reading, storedType: kind ? kind.storedType : 'chat' };
  }

  /** @param selectedHashes undefined when the vote could not be decrypted: it is a vote even then */
  async #readVote(
    session: SessionRecord,
    message: IncomingMessage,
    { remote, author }: Parties,
    pollMessageId: string,
    selectedHashes: string[] | undefined,
  ): Promise<Read> {
    const cast = { pollMessageId, voter: author.lid || author.pn || '', selectedHashes };
    const pollVote = await readVote(session, roomIdOf(session, remote), cast, this.#options);
    const body = pollVote.selectedOptions.join(', ');
    const reading: Reading = { type: 'vote_update', body, extra: { pollVote } };
    return { message, reading, storedType: 'vote_update' };
  }

  /** Decrypts the inner content; undefined if that fails. */
  #open(
    { clientId }: SessionRecord,
    message: IncomingMessage,
    parties: Parties,
    { what, targetId }: Sealed,
    target: KnownMessage | undefined,
  ): OpenedSecret | undefined {
    const opened = target && this.#decrypt(message, parties, targetId, target);
    if (!opened) {
      const why = target?.secret ? 'the secret does not fit' : 'the secret of its target is not known';
      this.#options.log.warn({ clientId, messageId: message.messageId, targetId, why }, `${what} not opened`);
    }
    return opened;
  }

  #decrypt(
    { content, messageId }: IncomingMessage,
    parties: Parties,
    targetId: string,
    { secret, author }: KnownMessage,
  ): OpenedSecret | undefined {
    if (!secret) return undefined;
    try {
      return this.#options.links.openSecret({
        content: unwrap(content),
        targetId,
        secret,
        targetAuthors: jidsOf(author),
        authors: jidsOf(parties.author),
      });
    } catch (error) {
      // debug only: senders can put anything into it
      this.#options.log.debug({ err: error, messageId }, 'malformed encrypted content');
      return undefined;
    }
  }
}
