import { setImmediate } from 'node:timers/promises';
import { isGatewayError } from '../../../domain/errors.js';
import type { Logger } from '../../log.js';
import { SESSIONS } from '../port/sessions.js';
import type {
  Backend,
  BackendHistory,
  BackendRoom,
  FileStore,
  HistoryStore,
  KeyStore,
  LeaseStore,
  RoomRecord,
  SessionRecord,
  SessionStore,
  Store,
  StoredSession,
} from '../store.js';
import { damagedDelivery, damagedFile, damagedHeld, damagedMessage, damagedRoom } from './damaged.js';
import { openDataKeys, ownKey } from './data-keys.js';
import {
  openFields,
  openMessage,
  SEALED,
  sealFields,
  sealMessage,
  sealRights,
  withoutSealed,
} from './fields.js';
import { knownKeys } from './known-keys.js';
import { sealedMethods } from './methods.js';
import { SealedRecords } from './records.js';
import { cachedSealers, type Sealer, type Sealers } from './sealer.js';

/** Milliseconds for which a data key is cached if other nodes can delete its session. */
const CACHED_MS = 5_000;
/** Sessions of a list that are decrypted before other work goes on: each takes about 0.05 ms. */
const OPENED_AT_ONCE = 200;

/** A store whose secrets are encrypted at rest. */
export interface SealedStore extends Store {
  /** 32 bytes that key the hashes of API secrets; a change of the encryption key does not change them. */
  readonly hashKey: Uint8Array;
}

/**
 * Encrypts the fields in `SEALED` on their way into a back end and decrypts them on their way out, with the data key of
 * their session.
 *
 * @param encryptionKey 32 bytes; wraps the data keys
 * @param log is told of rows that were changed or moved: lists leave them out
 * @throws GatewayError `encryption_key_wrong` if the store was created with another key; nothing is changed
 */
export async function sealStore(
  backend: Backend,
  encryptionKey: Uint8Array,
  log?: Logger,
): Promise<SealedStore> {
  const dataKeys = await openDataKeys(backend.dataKeys, encryptionKey);
  const sealers = cachedSealers(dataKeys, backend.cluster ? CACHED_MS : Number.POSITIVE_INFINITY);
  const records = new SealedRecords(sealers, log);
  const { put, add, find, get, list, page } = sealedMethods(records);
  if (!dataKeys.rightsSealed) {
    for (const { clientId } of await backend.sessions.list()) await sealRightsOf(clientId, backend, sealers);
    await dataKeys.noteRightsSealed();
  }
  // of a store with nodes another one may write the keys
  const sealed = sealedKeys(backend.keys, sealers);
  const known = backend.cluster ? undefined : knownKeys(sealed);
  const {
    cluster,
    journal,
    sends,
    traces,
    pictures,
    idempotency,
    failedDeliveries,
    waitingDeliveries,
    keptEvents,
  } = backend;
  return {
    name: backend.name,
    hashKey: await ownKey(dataKeys, 'hashes'),
    cluster: cluster && { ...cluster, leases: dropOnClaim(cluster.leases, sealers) },
    sessions: sealedSessions(backend.sessions, sealers, records),
    keys: known?.keys ?? sealed,
    journal: {
      ...journal,
      get: find(SEALED.journal, journal.get),
      ofMessage: list(SEALED.journal, journal.ofMessage),
      since: list(SEALED.journal, journal.since),
      open: list(SEALED.journal, journal.open),
    },
    // neither contacts nor expected files have a sealed field
    contacts: backend.contacts,
    expectedFiles: backend.expectedFiles,
    versions: backend.versions,
    sends: {
      ...sends,
      put: put(SEALED.sends, sends.put),
      get: async (clientId, id) => {
        const found = await sends.get(clientId, id);
        return found && records.sent(clientId, found);
      },
      open: async (clientId) => records.allSent(clientId, await sends.open(clientId)),
      held: page(SEALED.sends, sends.held, damagedHeld),
    },
    idempotency: {
      ...idempotency,
      async claim(clientId, record) {
        const sealed = await records.seal(clientId, SEALED.idempotency, record);
        return records.open(clientId, SEALED.idempotency, await idempotency.claim(clientId, sealed));
      },
      async answer(clientId, key, answer) {
        const sealed = await records.seal(clientId, SEALED.idempotency, { key, answer });
        await idempotency.answer(clientId, key, sealed.answer);
      },
    },
    traces: {
      ...traces,
      add: put(SEALED.traces, traces.add),
      get: find(SEALED.traces, traces.get),
    },
    history: sealedHistory(backend.history, sealers, records),
    files: sealedFiles(backend.files, records),
    pictures: { get: find(SEALED.pictures, pictures.get), put: put(SEALED.pictures, pictures.put) },
    failedDeliveries: {
      ...failedDeliveries,
      add: add(SEALED.failedDeliveries, failedDeliveries.add),
      list: async (filter) =>
        records.each(SEALED.failedDeliveries, await failedDeliveries.list(filter), damagedDelivery),
      get: get(SEALED.failedDeliveries, failedDeliveries.get),
    },
    waitingDeliveries: {
      ...waitingDeliveries,
      add: add(SEALED.waitingDeliveries, waitingDeliveries.add),
      get: get(SEALED.waitingDeliveries, waitingDeliveries.get),
    },
    keptEvents: {
      ...keptEvents,
      add: add(SEALED.keptEvents, keptEvents.add),
      get: find(SEALED.keptEvents, keptEvents.get),
    },
    ping: () => backend.ping(),
    async forget(clientId) {
      await backend.forget(clientId);
      sealers.drop(clientId);
      known?.drop(clientId);
    },
    async close() {
      await backend.close();
      known?.close();
    },
  };
}

function sealedSessions(sessions: SessionStore, sealers: Sealers, records: SealedRecords): SessionStore {
  return {
    async create(record) {
      const sealed = await records.seal(record.clientId, SEALED.sessions, record);
      return records.open(record.clientId, SEALED.sessions, await sessions.create(sealed));
    },
    async get(clientId) {
      const found = await sessions.get(clientId);
      return found && openSession(sealers.of(clientId), found);
    },
    async list() {
      const found = await sessions.list();
      await sealers.readAhead(found.map(({ clientId }) => clientId));
      // taken before other work goes on: otherwise a session deleted meanwhile would get a new data key
      const sealed = found.map((record) => ({ record, sealer: sealers.of(record.clientId) }));
      await Promise.allSettled(sealed.map(({ sealer }) => sealer));
      const opened: StoredSession[] = [];
      for (const { record, sealer } of sealed) {
        opened.push(await openSession(sealer, record));
        if (opened.length % OPENED_AT_ONCE === 0) await setImmediate();
      }
      return opened;
    },
    async update(clientId, changes) {
      if (!(await sessions.get(clientId))) return undefined;
      const sealed = await records.seal(clientId, SEALED.sessions, changes);
      return records.found(clientId, SEALED.sessions, await sessions.update(clientId, sealed));
    },
  };
}

/** Seals what an earlier release left open in a session. Without its data key the session stays damaged. */
async function sealRightsOf(clientId: string, { sessions }: Backend, sealers: Sealers): Promise<void> {
  const record = await sessions.get(clientId);
  try {
    if (record) await sessions.update(clientId, sealRights(await sealers.of(clientId), record));
  } catch (error) {
    if (!isGatewayError(error, 'store_damaged')) throw error;
  }
}

/** A session whose texts do not open waits for an operator, and the others are not affected. */
async function openSession(sealer: Promise<Sealer>, record: SessionRecord): Promise<StoredSession> {
  try {
    return openFields(await sealer, SEALED.sessions, record);
  } catch (error) {
    if (!isGatewayError(error, 'store_damaged')) throw error;
    return { ...withoutSealed(SESSIONS, record), damage: error.message };
  }
}

/** Journal entries are committed together with the keys, so they are sealed here too. */
function sealedKeys(keys: KeyStore, sealers: Sealers): KeyStore {
  return {
    ...keys,
    async credentials(clientId) {
      const credentials = await keys.credentials(clientId);
      if (!credentials) return undefined;
      return openFields(await sealers.of(clientId), SEALED.credentials, { credentials }).credentials;
    },
    async get(clientId, type, ids) {
      const found = await keys.get(clientId, type, ids);
      if (found.size === 0) return found;
      const sealer = await sealers.of(clientId);
      for (const [id, value] of found) {
        found.set(id, openFields(sealer, SEALED.keys, { type, id, value }).value);
      }
      return found;
    },
    async page(clientId, after, limit) {
      const found = await keys.page(clientId, after, limit);
      if (found.length === 0) return found;
      const sealer = await sealers.of(clientId);
      return found.map((key) => openFields(sealer, SEALED.keys, key));
    },
    async commit(clientId, commit) {
      const sealer = await sealers.of(clientId);
      const { keys: changes, journal, ...rest } = sealFields(sealer, SEALED.credentials, commit);
      await keys.commit(clientId, {
        ...rest,
        keys: changes?.map((change) => sealFields(sealer, SEALED.keys, change)),
        journal: journal?.map((entry) => sealFields(sealer, SEALED.journal, entry)),
      });
    },
  };
}

function sealedHistory(history: BackendHistory, sealers: Sealers, records: SealedRecords): HistoryStore {
  const { put, list } = sealedMethods(records);
  return {
    ...history,
    async record(clientId, room, message, place) {
      const sealer = await sealers.of(clientId);
      const named = { ...room, lastMessageId: message.messageId };
      const { lastMessageId: _, ...sealedRoom } = sealFields(sealer, SEALED.rooms, named);
      return history.record(clientId, sealedRoom, sealMessage(sealer, message), place);
    },
    async message(clientId, chatRoomId, messageId) {
      const message = await history.message(clientId, chatRoomId, messageId);
      return message && openMessage(await sealers.of(clientId), message);
    },
    async update(clientId, message) {
      if (!(await history.message(clientId, message.chatRoomId, message.messageId))) return false;
      return history.update(clientId, sealMessage(await sealers.of(clientId), message));
    },
    async messages(clientId, chatRoomId, page) {
      const found = await history.messages(clientId, chatRoomId, page);
      return records.map(clientId, found, openMessage, damagedMessage);
    },
    async oldest(clientId, chatRoomId, limit) {
      const found = await history.oldest(clientId, chatRoomId, limit);
      return records.map(clientId, found, openMessage, damagedMessage);
    },
    async rooms(clientId) {
      const found = await history.rooms(clientId);
      const rooms = await records.page(clientId, SEALED.rooms, found, damagedRoom);
      return rooms.map(withoutMessageId);
    },
    async room(clientId, chatRoomId) {
      const room = await records.found(clientId, SEALED.rooms, await history.room(clientId, chatRoomId));
      return room && withoutMessageId(room);
    },
    async updateRoom(clientId, chatRoomId, changes) {
      if (changes.name === undefined) return history.updateRoom(clientId, chatRoomId, changes);
      if (!(await history.room(clientId, chatRoomId))) return false;
      const named = { chatRoomId, name: changes.name };
      const { name } = await records.seal(clientId, SEALED.rooms, named);
      return history.updateRoom(clientId, chatRoomId, { ...changes, name });
    },
    async rekey(clientId, move) {
      const sealer = await sealers.of(clientId);
      return history.rekey(clientId, {
        ...move,
        // sealed values are bound to their room: open them, convert them, seal them again
        room: (room) => sealFields(sealer, SEALED.rooms, move.room(openFields(sealer, SEALED.rooms, room))),
        message: (message) => sealMessage(sealer, move.message(openMessage(sealer, message))),
        pending: (pending) =>
          sealFields(
            sealer,
            SEALED.pendingChanges,
            move.pending(openFields(sealer, SEALED.pendingChanges, pending)),
          ),
      });
    },
    addPending: put(SEALED.pendingChanges, history.addPending),
    pending: list(SEALED.pendingChanges, history.pending),
  };
}

function withoutMessageId({ lastMessageId: _, ...room }: BackendRoom): RoomRecord {
  return room;
}

/** File names and captions are sealed; the bytes are stored as they are. */
function sealedFiles(files: FileStore, records: SealedRecords): FileStore {
  const { find, get } = sealedMethods(records);
  return {
    ...files,
    async write(file, source) {
      try {
        const sealed = await records.seal(file.clientId, SEALED.files, file);
        return await records.open(file.clientId, SEALED.files, await files.write(sealed, source));
      } finally {
        source.destroy();
      }
    },
    get: get(SEALED.files, files.get),
    ofMessage: find(SEALED.files, files.ofMessage),
    async open(id, range) {
      const found = await files.open(id, range);
      if (!found) return undefined;
      try {
        const record = await records.open(found.record.clientId, SEALED.files, found.record);
        return { record, stream: found.stream };
      } catch (error) {
        found.stream.destroy();
        throw error;
      }
    },
    async list(clientId, page) {
      const { files: found, total } = await files.list(clientId, page);
      return { files: await records.each(SEALED.files, found, damagedFile), total };
    },
  };
}

/** Reads the data key again after a claim: another node may have deleted the session and created it anew. */
function dropOnClaim(leases: LeaseStore, sealers: Sealers): LeaseStore {
  return {
    ...leases,
    async claim(clientId, nodeId, lastsMs) {
      const epoch = await leases.claim(clientId, nodeId, lastsMs);
      if (epoch !== undefined) sealers.drop(clientId);
      return epoch;
    },
  };
}
