import { inbox } from '../../../contract/inbox.js';
import { GatewayError } from '../../../domain/errors.js';
import { type Route, route } from '../route.js';

export const inboxRoutes: readonly Route[] = [
  route(inbox.listChatRooms, async ({ query }, { services }) => ({
    chatRooms: await services.inbox.rooms(query.clientId),
  })),
  route(inbox.listMessages, async (request, { services }) => {
    const { limit, before, status } = request.query;
    const page = { limit, status, ...(before !== undefined && { before }) };
    return { messages: await services.inbox.messages(roomIdOf(request), page) };
  }),
  route(inbox.getMessageMediaUrl, async (request, { services }) => ({
    ok: true,
    url: await services.inbox.mediaUrl(roomIdOf(request), request.params.messageId),
  })),
  route(inbox.requestHistory, async ({ payload: { clientId, chatRoomId, count } }, { services }) => {
    const room = roomOf(chatRoomId, clientId);
    return { ok: true, ...(await services.history.request(clientId, room, count)) };
  }),
  route(inbox.resetUnread, async (request, { services }) => {
    await services.inbox.markRead(roomIdOf(request, request.payload.clientId));
    return { status: 'ok' };
  }),
];

interface RoomRequest {
  params: { chatRoomId: string };
  query: { clientId?: string };
}

/**
 * The room that a request names. Its id names the session; a `clientId` in the query or the body is accepted, and must agree.
 * @throws GatewayError invalid_request
 */
function roomIdOf({ params: { chatRoomId }, query }: RoomRequest, clientId = query.clientId): string {
  return roomOf(chatRoomId, clientId);
}

/** @throws GatewayError invalid_request if the room is one of another session */
function roomOf(chatRoomId: string, clientId: string | undefined): string {
  if (clientId !== undefined && !chatRoomId.startsWith(`${clientId}-`)) {
    throw new GatewayError('invalid_request', `chatRoomId: ${chatRoomId} is not a room of ${clientId}`);
  }
  return chatRoomId;
}
