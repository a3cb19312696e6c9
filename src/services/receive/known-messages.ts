import { personOf } from '../../domain/address.js';
import type { LinkFactory } from '../../link/link.js';
import type { HistoryMessage, MessageTrace, SentRecord, SessionRecord, Store } from '../../store/store.js';
import { type Authorship, authorOfTrace } from '../authorship.js';
import type { StoreSteps } from '../store-steps.js';
import { type Parties, roomIdOf } from './parties.js';
import { messageSecret } from './traces.js';

/** What changes of an earlier message are held against. */
export interface KnownMessage {
  author: Authorship;
  /** What votes, edits and reactions of it are encrypted with; undefined when it has none. */
  secret: Uint8Array | undefined;
}

export interface KnownMessagesOptions {
  store: Pick<Store, 'sends' | 'history' | 'traces'>;
  links: Pick<LinkFactory, 'decode'>;
  steps: StoreSteps;
}

/**
 * Earlier messages, wherever something of them is kept. A trace stands under the id alone, and is of whoever used the id
 * first, in whatever chat; so the own sends and the history of the chat come before it.
 */
export class KnownMessages {
  readonly #options: KnownMessagesOptions;

  constructor(options: KnownMessagesOptions) {
    this.#options = options;
  }

  /** @param parties of the message that refers to it */
  async find(session: SessionRecord, parties: Parties, messageId: string): Promise<KnownMessage | undefined> {
    const { store, steps } = this.#options;
    const { clientId, orgId } = session;
    const sent = await steps.run(() => store.sends.get(clientId, messageId));
    if (sent) return this.#known(sent, ownAuthor(session));
    const roomId = roomIdOf(session, parties.remote);
    const row = orgId && (await steps.run(() => store.history.message(clientId, roomId, messageId)));
    if (row) return this.#known(row, row.fromMe ? ownAuthor(session) : authorOfRow(row, parties));
    const trace = await steps.run(() => store.traces.get(clientId, messageId));
    return trace && knownByTrace(trace);
  }

  #known({ content }: Pick<SentRecord | HistoryMessage, 'content'>, author: Authorship): KnownMessage {
    return { author, secret: messageSecret(this.#options.links.decode(content)) };
  }
}

function ownAuthor({ lid, pn }: SessionRecord): Authorship {
  return { fromMe: true, lid, pn };
}

/** Who wrote a message of the other side: in a chat of two there is only one, by whichever address. */
function authorOfRow({ author }: HistoryMessage, { remote, person }: Parties): Authorship {
  const { lid, pn } = remote.kind === 'group' ? personOf(author) : (person ?? personOf(author));
  return { fromMe: false, ...(lid && { lid }), ...(pn && { pn }) };
}

function knownByTrace(trace: MessageTrace): KnownMessage {
  return { author: authorOfTrace(trace), secret: trace.secret };
}
