import { personOf } from '../../../domain/address.js';
import { Deferred } from '../../../domain/deferred.js';
import { sessionMessage } from '../../../domain/session-message.js';
import { messageSecret } from '../../kinds/secret.js';
import type { LinkFactory } from '../../link/link.js';
import type { HistoryMessage, SessionRecord, Store } from '../../store/store.js';
import { type Authorship, authorOfTrace, type Parties, roomIdOf } from '../identities/parties.js';
import type { StoreRetry } from '../store-retry.js';

/** The facts of an earlier message against which a change is checked. */
export interface KnownMessage {
  author: Authorship;
  /** Key of its votes, edits and reactions; undefined when it has none. */
  secret: Uint8Array | undefined;
}

/**
 * Earlier messages that inbound votes, edits and reactions refer to. A message and its reaction often arrive at the same
 * moment: `find` waits for a message that is in flight.
 */
export class KnownMessages {
  readonly #options;
  /** Messages in flight, by session and id, until their trace and row are written. */
  readonly #inFlight = new Map<string, Promise<void>>();

  constructor(options: {
    store: Pick<Store, 'sends' | 'history' | 'traces'>;
    links: Pick<LinkFactory, 'decode'>;
    retry: StoreRetry;
  }) {
    this.#options = options;
  }

  /** From now on `find` waits for this message, until the result is resolved. */
  expect(clientId: string, messageId: string): Deferred {
    const key = sessionMessage(clientId, messageId);
    const arrived = new Deferred();
    this.#inFlight.set(key, arrived.promise);
    void arrived.promise.then(() => {
      if (this.#inFlight.get(key) === arrived.promise) this.#inFlight.delete(key);
    });
    return arrived;
  }

  /** Resolves when the message is not in flight. */
  async settled(clientId: string, messageId: string): Promise<void> {
    await this.#inFlight.get(sessionMessage(clientId, messageId));
  }

  /**
   * Forgets the content of an own send that was deleted for everyone: nothing forwards, pins or quotes it any more.
   * @param chat only of a send to this jid: the id alone may be of another send
   */
  async erase(clientId: string, messageId: string, chat?: string): Promise<void> {
    const { sends } = this.#options.store;
    await this.#options.retry.run(async () => {
      const sent = await sends.get(clientId, messageId);
      if (!sent?.closed || sent.content.length === 0) return;
      if (chat !== undefined && sent.to !== chat) return;
      const { held: _, ...rest } = sent;
      await sends.put(clientId, { ...rest, content: new Uint8Array(), fileName: '' });
    });
  }

  /**
   * Looks in the own sends, the history of the chat and the traces, in this order: a trace is stored under the id alone,
   * so it may be of a message in another chat that used the id first.
   * @param parties of the message that refers to it
   */
  async find(session: SessionRecord, parties: Parties, messageId: string): Promise<KnownMessage | undefined> {
    const { store, links, retry } = this.#options;
    const { clientId, orgId, lid, pn } = session;
    await this.settled(clientId, messageId);
    const secretOf = (content: Uint8Array) => messageSecret(links.decode(content));
    const self = { fromMe: true, lid, pn };
    const sent = await retry.run(() => store.sends.get(clientId, messageId));
    if (sent) {
      const isErased = sent.content.length === 0;
      const erased = isErased && (await retry.run(() => store.traces.get(clientId, messageId)));
      return { author: self, secret: erased ? erased.secret : secretOf(sent.content) };
    }
    const roomId = roomIdOf(session, parties.remote);
    const row = orgId && (await retry.run(() => store.history.message(clientId, roomId, messageId)));
    const trace =
      row && !row.deleted ? undefined : await retry.run(() => store.traces.get(clientId, messageId));
    if (row) {
      // late votes and edits of a deleted message are still read
      const secret = row.deleted ? trace?.secret : secretOf(row.content);
      return { author: row.fromMe ? self : authorOfRow(row, parties), secret };
    }
    return trace && { author: authorOfTrace(trace), secret: trace.secret };
  }
}

/** The author of an inbound message: in a chat of two always the other person, under LID and number. */
function authorOfRow({ author }: HistoryMessage, { remote, person }: Parties): Authorship {
  const { lid, pn } = remote.kind === 'group' ? personOf(author) : (person ?? personOf(author));
  return { fromMe: false, ...(lid && { lid }), ...(pn && { pn }) };
}
