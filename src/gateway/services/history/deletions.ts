import { isObject } from '../../../domain/json.js';
import { VOTE_TYPE } from '../../../domain/room.js';
import { hasQuoted, withoutQuoted } from '../../kinds/context-info.js';
import type { LinkFactory } from '../../link/link.js';
import type { HistoryMessage, Store } from '../../store/store.js';

/** Rows that are read at once. */
const PAGE = 200;
/** Pages that are searched for quotes of a deleted message; the network takes deletions for about two days. */
const MAX_PAGES = 50;
/** Pages that are searched if the deleted message is not stored: anybody can send deletions of messages that never existed. */
const MAX_PAGES_OF_UNKNOWN = 5;

/** The message that a row quotes. */
export interface Quoted {
  messageId: string;
  /** User-part of its author; undefined if unknown. */
  participant: string | undefined;
}

/** The message that a row quotes; undefined for none. */
export function quotedBy({ extras: { quoted } }: Pick<HistoryMessage, 'extras'>): Quoted | undefined {
  if (!isObject(quoted) || typeof quoted.messageId !== 'string') return undefined;
  const { messageId, participant } = quoted;
  return { messageId, participant: typeof participant === 'string' ? participant : undefined };
}

/** The row of a message after a deletion for everyone: author, time and the `metaData` of the API send remain. */
export function emptied(row: HistoryMessage): HistoryMessage {
  const { group, meta } = row.extras;
  const extras = {
    ...(group !== undefined && { group }),
    ...(meta !== undefined && { meta }),
    revoked: true,
  };
  return { ...row, deleted: true, body: '', media: undefined, fileId: '', extras, content: new Uint8Array() };
}

/** Whether a row adds to the unread count of its room. A vote is a row, but no message of the chat. */
function isCounted({ fromMe, messageType, deleted }: HistoryMessage): boolean {
  return !fromMe && messageType !== VOTE_TYPE && !deleted;
}

/** Removes what a deleted message has left beside its row: its file, its quotes in later rows, and its place in the unread count. */
export class Deletions {
  readonly #options;

  constructor(options: {
    store: Pick<Store, 'history' | 'files'>;
    links: Pick<LinkFactory, 'encode' | 'decode'>;
  }) {
    this.#options = options;
  }

  /** Removes the file from the library, and the quotes. Idempotent. */
  async removeTraces(clientId: string, { chatRoomId, messageId, sentAt }: HistoryMessage): Promise<void> {
    const { files } = this.#options.store;
    const file = await files.ofMessage(clientId, chatRoomId, messageId);
    if (file) await files.remove(file.id);
    for await (const row of this.#newestFirst(clientId, chatRoomId, MAX_PAGES)) {
      // a quoting message of the same second may be sorted before this one
      if (row.sentAt < sentAt) return;
      if (quotedBy(row)?.messageId === messageId) await this.unquote(clientId, row);
    }
  }

  /** Removes the quotes of a message that is not stored. @param isMeant whether a quote is of that message */
  async removeQuotes(
    clientId: string,
    chatRoomId: string,
    isMeant: (quoted: Quoted) => boolean,
  ): Promise<void> {
    for await (const row of this.#newestFirst(clientId, chatRoomId, MAX_PAGES_OF_UNKNOWN)) {
      const quoted = quotedBy(row);
      if (quoted && isMeant(quoted)) await this.unquote(clientId, row);
    }
  }

  /** Removes what a row shows of the message that it quotes; the message stays named. Idempotent. */
  async unquote(clientId: string, row: HistoryMessage): Promise<void> {
    const { store, links } = this.#options;
    const { quoted } = row.extras;
    const content = links.decode(row.content);
    if (!isObject(quoted) || (quoted.body === '' && !hasQuoted(content))) return;
    const extras = { ...row.extras, quoted: { ...quoted, body: '' } };
    await store.history.update(clientId, { ...row, content: links.encode(withoutQuoted(content)), extras });
  }

  /** Lowers the unread count of the room if the deleted message was unread. @param row before its deletion */
  async countDown(clientId: string, row: HistoryMessage): Promise<void> {
    const { history } = this.#options.store;
    const { chatRoomId, messageId } = row;
    if (!isCounted(row)) return;
    const unreadCount = (await history.room(clientId, chatRoomId))?.unreadCount ?? 0;
    // the unread messages are the newest ones of other people
    let newer = 0;
    for await (const other of this.#newestFirst(clientId, chatRoomId, MAX_PAGES)) {
      if (newer >= unreadCount) return;
      if (other.messageId === messageId) break;
      if (isCounted(other)) newer++;
    }
    if (newer < unreadCount) await history.updateRoom(clientId, chatRoomId, { unreadCount: unreadCount - 1 });
  }

  async *#newestFirst(clientId: string, chatRoomId: string, pages: number): AsyncGenerator<HistoryMessage> {
    const { history } = this.#options.store;
    let before: string | undefined;
    for (let page = 0; page < pages; page++) {
      const rows = await history.messages(clientId, chatRoomId, { limit: PAGE, ...(before && { before }) });
      yield* rows.toReversed();
      before = rows[0]?.messageId;
      if (rows.length < PAGE) return;
    }
  }
}
