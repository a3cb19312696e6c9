import type { Address } from '../../domain/address.js';
import { formatJid } from '../../domain/address.js';
import { GatewayError } from '../../domain/errors.js';
import type { Link } from '../../link/link.js';
import type { HistoryMessage, Store } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import type { LiveLinks } from '../live-links.js';
import type { Identities } from '../people/identities.js';
import { roomIdOf } from '../receive/parties.js';
import { type EarlierMessages, referenceTo, referenceToNamed } from '../send/earlier-messages.js';
import { requirePaired, type SessionSource } from '../send/paired.js';
import type { Sender } from '../send/send.js';
import type { Chats, Deletion } from '../services.js';
import type { Session } from '../sessions/session.js';
import { deleteForEveryone, deleteForMe } from './delete-message.js';

export interface ChatsOptions {
  sessions: SessionSource;
  store: Pick<Store, 'history' | 'files'>;
  liveLinks: LiveLinks;
  contacts: Contacts;
  /** Where rooms are by now whose ids were given out while they went by a number. */
  rooms: Pick<Identities, 'roomOf'>;
  earlier: EarlierMessages;
  sender: Pick<Sender, 'run'>;
}

/** A chat that something can be done to at once. */
export interface LiveChat {
  session: Session;
  link: Link;
  address: Address;
  jid: string;
}

/** Newest rows among which one that phones show is looked for: votes are rows, but no messages of the chat. */
const ANCHOR_ROWS = 50;

/** What is done to a chat beside sending messages. */
export class ChatActions implements Chats {
  readonly #options: ChatsOptions;

  constructor(options: ChatsOptions) {
    this.#options = options;
  }

  async setTyping(clientId: string, to: string, composing: boolean): Promise<void> {
    const { link, jid } = await this.#open(clientId, to);
    await link.sendTyping(jid, composing);
  }

  async markRead(clientId: string, to: string, messageIds: string[]): Promise<{ count: number }> {
    const { session, link, address, jid } = await this.#open(clientId, to);
    const { earlier, store } = this.#options;
    const ids = [...new Set(messageIds)];
    const messages = await Promise.all(
      ids.map(async (messageId) => {
        const known = await earlier.findIn(session, address, messageId, 'messageIds');
        return referenceToNamed(session, address, { messageId, fromMe: false }, known, 'messageIds');
      }),
    );
    await link.markRead(jid, messages);
    const { record } = session;
    if (record.orgId) await store.history.updateRoom(clientId, roomIdOf(record, address), { unreadCount: 0 });
    return { count: ids.length };
  }

  async markUnread(clientId: string, to: string): Promise<void> {
    const { session, link, address, jid } = await this.#open(clientId, to);
    const chatRoomId = roomIdOf(session.record, address);
    const rows = await this.#options.store.history.messages(clientId, chatRoomId, { limit: ANCHOR_ROWS });
    const newest = rows.findLast(isShownOnPhones);
    if (!newest) throw noAnchor(to);
    const last = referenceTo(session, address, newest);
    await link.changeChat({ type: 'mark-unread', chat: jid, last });
  }

  async deleteMessage(deletion: Deletion): Promise<void> {
    if (deletion.mode === 'everyone') await deleteForEveryone(deletion, this.#options.sender);
    else await deleteForMe(deletion, await this.#open(deletion.clientId, deletion.to), this.#options);
  }

  /** @throws GatewayError session_unknown, session_unpaired, send_not_connected, recipient_unknown */
  async #open(clientId: string, to: string): Promise<LiveChat> {
    const { sessions, liveLinks, contacts } = this.#options;
    const session = requirePaired(sessions, clientId);
    const link = await liveLinks.of(session);
    const address = await contacts.resolve(clientId, to, link);
    return { session, link, address, jid: formatJid(address) };
  }
}

function isShownOnPhones({ messageType }: HistoryMessage): boolean {
  return messageType !== 'vote_update';
}

function noAnchor(to: string): GatewayError {
  return new GatewayError(
    'message_unknown',
    `to: no message of the chat with ${to} is stored, and one is needed to flag it unread; ` +
      'history is kept once /set-org-id has set an orgId',
  );
}
