import { join } from 'node:path';
import { proto } from '@whiskeysockets/baileys';
import SqliteDatabase from 'better-sqlite3';
import { MongoClient } from 'mongodb';
import { encryptionKeyBytes } from '../../../src/config/secrets.js';
import { formatRoomId } from '../../../src/domain/room.js';
import { type MessageDocument, toDocument } from '../../../src/store/mongo/messages.js';
import { openMongoBackend } from '../../../src/store/mongo/mongo-store.js';
import { sealStore } from '../../../src/store/sealing/sealed-store.js';
import { sqliteMessages } from '../../../src/store/sqlite/messages.js';
import { openSqliteBackend } from '../../../src/store/sqlite/sqlite-store.js';
import type { Backend, HistoryMessage, RoomUpdate } from '../../../src/store/store.js';
import { session } from '../../contracts/store/harness.js';

export const CLIENT_ID = 'bench';
const MY_LID = '90000000000001';
const BEGUN_AT = Date.UTC(2026, 0, 1);
/** Milliseconds between two messages of all rooms. */
const STEP_MS = 1_000;
/** Messages that are written at once. */
const BATCH = 2_000;
const OTHERS = 90_000_000_000_002;

/** Where a store is, and with which key it is begun. */
export interface Place {
  /** `sqlite`, or the URL of a database. */
  url: string;
  dataDir: string;
  /** In hex. */
  encryptionKey: string;
}

/**
 * Fills the inbox of one session: a message to each room in turn, as they come, until each has its number. What a room shows
 * comes through the store's own door; the messages before it go past that, many at a time.
 */
export async function fillInbox(place: Place, messagesIn: readonly number[]): Promise<void> {
  const { backend, flush } = await openBulk(place);
  const store = await sealStore(backend, encryptionKeyBytes(place.encryptionKey));
  try {
    await store.sessions.create(session(CLIENT_ID, { lid: MY_LID, status: 'logged_out' }));
    for (let turn = 0; turn < Math.max(...messagesIn); turn++) {
      for (const [room, count] of messagesIn.entries()) {
        if (turn >= count) continue;
        const message = messageOf(room, turn, BEGUN_AT + (turn * messagesIn.length + room) * STEP_MS);
        await store.history.record(CLIENT_ID, roomOf(room, message.body, turn === count - 1), message);
      }
    }
    await flush();
  } finally {
    await store.close();
  }
}

export function roomIdOf(room: number): string {
  return formatRoomId({ clientId: CLIENT_ID, myLid: MY_LID, other: String(OTHERS + room) });
}

export function messageIdOf(room: number, turn: number): string {
  return `3EB0${String(room).padStart(6, '0')}${String(turn).padStart(8, '0')}`;
}

/** Writes messages into a database, past the store. */
interface Bulk {
  write(messages: readonly HistoryMessage[]): Promise<void>;
  close(): Promise<void>;
}

async function openBulk(place: Place): Promise<{ backend: Backend; flush(): Promise<void> }> {
  const isSqlite = place.url === 'sqlite';
  const backend = await (isSqlite ? openSqliteBackend(place) : openMongoBackend(place));
  const bulk = isSqlite ? bulkIntoSqlite(place.dataDir) : bulkIntoMongo(place.url);
  let waiting: HistoryMessage[] = [];
  const write = async () => {
    const messages = waiting;
    waiting = [];
    if (messages.length > 0) await bulk.write(messages);
  };
  const record: Backend['history']['record'] = async (clientId, room, message) => {
    if (room.unread) return backend.history.record(clientId, room, message);
    waiting.push(message);
    if (waiting.length >= BATCH) await write();
    return true;
  };
  const flush = async () => {
    await write();
    await bulk.close();
  };
  return { backend: { ...backend, history: { ...backend.history, record } }, flush };
}

/** Beside the store's own connection: both are of this process, and neither writes while the other one does. */
function bulkIntoSqlite(dataDir: string): Bulk {
  const sqlite = new SqliteDatabase(join(dataDir, 'switchboard.db'));
  const messages = sqliteMessages({
    sqlite,
    run: (work) => work(),
    inTransaction: (work) => sqlite.transaction(work).immediate(),
    checkFile: () => undefined,
    close: () => sqlite.close(),
  });
  const insertAll = sqlite.transaction((all: readonly HistoryMessage[]) => {
    for (const message of all) messages.insert(CLIENT_ID, message);
  });
  return {
    write: async (all) => insertAll.immediate(all),
    async close() {
      sqlite.close();
    },
  };
}

function bulkIntoMongo(url: string): Bulk {
  const client = new MongoClient(url);
  const messages = client.db().collection<MessageDocument>('messages');
  return {
    async write(all) {
      const documents = all.map((message) => toDocument(CLIENT_ID, message));
      await messages.insertMany(documents, { ordered: false });
    },
    close: () => client.close(),
  };
}

/** @param last the room shows it, and counts it as unread */
function roomOf(room: number, lastMessage: string, last: boolean): RoomUpdate {
  const clientLid = String(OTHERS + room);
  return {
    chatRoomId: roomIdOf(room),
    name: `Customer ${room}`,
    myLid: MY_LID,
    clientLid,
    isGroup: false,
    remoteJid: `${clientLid}@lid`,
    lastMessage,
    unread: last,
  };
}

function messageOf(room: number, turn: number, sentAt: number): HistoryMessage {
  const body = `message ${turn} of room ${room}, of about the length that people write to each other`;
  return {
    messageId: messageIdOf(room, turn),
    chatRoomId: roomIdOf(room),
    body,
    messageType: 'chat',
    fromMe: false,
    author: `${OTHERS + room}@lid`,
    pushname: `Customer ${room}`,
    sentAt,
    deleted: false,
    fromAi: false,
    media: undefined,
    fileId: '',
    extras: {},
    content: proto.Message.encode({ conversation: body }).finish(),
  };
}
