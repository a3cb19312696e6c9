import { join } from 'node:path';
import { proto } from '@whiskeysockets/baileys';
import SqliteDatabase from 'better-sqlite3';
import { MongoClient } from 'mongodb';
import { formatRoomId } from '../../../src/domain/room.js';
import { encryptionKeyBytes } from '../../../src/gateway/config/secrets.js';
import { documentsOf } from '../../../src/gateway/store/mongo/documents.js';
import { openMongoBackend } from '../../../src/gateway/store/mongo/store.js';
import { MESSAGES } from '../../../src/gateway/store/port/history.js';
import { sealStore } from '../../../src/gateway/store/sealing/sealed-store.js';
import { sqliteMessages } from '../../../src/gateway/store/sqlite/messages.js';
import { openSqliteBackend } from '../../../src/gateway/store/sqlite/store.js';
import type { Backend, HistoryMessage, RoomUpdate } from '../../../src/gateway/store/store.js';
import { session } from '../../contracts/store/harness.js';

export const CLIENT_ID = 'bench';
const MY_LID = '90000000000001';
const BEGUN_AT = Date.UTC(2026, 0, 1);
/** Milliseconds between two messages of all rooms. */
const STEP_MS = 1_000;
/** Messages that are written at once: so many that each touched page of the tables takes several. */
const BATCH = 20_000;
/** KiB of pages that are held meanwhile. */
const CACHE_KIB = 256 * 1024;
const OTHERS = 90_000_000_000_002;

/** Where a store is, and with which key it is begun. */
export interface Place {
  /** `sqlite`, or the URL of a database. */
  url: string;
  dataDir: string;
  /** In hex. */
  encryptionKey: string;
}

/** How many messages each room has, and which rooms are read later: the messages of the others need not be readable. */
export interface Filling {
  messagesIn: readonly number[];
  readRooms: readonly number[];
}

/**
 * Fills the inbox of one session: a message to each room in turn, as they come, until each has its number. What a room shows
 * comes through the store's own door; the messages before it go past that, many at a time. Those that nobody reads are
 * copies of a sealed one, as long as their own would be: sealing a million takes minutes.
 */
export async function fillInbox(place: Place, { messagesIn, readRooms }: Filling): Promise<void> {
  const { backend, bulk } = await openBulk(place);
  const store = await sealStore(backend, encryptionKeyBytes(place.encryptionKey));
  const isRead = new Set(readRooms);
  try {
    await store.sessions.create(
      session(CLIENT_ID, { lid: MY_LID, status: 'logged_out', retentionDays: null }),
    );
    for (let turn = 0; turn < Math.max(...messagesIn); turn++) {
      for (const [room, count] of messagesIn.entries()) {
        if (turn >= count) continue;
        const at = placeOf(room, turn, messagesIn.length);
        if (turn < count - 1 && !isRead.has(room) && bulk.sealed) {
          await bulk.add({ ...bulk.sealed, ...at });
          continue;
        }
        const message = messageOf(room, turn, at);
        await store.history.record(CLIENT_ID, roomOf(room, message.body, turn === count - 1), message);
      }
    }
    await bulk.end();
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
interface Writer {
  write(messages: readonly HistoryMessage[]): Promise<void>;
  close(): Promise<void>;
}

/** Gathers messages and writes many at once. */
class Bulk {
  /** The last one that came sealed. */
  sealed: HistoryMessage | undefined;
  readonly #writer: Writer;
  #waiting: HistoryMessage[] = [];

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  async add(message: HistoryMessage): Promise<void> {
    this.#waiting.push(message);
    if (this.#waiting.length >= BATCH) await this.#write();
  }

  async end(): Promise<void> {
    await this.#write();
    await this.#writer.close();
  }

  async #write(): Promise<void> {
    const messages = this.#waiting;
    this.#waiting = [];
    if (messages.length > 0) await this.#writer.write(messages);
  }
}

async function openBulk(place: Place): Promise<{ backend: Backend; bulk: Bulk }> {
  const isSqlite = place.url === 'sqlite';
  const backend = await (isSqlite ? openSqliteBackend(place) : openMongoBackend(place));
  const bulk = new Bulk(isSqlite ? intoSqlite(place.dataDir) : intoMongo(place.url));
  const record: Backend['history']['record'] = async (clientId, room, message) => {
    if (room.unread) return backend.history.record(clientId, room, message);
    bulk.sealed = message;
    await bulk.add(message);
    return true;
  };
  return { backend: { ...backend, history: { ...backend.history, record } }, bulk };
}

/** Beside the store's own connection: both are of this process, and neither writes while the other one does. */
function intoSqlite(dataDir: string): Writer {
  const sqlite = new SqliteDatabase(join(dataDir, 'switchboard.db'));
  sqlite.pragma(`cache_size = -${CACHE_KIB}`);
  const messages = sqliteMessages({
    sqlite,
    run: (work) => work(),
    inTransaction: (work) => sqlite.transaction(work).immediate(),
    write: async (work) => work(),
    checkFile: () => undefined,
    close: () => sqlite.close(),
  });
  const insertAll = sqlite.transaction((all: readonly HistoryMessage[]) => {
    for (const message of all) messages.insert(CLIENT_ID, message, 'last');
  });
  return {
    write: async (all) => insertAll.immediate(all),
    async close() {
      sqlite.close();
    },
  };
}

function intoMongo(url: string): Writer {
  const client = new MongoClient(url);
  const messages = client.db().collection(MESSAGES.name);
  const { toFields } = documentsOf(MESSAGES);
  return {
    async write(all) {
      const documents = all.map((message) => ({ ...toFields(message), clientId: CLIENT_ID }));
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

type PlaceInRoom = Pick<HistoryMessage, 'messageId' | 'chatRoomId' | 'author' | 'sentAt'>;

function placeOf(room: number, turn: number, rooms: number): PlaceInRoom {
  return {
    messageId: messageIdOf(room, turn),
    chatRoomId: roomIdOf(room),
    author: `${OTHERS + room}@lid`,
    sentAt: BEGUN_AT + (turn * rooms + room) * STEP_MS,
  };
}

function messageOf(room: number, turn: number, place: PlaceInRoom): HistoryMessage {
  const body = `message ${turn} of room ${room}, of about the length that people write to each other`;
  return {
    ...place,
    body,
    messageType: 'chat',
    fromMe: false,
    pushname: `Customer ${room}`,
    deleted: false,
    fromAi: false,
    media: undefined,
    fileId: '',
    extras: {},
    content: proto.Message.encode({ conversation: body }).finish(),
  };
}
