import { formatJid, parseJid } from '../../domain/address.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import { roomIdOf } from '../receive/parties.js';

export interface GroupRoomsOptions {
  store: Pick<Store, 'history'>;
  /** Undefined when there is no such session (any more). */
  recordOf(clientId: string): SessionRecord | undefined;
  /** Undefined when the network does not tell. */
  subjectOf(clientId: string, jid: string): Promise<string | undefined>;
  log: Logger;
}

/** The hosted rooms of groups: they follow the subjects. */
export class GroupRooms {
  readonly #options: GroupRoomsOptions;
  /** Rooms whose name is being brought up to date; true when it has to be done once more. */
  readonly #renaming = new Map<string, boolean>();

  constructor(options: GroupRoomsOptions) {
    this.#options = options;
  }

  /** One change comes seldom alone: while one is worked off, the others wait for one more look together. */
  changed(clientId: string, jid: string): void {
    const key = `${clientId} ${jid}`;
    const isUnderWay = this.#renaming.has(key);
    this.#renaming.set(key, isUnderWay);
    if (isUnderWay) return;
    void this.#rename(clientId, jid)
      .catch((err: unknown) =>
        this.#options.log.warn({ err, clientId, group: jid }, 'room of a group not renamed'),
      )
      .finally(() => {
        const isOutdated = this.#renaming.get(key);
        this.#renaming.delete(key);
        if (isOutdated) this.changed(clientId, jid);
      });
  }

  async #rename(clientId: string, jid: string): Promise<void> {
    const { store, recordOf, subjectOf } = this.#options;
    const session = recordOf(clientId);
    const group = parseJid(jid);
    if (!session?.orgId || group?.kind !== 'group') return;
    const chatRoomId = roomIdOf(session, group);
    const room = await store.history.room(clientId, chatRoomId);
    if (!room) return;
    const subject = await subjectOf(clientId, formatJid(group));
    if (subject && subject !== room.name)
      await store.history.updateRoom(clientId, chatRoomId, { name: subject });
  }
}
