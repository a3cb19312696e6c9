import { GatewayError } from '../../domain/errors.js';
import { parseRoomId } from '../../domain/room.js';
import { composeRevoke } from '../../kinds/revoke.js';
import { requireTarget } from '../../kinds/target.js';
import type { MessageReference } from '../../link/link.js';
import type { Store } from '../../store/store.js';
import type { Identities } from '../people/identities.js';
import { type EarlierMessages, referenceTo, referenceToNamed } from '../send/earlier-messages.js';
import type { Sender } from '../send/send.js';
import type { Deletion } from '../services.js';
import type { LiveChat } from './chats.js';

const ROUTE = '/delete-message';

/** Sends the revoke as any message is sent, so that it is written down, goes on after a crash and is announced. */
export async function deleteForEveryone(
  { clientId, to, messageId, fromMe }: Deletion,
  sender: Pick<Sender, 'run'>,
): Promise<void> {
  const payload = { clientId, to };
  await sender.run({
    route: ROUTE,
    payload,
    request: { ...payload, messageId },
    target: { messageId, fromMe },
    compose: (context) => composeRevoke(requireTarget(context)),
    answer: () => ({}),
  });
}

/** Deletes a message on the account's own devices and, where there is one, in the hosted history. */
export async function deleteForMe(
  deletion: Deletion,
  chat: LiveChat,
  parts: {
    store: Pick<Store, 'history' | 'files'>;
    earlier: EarlierMessages;
    rooms: Pick<Identities, 'roomOf'>;
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

/** First the row, then its file: one that is just being stored looks for the row at its end. */
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

/** The room by the name that it has by now. @throws GatewayError invalid_request */
async function findRoom(
  { clientId, chatRoomId }: Deletion,
  { store, rooms }: { store: Pick<Store, 'history'>; rooms: Pick<Identities, 'roomOf'> },
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
  return (await rooms.roomOf(chatRoomId)) ?? chatRoomId;
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
 * Without a history the account's devices are told all that is remembered.
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
