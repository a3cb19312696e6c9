import { formatJid, parseJid } from '../../../domain/address.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { formatRoomId } from '../../../domain/room.js';
import type { Logger } from '../../log.js';
import type { HistoryMessage, SessionRecord, Store } from '../../store/store.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { StoreRetry } from '../store-retry.js';
import type { Contacts } from './contacts.js';
import { pnJid } from './parties.js';
import type { Pictures } from './pictures.js';
import {
  type KnownPair,
  type PersonRoom,
  type RoomRename,
  renamedExtras,
  renamedTo,
  renameOf,
  roomRename,
  usersIn,
} from './stored-names.js';

/**
 * Keeps one room for each person. The room's id holds the person's LID. While only the phone number is known, it holds the
 * number; as soon as the LID is learnt, from whatever source, the room is renamed in one step.
 */
export class PersonRooms implements SessionPart {
  readonly #options;
  /** One lock per number: blocks writes to a room while it is renamed. */
  readonly #locks = new KeyedLock();

  constructor(options: {
    store: Pick<Store, 'history' | 'traces'>;
    contacts: Contacts;
    retry: StoreRetry;
    /** Undefined when this node does not have the session. */
    recordOf(clientId: string): SessionRecord | undefined;
    pictures: Pick<Pictures, 'moved'>;
    rows: {
      /** Applies the changes that waited for messages of a room that was merged into this one. */
      applyPendingIn(clientId: string, chatRoomId: string): Promise<void>;
    };
    log: Logger;
  }) {
    this.#options = options;
    options.contacts.onPair = (clientId, pair) => this.#onPair(clientId, pair);
  }

  /**
   * Runs work that writes to a room, while holding the room's lock. Passes how the room was renamed, if it was.
   */
  locked<T>(
    clientId: string,
    { chatRoomId, remoteJid }: Pick<PersonRoom, 'chatRoomId' | 'remoteJid'>,
    work: (rename: RoomRename | undefined) => Promise<T>,
  ): Promise<T> {
    const remote = parseJid(remoteJid);
    if (remote?.kind !== 'pn') return work(undefined);
    return this.#locks.run(lockOf(clientId, remote.user), async () =>
      work(await renameOf(clientId, chatRoomId, remote.user, this.#options)),
    );
  }

  /** The names of an event's conversation as they are now, if its room was renamed after the event was composed. */
  async current<Named extends PersonRoom & { clientId: string }>(named: Named): Promise<Named> {
    const remote = parseJid(named.remoteJid);
    if (remote?.kind !== 'pn') return named;
    const rename = await renameOf(named.clientId, named.chatRoomId, remote.user, this.#options);
    return rename ? { ...named, ...rename.named } : named;
  }

  /** The new id of a room that was renamed; undefined when it was not. */
  renamedTo(chatRoomId: string): Promise<string | undefined> {
    return renamedTo(chatRoomId, this.#options);
  }

  /**
   * Replaces the numbers in messages of a group by the LIDs that were learnt since. A chat of two needs none of this: its
   * messages are rewritten when its room is renamed.
   */
  async withLids(clientId: string, messages: readonly HistoryMessage[]): Promise<HistoryMessage[]> {
    const users = new Set(messages.flatMap(({ extras }) => (extras.group ? usersIn(extras) : [])));
    const pairs = (await Promise.all([...users].map((user) => this.#pairOf(clientId, user)))).flat();
    if (pairs.length === 0) return [...messages];
    return messages.map((message) =>
      message.extras.group ? { ...message, extras: pairs.reduce(renamedExtras, message.extras) } : message,
    );
  }

  /** Renames the rooms that a crash left with a number although the LID is known. */
  async resume(clientId: string): Promise<void> {
    for (const { chatRoomId, remoteJid } of await this.#options.store.history.roomsByNumber(clientId)) {
      const remote = parseJid(remoteJid);
      if (remote?.kind !== 'pn') continue;
      const rename = await renameOf(clientId, chatRoomId, remote.user, this.#options);
      if (rename) await this.#tryRename(clientId, remote.user, rename);
    }
  }

  /** Empty when `user` is a LID, or a number whose LID is not known. */
  async #pairOf(clientId: string, user: string): Promise<KnownPair[]> {
    const { contacts } = this.#options;
    if (await contacts.find(clientId, { lid: user })) return [];
    const lid = (await contacts.find(clientId, { pn: user }))?.lid;
    return lid ? [{ lid, pn: user }] : [];
  }

  /** Renames the room of a person whose LID and number are both known now. Never rejects: `resume` repeats a failed rename. */
  async #onPair(clientId: string, { lid, pn }: KnownPair): Promise<void> {
    const session = this.#options.recordOf(clientId);
    if (!session) return;
    const from = formatRoomId({ clientId, myLid: session.lid, other: pn });
    await this.#tryRename(clientId, pn, roomRename(from, { lid, pn }));
  }

  /** Never rejects. */
  async #tryRename(clientId: string, pn: string, rename: RoomRename): Promise<void> {
    await this.#rename(clientId, pn, rename).catch((err: unknown) =>
      this.#options.log.warn({ err, clientId }, 'room not renamed to the LID; the next start repeats it'),
    );
  }

  #rename(clientId: string, pn: string, rename: RoomRename): Promise<void> {
    const { store, retry, pictures, rows, log } = this.#options;
    return this.#locks.run(lockOf(clientId, pn), () =>
      retry.run(async () => {
        const { remoteJid } = rename.named;
        await store.traces.rekey(clientId, pnJid(pn), remoteJid);
        const isRenamed = await store.history.rekey(clientId, rename);
        await rows.applyPendingIn(clientId, rename.to);
        if (!isRenamed) return;
        log.info({ clientId, room: rename.to }, 'room renamed to the LID of its person');
        await pictures.moved(clientId, pnJid(pn), remoteJid);
      }),
    );
  }
}

function lockOf(clientId: string, pn: string): string {
  return `${clientId} ${formatJid({ kind: 'pn', user: pn })}`;
}
