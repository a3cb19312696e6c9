import { chats } from '../../../contract/chats.js';
import { GatewayError } from '../../../domain/errors.js';
import { FOREVER } from '../../../domain/room.js';
import { type Route, route } from '../route.js';

export const chatRoutes: readonly Route[] = [
  route(chats.sendTyping, async ({ payload: { clientId, to, composing } }, { services }) => {
    await services.chats.setTyping(clientId, to, composing);
    return { status: 'ok' };
  }),
  route(chats.subscribePresence, async ({ payload: { clientId, to, seconds } }, { services }) => {
    const { expiresAt } = await services.presence.subscribe(clientId, to, seconds);
    return { ok: true, expiresAt: new Date(expiresAt).toISOString() };
  }),
  route(chats.deleteMessage, async ({ payload }, { services }) => {
    await services.chats.deleteMessage(payload);
    return { status: true };
  }),
  route(chats.markRead, async ({ payload: { clientId, to, messageIds } }, { services }) => {
    return { ok: true, ...(await services.chats.markRead(clientId, to, messageIds)) };
  }),
  route(chats.archiveChat, async ({ payload: { clientId, to, archived } }, { services }) => {
    await services.chats.archive(clientId, to, archived);
    return { ok: true };
  }),
  route(chats.muteChat, async ({ payload: { clientId, to, muted, until } }, { services, now }) => {
    const end = until === undefined ? FOREVER : Date.parse(until);
    if (end <= now()) throw new GatewayError('invalid_request', 'until must be in the future');
    await services.chats.mute(clientId, to, muted ? end : 0);
    return { ok: true };
  }),
  route(chats.pinChat, async ({ payload: { clientId, to, pinned } }, { services }) => {
    await services.chats.pin(clientId, to, pinned);
    return { ok: true };
  }),
  route(chats.setDisappearingMessages, async ({ payload: { clientId, to, seconds } }, { services }) => {
    await services.chats.setDisappearing(clientId, to, seconds);
    return { ok: true };
  }),
  route(chats.markUnread, async ({ payload: { clientId, to } }, { services }) => {
    await services.chats.markUnread(clientId, to);
    return { ok: true };
  }),
];
