import { personOf } from '../../domain/address.js';
import { unwrap } from '../../kinds/unwrap.js';
import type { IncomingMessage, LinkFactory, MessageContent, OpenedSecret } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { HistoryMessage, SessionRecord, Store } from '../../store/store.js';
import { type Authorship, authorOfTrace, jidsOf } from '../authorship.js';
import type { StoreSteps } from '../store-steps.js';
import { type Parties, roomIdOf } from './parties.js';
import { messageSecret, type Traces } from './traces.js';

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
  links: Pick<LinkFactory, 'openSecret' | 'decode'>;
  store: Pick<Store, 'sends' | 'history'>;
  traces: Traces;
  steps: StoreSteps;
  log: Logger;
}

/** What opens a sealed content: the target's secret, and who may have written the target. */
interface Target {
  secret: Uint8Array;
  authors: Authorship;
}

const EDIT = 14;

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
    const target = await this.#findTarget(session, parties, targetId);
    const opened = target && this.#open(message, parties, sealed, target);
    if (!opened) {
      const why = target ? 'the secret does not fit' : 'the secret of its target is not known';
      this.#options.log.warn({ clientId, messageId: message.messageId, targetId, why }, `${what} not opened`);
    }
    if (what === 'vote') {
      const selectedHashes = opened?.type === 'vote' ? opened.selectedHashes : undefined;
      return { type: 'vote', pollMessageId: targetId, selectedHashes };
    }
    if (!target || opened?.type !== 'message') return undefined;
    const key = { ...keyOf(message.content), fromMe: target.authors.fromMe };
    return { type: 'message', content: aboutTarget(what, opened.content, key) };
  }

  #open(
    message: IncomingMessage,
    parties: Parties,
    { targetId }: Sealed,
    { secret, authors }: Target,
  ): OpenedSecret | undefined {
    try {
      return this.#options.links.openSecret({
        content: unwrap(message.content),
        targetId,
        secret,
        targetAuthors: jidsOf(authors),
        authors: jidsOf(parties.author),
      });
    } catch (error) {
      // whoever wrote it can put anything into it
      this.#options.log.debug({ err: error, messageId: message.messageId }, 'malformed encrypted content');
      return undefined;
    }
  }

  /** A trace outlives a send's record, which is there earlier; the history outlives both. */
  async #findTarget(session: SessionRecord, parties: Parties, targetId: string): Promise<Target | undefined> {
    const trace = await this.#options.traces.find(session.clientId, targetId);
    if (trace?.secret) return { secret: trace.secret, authors: authorOfTrace(trace) };
    const own = { fromMe: true, lid: session.lid, pn: session.pn };
    const { store, steps } = this.#options;
    const sent = await steps.run(() => store.sends.get(session.clientId, targetId));
    if (sent) return this.#targetOf(sent.content, own);
    if (!session.orgId) return undefined;
    const roomId = roomIdOf(session, parties.remote);
    const stored = await steps.run(() => store.history.message(session.clientId, roomId, targetId));
    return stored && this.#targetOf(stored.content, stored.fromMe ? own : authorOfStored(stored, parties));
  }

  #targetOf(content: Uint8Array, authors: Authorship): Target | undefined {
    const secret = messageSecret(this.#options.links.decode(content));
    return secret && { secret, authors };
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
  return { protocolMessage: { ...edit, type: EDIT, key } };
}

/** Who wrote a message of the other side. */
function authorOfStored({ author }: HistoryMessage, { remote, person }: Parties): Authorship {
  const { lid, pn } = remote.kind === 'group' ? personOf(author) : (person ?? personOf(author));
  return { fromMe: false, ...(lid && { lid }), ...(pn && { pn }) };
}
