import { type Address, formatJid, isChannel, parseJid, STATUS_JID } from '../../../domain/address.js';
import type { EpochMs } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import type { ComposeContext, Target } from '../../kinds/kind.js';
import type { LinkFactory, MessageContent, MessageReference, QuotedReference } from '../../link/link.js';
import type { HistoryMessage, MessageTrace, SentRecord, Store } from '../../store/store.js';
import { ownJid, referenceTo } from '../access.js';
import type { Contacts } from '../identities/contacts.js';
import { type Authorship, mayBeSame, roomIdOf } from '../identities/parties.js';
import type { Session } from '../sessions/session.js';

/** An earlier message, as far as it is stored. */
interface EarlierMessage {
  messageId: string;
  /** Jid of the chat that it is in. */
  chat: string;
  fromMe: boolean;
  /** Jid of the author; empty if unknown. */
  author: string;
  sentAt: EpochMs;
  /** Known to be deleted for everyone. */
  isDeleted: boolean;
  /** The policy holds the message back: it has not left. */
  isWaiting?: boolean;
  /** The message was cancelled or given up before a copy left; `isDeleted` is true, too. */
  isCancelled?: boolean;
  /** The content with its last edit; undefined when it is not stored, was deleted, or waits. */
  content: MessageContent | undefined;
  /** Name of its file; empty if there is no file, or the name is unknown. */
  fileName: string;
}

/** Finds the messages that callers refer to by their ids: in the history, the own sends, or as traces without content. */
export class EarlierMessages {
  readonly #options;

  constructor(options: {
    store: Pick<Store, 'history' | 'sends' | 'traces'>;
    links: Pick<LinkFactory, 'decode'>;
    contacts: Pick<Contacts, 'find'>;
  }) {
    this.#options = options;
  }

  /** Undefined when the message is unknown. The message found may be in another chat than `chat`. */
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
    if (postKind(message.chat)) return false;
    const known = parseJid(message.chat);
    if (!known || formatJid(known) === formatJid(chat)) return true;
    if (known.kind === 'group' || chat.kind === 'group') return false;
    const { clientId } = session;
    return mayBeSame(await this.#personAt(clientId, known), await this.#personAt(clientId, chat));
  }

  /**
   * Like `find`, for a request that only makes sense within the message's chat.
   * @param field of the request that names the message
   * @param chatField of the request that names the chat
   * @throws GatewayError invalid_request when the message is in another chat
   */
  async findIn(
    session: Session,
    chat: Address,
    messageId: string,
    field: string,
    chatField = 'to',
  ): Promise<EarlierMessage | undefined> {
    const message = await this.find(session, chat, messageId);
    if (!message || (await this.isIn(session, chat, message))) return message;
    const kind = postKind(message.chat);
    const flaw = kind
      ? `${messageId} is ${kind}, which is in no chat`
      : `the message ${messageId} is in another chat; set ${chatField} to the one that it is in`;
    throw new GatewayError('invalid_request', `${field}: ${flaw}`);
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
      fileName: row.media?.fileName ?? '',
    };
  }

  /** The history keeps the first content; an edit changes the text beside it. */
  #contentOf({ messageType, extras, body, content }: HistoryMessage): MessageContent {
    if (messageType === 'chat' && extras.edited) return { conversation: body };
    return this.#options.links.decode(content);
  }

  #ofSend(
    { messageId, to, sentAt, content, fileName, held, closed, acknowledged, counted }: SentRecord,
    session: Session,
  ): EarlierMessage {
    const author = ownJid(session);
    const isEmpty = content.length === 0;
    const hasNotLeft = isEmpty && closed && !acknowledged;
    const isWaiting = hasNotLeft && held !== undefined;
    // a held message counts as nothing until it leaves
    const isCancelled = hasNotLeft && !isWaiting && counted === 'nothing';
    return {
      messageId,
      chat: to,
      fromMe: true,
      author,
      sentAt,
      isDeleted: isEmpty && !isWaiting,
      ...(isWaiting && { isWaiting }),
      ...(isCancelled && { isCancelled }),
      content: isEmpty ? undefined : this.#options.links.decode(content),
      fileName,
    };
  }
}

/** What an own send is that went to no chat; undefined for a message. */
function postKind(jid: string): string | undefined {
  if (jid === STATUS_JID) return 'a status';
  return isChannel(jid) ? 'a post of a channel' : undefined;
}

/**
 * The reference to a message that a caller names. For an unknown message, the caller's fields are used.
 * @param field of the request that names the message
 * @throws GatewayError target_author_unknown: in a group, phones find a message only with its author
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
  return { messageId, chat, fromMe, author, sentAt, isDeleted: false, content: undefined, fileName: '' };
}

/**
 * The quoted message, as far as it is stored; an unknown id is sent all the same. A message of another chat counts as unknown,
 * so that its text is not revealed to this one.
 */
export async function quote(
  messageId: string,
  session: Session,
  chat: Address,
  earlier: EarlierMessages,
): Promise<QuotedReference> {
  const found = await earlier.find(session, chat, messageId);
  const known = found && (await earlier.isIn(session, chat, found)) ? found : undefined;
  const participant = known?.author || (chat.kind === 'group' ? '' : formatJid(chat));
  return {
    messageId,
    fromMe: known?.fromMe ?? false,
    ...(participant && { participant }),
    content: known?.content ?? {},
  };
}

const MINUTE_MS = 60_000;

/**
 * The message that a send changes or reacts to, as it is stored. For an unknown message the caller's fields are used, and the
 * network decides.
 * @param now milliseconds since the epoch
 * @throws GatewayError invalid_request when it is in another chat, target_not_own, target_not_editable, edit_window_over,
 * target_author_unknown; message_unknown and message_deleted for a target that must be known
 */
export async function targetContext(
  { messageId, fromMe, withinMs, mustBeKnown }: Target,
  session: Session,
  chat: Address,
  earlier: EarlierMessages,
  now: number,
): Promise<Pick<ComposeContext, 'target' | 'targetContent'>> {
  const known = await earlier.findIn(session, chat, messageId, 'messageId');
  if (mustBeKnown) requirePresent(known, messageId);
  if (known && withinMs !== undefined) requireEditable(known, withinMs, now);
  const named = referenceToNamed(session, chat, { messageId, fromMe }, known, 'messageId');
  const target = {
    remoteJid: formatJid(chat),
    id: messageId,
    fromMe: named.fromMe,
    ...(named.participant && { participant: named.participant }),
  };
  return { target, ...(known?.content && { targetContent: known.content }) };
}

const NEVER_SENT = 'was cancelled or given up before it was sent';

/**
 * The message, where it is known, has left, and is not deleted.
 * @throws GatewayError message_unknown, message_deleted
 */
export function requirePresent(known: EarlierMessage | undefined, messageId: string): EarlierMessage {
  if (!known) {
    throw new GatewayError(
      'message_unknown',
      `messageId: nothing is known of ${messageId}; messages that came while the session was paired can be named`,
    );
  }
  if (known.isWaiting) {
    throw new GatewayError('message_unknown', reason('message_waits', { kind: 'named', messageId }));
  }
  if (!known.isDeleted) return known;
  const what = known.isCancelled ? NEVER_SENT : 'was deleted for everyone';
  throw new GatewayError('message_deleted', `messageId: ${messageId} ${what}`);
}

function requireEditable(
  { messageId, fromMe, sentAt, isDeleted, isWaiting, isCancelled }: EarlierMessage,
  withinMs: number,
  now: number,
): void {
  if (!fromMe) {
    throw new GatewayError(
      'target_not_own',
      `messageId: ${messageId} was written by somebody else; only own messages can be edited`,
    );
  }
  if (isWaiting) {
    throw new GatewayError('target_not_editable', reason('message_waits', { kind: 'edited', messageId }));
  }
  if (isDeleted) {
    throw new GatewayError(
      'target_not_editable',
      `messageId: ${messageId} ${isCancelled ? NEVER_SENT : 'was deleted'}; send a new message instead`,
    );
  }
  if (now - sentAt <= withinMs) return;
  const age = Math.floor((now - sentAt) / MINUTE_MS);
  throw new GatewayError(
    'edit_window_over',
    `messageId: ${messageId} was sent ${age} minutes ago, and the network takes edits for ` +
      `${withinMs / MINUTE_MS} minutes only; send a new message instead`,
  );
}
