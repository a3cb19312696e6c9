import { type Address, formatJid, parseJid } from '../../domain/address.js';
import { GatewayError } from '../../domain/errors.js';
import type { LinkFactory, MessageContent, MessageReference } from '../../link/link.js';
import type { HistoryMessage, MessageTrace, SentRecord, Store } from '../../store/store.js';
import { type Authorship, mayBeSame } from '../authorship.js';
import type { Contacts } from '../contacts.js';
import { roomIdOf } from '../receive/parties.js';
import type { Session } from '../sessions/session.js';
import { ownJid } from './paired.js';

/** What is known of an earlier message. */
export interface EarlierMessage {
  messageId: string;
  /** Jid of the chat that it is in. */
  chat: string;
  fromMe: boolean;
  /** Jid of who wrote it; empty where not known. */
  author: string;
  /** Milliseconds since the epoch. */
  sentAt: number;
  /** It is known to be deleted for everybody. */
  isDeleted: boolean;
  /** What it says by now; undefined where that is not kept, or it was deleted. */
  content: MessageContent | undefined;
}

export interface EarlierMessagesOptions {
  store: Pick<Store, 'history' | 'sends' | 'traces'>;
  links: Pick<LinkFactory, 'decode'>;
  contacts: Pick<Contacts, 'find'>;
}

/** Messages that callers refer to by their ids: from the history, the own sends, or as traces without their content. */
export class EarlierMessages {
  readonly #options: EarlierMessagesOptions;

  constructor(options: EarlierMessagesOptions) {
    this.#options = options;
  }

  /** Undefined when nothing is known of it; it may be of another chat than the one it is looked for in. */
  async find(session: Session, chat: Address, messageId: string): Promise<EarlierMessage | undefined> {
    const { clientId, record } = session;
    const { history, sends, traces } = this.#options.store;
    const row = record.orgId && (await history.message(clientId, roomIdOf(record, chat), messageId));
    if (row) return this.#ofHistory(row, session, chat);
    const sent = await sends.get(clientId, messageId);
    if (sent) return this.#ofSend(sent, session);
    const trace = await traces.get(clientId, messageId);
    return trace && ofTrace(trace, session);
  }

  /** False when a message is known to be in another chat. */
  async isIn(session: Session, chat: Address, message: Pick<EarlierMessage, 'chat'>): Promise<boolean> {
    const known = parseJid(message.chat);
    if (!known || formatJid(known) === formatJid(chat)) return true;
    if (known.kind === 'group' || chat.kind === 'group') return false;
    const { clientId } = session;
    return mayBeSame(await this.#personAt(clientId, known), await this.#personAt(clientId, chat));
  }

  /**
   * As `find`, for a message that can only be meant within its chat.
   * @param field what the caller named it by
   * @throws GatewayError invalid_request
   */
  async findIn(
    session: Session,
    chat: Address,
    messageId: string,
    field: string,
  ): Promise<EarlierMessage | undefined> {
    const message = await this.find(session, chat, messageId);
    if (!message || (await this.isIn(session, chat, message))) return message;
    throw new GatewayError(
      'invalid_request',
      `${field}: the message ${messageId} is in another chat; set to to the one that it is in`,
    );
  }

  async #personAt(clientId: string, { kind, user }: Address): Promise<Authorship> {
    const by = kind === 'lid' ? { lid: user } : { pn: user };
    const contact = await this.#options.contacts.find(clientId, by);
    const { lid, pn } = { ...contact, ...by };
    return { fromMe: false, ...(lid && { lid }), ...(pn && { pn }) };
  }

  #ofHistory(row: HistoryMessage, session: Session, chat: Address): EarlierMessage {
    const { messageId, fromMe, author, sentAt } = row;
    return {
      messageId,
      chat: formatJid(chat),
      fromMe,
      author: fromMe ? ownJid(session) : author,
      sentAt,
      isDeleted: row.deleted,
      content: row.deleted ? undefined : this.#contentOf(row),
    };
  }

  /** The history keeps what was sent first; an edit changes the text beside it. */
  #contentOf({ messageType, extras, body, content }: HistoryMessage): MessageContent {
    if (messageType === 'chat' && extras.edited) return { conversation: body };
    return this.#options.links.decode(content);
  }

  #ofSend({ messageId, to, sentAt, content }: SentRecord, session: Session): EarlierMessage {
    const author = ownJid(session);
    return {
      messageId,
      chat: to,
      fromMe: true,
      author,
      sentAt,
      isDeleted: false,
      content: this.#options.links.decode(content),
    };
  }
}

/** Names a message as receipts, changes and keys do: its author in groups only. */
export function referenceTo(
  session: Session,
  chat: Address,
  { messageId, fromMe, author, sentAt }: Pick<EarlierMessage, 'messageId' | 'fromMe' | 'author' | 'sentAt'>,
): MessageReference {
  const participant = chat.kind === 'group' && (fromMe ? ownJid(session) : author);
  return { messageId, fromMe, ...(participant && { participant }), sentAt };
}

/**
 * Names a message that a caller refers to. Of an unknown one the caller's word counts.
 * @param field what the caller named it by
 * @throws GatewayError target_author_unknown: in a group nobody finds a message without its author
 */
export function referenceToNamed(
  session: Session,
  chat: Address,
  { messageId, fromMe }: Pick<EarlierMessage, 'messageId' | 'fromMe'>,
  known: EarlierMessage | undefined,
  field: string,
): MessageReference {
  const reference = referenceTo(session, chat, known ?? { messageId, fromMe, author: '', sentAt: 0 });
  if (chat.kind !== 'group' || reference.participant) return reference;
  throw new GatewayError(
    'target_author_unknown',
    `${field}: nothing is known of ${messageId}, and in a group a message is found only with who wrote it; ` +
      'messages that came while the session was paired can be named',
  );
}

function ofTrace(trace: MessageTrace, session: Session): EarlierMessage {
  const { messageId, chat, fromMe, authorLid, authorPn, sentAt } = trace;
  const author = fromMe ? ownJid(session) : authorLid || authorPn;
  return { messageId, chat, fromMe, author, sentAt, isDeleted: false, content: undefined };
}
