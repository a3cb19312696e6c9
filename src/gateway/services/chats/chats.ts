import type { Deletion } from '../../../contract/index.js';
import { type Address, formatJid, parseRecipient } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import { type ChatSettings, parseRoomId } from '../../../domain/room.js';
import { requireTarget } from '../../kinds/content.js';
import { composeRevoke } from '../../kinds/revoke.js';
import { composeTimer } from '../../kinds/timer.js';
import type { Link, MessageReference } from '../../link/link.js';
import type { Store } from '../../store/store.js';
import {
  ANCHOR_ROWS,
  isShownOnPhones,
  type LiveLinks,
  referenceTo,
  requirePaired,
  type SessionSource,
} from '../access.js';
import type { RoomSettings } from '../history/room-settings.js';
import type { Contacts } from '../identities/contacts.js';
import { roomIdOf } from '../identities/parties.js';
import type { PersonRooms } from '../identities/person-rooms.js';
import type { HeldSends } from '../sending/held-sends.js';
import { type EarlierMessages, referenceToNamed } from '../sending/references.js';
import type { Sends } from '../sending/send.js';
import type { Session } from '../sessions/session.js';

/** A chat whose session is connected. */
interface LiveChat {
  session: Session;
  link: Link;
  address: Address;
  jid: string;
}

/**
 * Typing, read receipts, settings of chats and deletions. All methods throw session_unknown, session_unpaired,
 * recipient_unknown.
 */
export class ChatActions {
  readonly #options;

  constructor(options: {
    sessions: SessionSource;
    store: Pick<Store, 'history' | 'files'>;
    liveLinks: LiveLinks;
    contacts: Contacts;
    /** Finds a room by the id that it had before its person's LID was known. */
    rooms: Pick<PersonRooms, 'renamedTo'>;
    earlier: EarlierMessages;
    sends: Pick<Sends, 'run'>;
    held: Pick<HeldSends, 'withdraw'>;
    roomSettings: Pick<RoomSettings, 'write'>;
  }) {
    this.#options = options;
  }

  /** @throws send_not_connected */
  async setTyping(clientId: string, to: string, composing: boolean): Promise<void> {
    const { link, jid } = await this.#open(clientId, to);
    await link.sendTyping(jid, composing);
  }

  /** Sends read receipts and clears the room's unread count. @throws receipt_rejected */
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

  /** @throws message_unknown without a stored message of the chat, app_state_rejected */
  async markUnread(clientId: string, to: string): Promise<void> {
    const { session, link, address, jid } = await this.#open(clientId, to);
    const last = await this.#newest({ session, address });
    if (!last) throw noAnchor(to);
    await link.changeChat({ type: 'mark-unread', chat: jid, last });
  }

  /** Archives a chat on all devices of the account, or brings it back. @throws app_state_rejected */
  async archive(clientId: string, to: string, archived: boolean): Promise<void> {
    const chat = await this.#open(clientId, to);
    const last = archived ? await this.#newest(chat) : undefined;
    const change = { chat: chat.jid, archived, ...(last && { last }) };
    await chat.link.changeChat({ type: 'archive', ...change });
    // other devices unpin an archived chat too
    await this.#noteSettings(chat, { archived, ...(archived && { pinned: false }) });
  }

  /** @param until milliseconds since the epoch; 0 ends it, `FOREVER` has no end. @throws app_state_rejected */
  async mute(clientId: string, to: string, until: number): Promise<void> {
    const chat = await this.#open(clientId, to);
    await chat.link.changeChat({ type: 'mute', chat: chat.jid, until });
    await this.#noteSettings(chat, { mutedUntil: until });
  }

  /** @throws app_state_rejected */
  async pin(clientId: string, to: string, pinned: boolean): Promise<void> {
    const chat = await this.#open(clientId, to);
    await chat.link.changeChat({ type: 'pin', chat: chat.jid, pinned });
    await this.#noteSettings(chat, { pinned });
  }

  /**
   * Sets the timer of a chat for all its members.
   * @param seconds 0 turns it off
   * @throws as a send; group_forbidden, group_unknown
   */
  async setDisappearing(clientId: string, to: string, seconds: number): Promise<void> {
    const { link, address, jid } = await this.#open(clientId, to);
    if (address.kind === 'group') return link.groups.change(jid, { disappearingSeconds: seconds });
    const payload = { clientId, to };
    await this.#options.sends.run({
      route: '/disappearing-messages',
      payload,
      request: { ...payload, seconds },
      compose: ({ now }) => ({ content: composeTimer(seconds, now) }),
      answer: () => ({}),
    });
  }

  /** @throws message_unknown, invalid_request, send_rejected, app_state_rejected */
  async deleteMessage(deletion: Deletion): Promise<void> {
    if (deletion.mode === 'everyone') await this.#deleteForEveryone(deletion);
    else await deleteForMe(deletion, await this.#open(deletion.clientId, deletion.to), this.#options);
  }

  /** Deletes a message for everyone. If it is still held by its policy, withdraws it instead. */
  async #deleteForEveryone(deletion: Deletion): Promise<void> {
    const { sessions, earlier, held, sends } = this.#options;
    const { clientId, to, messageId, fromMe } = deletion;
    const chat = fromMe ? parseRecipient(to) : undefined;
    if (chat) {
      await earlier.findIn(sessions.find(clientId), chat, messageId, 'messageId');
      if (await held.withdraw(clientId, messageId)) return;
    }
    await sendDeletion(deletion, sends);
  }

  /** The newest stored message of a chat; undefined when none is stored. */
  async #newest({
    session,
    address,
  }: Pick<LiveChat, 'session' | 'address'>): Promise<MessageReference | undefined> {
    const { clientId, record } = session;
    const page = { limit: ANCHOR_ROWS };
    const rows = await this.#options.store.history.messages(clientId, roomIdOf(record, address), page);
    const newest = rows.findLast(isShownOnPhones);
    return newest && referenceTo(session, address, newest);
  }

  #noteSettings({ session, address }: LiveChat, settings: ChatSettings): Promise<void> {
    return this.#options.roomSettings.write(session.record, address, settings);
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

function noAnchor(to: string): GatewayError {
  return new GatewayError('message_unknown', reason('chat_without_message', { to }));
}

const ROUTE = '/delete-message';

/** Sends the revoke like any message: it is recorded, resumed after a crash, and announced. */
async function sendDeletion(
  { clientId, to, messageId, fromMe }: Deletion,
  sends: Pick<Sends, 'run'>,
): Promise<void> {
  const payload = { clientId, to };
  await sends.run({
    route: ROUTE,
    payload,
    request: { ...payload, messageId },
    target: { messageId, fromMe },
    compose: (context) => ({ content: composeRevoke(requireTarget(context)) }),
    answer: () => ({}),
  });
}

/** Deletes a message on the account's own devices and, where there is one, in the hosted history. */
async function deleteForMe(
  deletion: Deletion,
  chat: LiveChat,
  parts: {
    store: Pick<Store, 'history' | 'files'>;
    earlier: EarlierMessages;
    rooms: Pick<PersonRooms, 'renamedTo'>;
  },
): Promise<void> {
  const { link, jid, session } = chat;
  const isHosted = session.record.orgId !== '';
  const chatRoomId = isHosted ? await findRoom(deletion, parts) : '';
  const message = isHosted
    ? await storedMessage(deletion, chatRoomId, chat, parts)
    : await knownMessage(deletion, chat, parts.earlier);
  await link.changeChat({ type: 'delete-for-me', chat: jid, message });
  if (isHosted) await deleteRow(session.clientId, chatRoomId, message.messageId, parts.store);
}

/** Deletes the row before its file: `FileKeeper` checks after storing a file that its row still exists. */
async function deleteRow(
  clientId: string,
  chatRoomId: string,
  messageId: string,
  { history, files }: Pick<Store, 'history' | 'files'>,
): Promise<void> {
  await history.remove(clientId, chatRoomId, messageId);
  const file = await files.ofMessage(clientId, chatRoomId, messageId);
  if (file) await files.remove(file.id);
}

/** The room's current id. @throws GatewayError invalid_request */
async function findRoom(
  { clientId, chatRoomId }: Deletion,
  { store, rooms }: { store: Pick<Store, 'history'>; rooms: Pick<PersonRooms, 'renamedTo'> },
): Promise<string> {
  if (!chatRoomId) {
    throw new GatewayError(
      'invalid_request',
      'chatRoomId is required for mode me, since the session keeps a hosted history',
    );
  }
  if (parseRoomId(chatRoomId)?.clientId !== clientId) {
    throw new GatewayError('invalid_request', `chatRoomId: ${chatRoomId} is not a room of ${clientId}`);
  }
  if (await store.history.room(clientId, chatRoomId)) return chatRoomId;
  return (await rooms.renamedTo(chatRoomId)) ?? chatRoomId;
}

/** @throws GatewayError message_unknown, invalid_request */
async function storedMessage(
  { clientId, messageId, to }: Deletion,
  chatRoomId: string,
  { session, address }: LiveChat,
  { store, earlier }: { store: Pick<Store, 'history'>; earlier: EarlierMessages },
): Promise<MessageReference> {
  const row = await store.history.message(clientId, chatRoomId, messageId);
  const room = row && (await store.history.room(clientId, chatRoomId));
  if (!room) {
    throw new GatewayError('message_unknown', `messageId: room ${chatRoomId} has no message ${messageId}`);
  }
  if (await earlier.isIn(session, address, { chat: room.remoteJid })) {
    return referenceTo(session, address, row);
  }
  throw new GatewayError(
    'invalid_request',
    `chatRoomId: ${chatRoomId} is not the room of the chat with ${to}`,
  );
}

/**
 * The reference to a message of a session without a history, from its trace or its send.
 * @throws GatewayError invalid_request, target_author_unknown
 */
async function knownMessage(
  { messageId, fromMe }: Deletion,
  { session, address }: LiveChat,
  earlier: EarlierMessages,
): Promise<MessageReference> {
  const known = await earlier.findIn(session, address, messageId, 'messageId');
  return referenceToNamed(session, address, { messageId, fromMe }, known, 'messageId');
}
