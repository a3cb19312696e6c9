import type { BackendHistory, BackendRoom, HistoryMessage, HistoryStore, RoomRecord } from '../store.js';
import type { Place } from './envelope.js';
import { openPending, sealedPendingChanges, sealPending } from './pending-changes.js';
import type { Sealer, Sealers } from './sealer.js';

/** Seals what messages and rooms say; ids, addresses, times, flags and counts stay readable. */
export function sealedHistory(history: BackendHistory, sealers: Sealers): HistoryStore {
  const openEach = async <S, T>(
    clientId: string,
    found: readonly S[],
    open: (sealer: Sealer, value: S) => T,
  ) => {
    // asking for the sealer of a session that does not exist would leave a data key behind
    if (found.length === 0) return [];
    const sealer = await sealers.of(clientId);
    return found.map((value) => open(sealer, value));
  };
  return {
    ...sealedPendingChanges(history, sealers),
    async record(clientId, room, message) {
      const sealer = await sealers.of(clientId);
      const sealedRoom = {
        ...room,
        name: sealer.sealText(namePlace(room.chatRoomId), room.name),
        lastMessage: sealer.sealText(textPlace(room.chatRoomId, message.messageId), room.lastMessage),
      };
      return history.record(clientId, sealedRoom, sealMessage(sealer, message));
    },
    async message(clientId, chatRoomId, messageId) {
      const message = await history.message(clientId, chatRoomId, messageId);
      return message && openMessage(await sealers.of(clientId), message);
    },
    async update(clientId, message) {
      if (!(await history.message(clientId, message.chatRoomId, message.messageId))) return false;
      return history.update(clientId, sealMessage(await sealers.of(clientId), message));
    },
    remove: (clientId, chatRoomId, messageId) => history.remove(clientId, chatRoomId, messageId),
    async messages(clientId, chatRoomId, page) {
      return openEach(clientId, await history.messages(clientId, chatRoomId, page), openMessage);
    },
    async rooms(clientId) {
      return openEach(clientId, await history.rooms(clientId), openRoom);
    },
    async room(clientId, chatRoomId) {
      const room = await history.room(clientId, chatRoomId);
      return room && openRoom(await sealers.of(clientId), room);
    },
    roomsByNumber: (clientId) => history.roomsByNumber(clientId),
    async updateRoom(clientId, chatRoomId, changes) {
      const { name } = changes;
      if (name === undefined) return history.updateRoom(clientId, chatRoomId, changes);
      if (!(await history.room(clientId, chatRoomId))) return false;
      const sealed = (await sealers.of(clientId)).sealText(namePlace(chatRoomId), name);
      return history.updateRoom(clientId, chatRoomId, { ...changes, name: sealed });
    },
    async rekey(clientId, move) {
      const sealer = await sealers.of(clientId);
      return history.rekey(clientId, {
        ...move,
        // what is sealed is bound to its room
        room: (room) => sealRoom(sealer, move.room(openBackendRoom(sealer, room))),
        message: (message) => sealMessage(sealer, move.message(openMessage(sealer, message))),
        pending: (pending) => sealPending(sealer, move.pending(openPending(sealer, pending))),
      });
    },
    // nothing but an id, a time and a word of a few
    advance: (clientId, progress) => history.advance(clientId, progress),
    statuses: (clientId, messageIds) => history.statuses(clientId, messageIds),
    checkRoom: (clientId, chatRoomId, options) => history.checkRoom(clientId, chatRoomId, options),
    prune: (sentBefore) => history.prune(sentBefore),
  };
}

/** What is sealed together: the parts of a message that are only ever read with it. */
type Inside = Pick<HistoryMessage, 'pushname' | 'media' | 'extras'>;

const namePlace = (chatRoomId: string): Place => ['rooms', 'name', chatRoomId];
/** Of a message's body, and of the room's text of its last message: back ends copy the one to the other. */
const textPlace = (chatRoomId: string, messageId: string): Place => [
  'messages',
  'text',
  chatRoomId,
  messageId,
];

function sealMessage(sealer: Sealer, message: HistoryMessage): HistoryMessage {
  const { chatRoomId, messageId, pushname, media, extras } = message;
  const inside: Inside = { pushname, media, extras };
  return {
    ...message,
    body: sealer.sealText(textPlace(chatRoomId, messageId), message.body),
    pushname: '',
    media: undefined,
    extras: {
      sealed: sealer.sealText(['messages', 'inside', chatRoomId, messageId], JSON.stringify(inside)),
    },
    content: sealer.seal(['messages', 'content', chatRoomId, messageId], message.content),
  };
}

function openMessage(sealer: Sealer, message: HistoryMessage): HistoryMessage {
  const { chatRoomId, messageId, extras } = message;
  const inside = sealer.openText(['messages', 'inside', chatRoomId, messageId], String(extras.sealed));
  const { pushname, media, extras: opened }: Inside = JSON.parse(inside);
  return {
    ...message,
    body: sealer.openText(textPlace(chatRoomId, messageId), message.body),
    pushname,
    media,
    extras: opened,
    content: sealer.open(['messages', 'content', chatRoomId, messageId], message.content),
  };
}

function openRoom(sealer: Sealer, room: BackendRoom): RoomRecord {
  const { lastMessageId, ...opened } = openBackendRoom(sealer, room);
  return opened;
}

function openBackendRoom(sealer: Sealer, room: BackendRoom): BackendRoom {
  const { chatRoomId, lastMessageId, name, lastMessage } = room;
  return {
    ...room,
    name: sealer.openText(namePlace(chatRoomId), name),
    lastMessage: sealer.openText(textPlace(chatRoomId, lastMessageId), lastMessage),
  };
}

function sealRoom(sealer: Sealer, room: BackendRoom): BackendRoom {
  const { chatRoomId, lastMessageId, name, lastMessage } = room;
  return {
    ...room,
    name: sealer.sealText(namePlace(chatRoomId), name),
    lastMessage: sealer.sealText(textPlace(chatRoomId, lastMessageId), lastMessage),
  };
}
