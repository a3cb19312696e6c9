import PQueue from 'p-queue';
import { type Address, parseJid } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { ChatSettings } from '../../../domain/room.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { Contacts } from '../identities/contacts.js';
import { roomIdOf } from '../identities/parties.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import { Interrupted, type StoreRetry } from '../store-retry.js';

/** Rooms, of all sessions together, whose settings wait because the room does not exist yet. */
const MAX_WAITING = 20_000;

/**
 * Writes the settings of chats (archived, muted, pinned) into the rooms of the hosted inbox: one at a time for each session,
 * in the order in which the devices of the account changed them. The settings of a chat without a room wait in memory for
 * its first message: after a pairing they arrive before the history, and perhaps before the session has a workspace.
 */
export class RoomSettings implements SessionPart {
  readonly #options;
  /** Keys name session and room. */
  readonly #waiting = boundedCache<ChatSettings>(MAX_WAITING);
  readonly #writing = new Map<string, { queue: PQueue; ended: AbortController }>();

  constructor(options: {
    store: Pick<Store, 'history'>;
    contacts: Pick<Contacts, 'find'>;
    retry: StoreRetry;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** Another device may have changed settings of a chat. */
  hear(heard: SessionEvent): void {
    if (heard.type !== 'link' || heard.event.type !== 'chat-changed') return;
    const { type, chat, ...settings } = heard.event;
    const address = parseJid(chat);
    if (address) void this.write(heard.session.record, address, settings);
  }

  /** Resolves when the settings are written; never rejects. */
  async write(session: SessionRecord, chat: Address, settings: ChatSettings): Promise<void> {
    const { queue, ended } = this.#writingOf(session.clientId);
    await queue.add(() => this.#write({ ...session }, chat, settings, ended.signal));
  }

  /** Writes the settings that have waited for the room; idempotent. @throws GatewayError store_unavailable */
  async roomExists(clientId: string, chatRoomId: string): Promise<void> {
    const settings = this.#waiting.get(keyOf(clientId, chatRoomId));
    if (settings) await this.#apply(clientId, chatRoomId, settings);
  }

  /** Nothing more is written for the session once this has resolved. */
  async end(clientId: string): Promise<void> {
    const writing = this.#writing.get(clientId);
    writing?.ended.abort();
    await writing?.queue.onIdle();
    for (const key of this.#waiting.keys())
      if (key.startsWith(keyOf(clientId, ''))) this.#waiting.delete(key);
  }

  /** Writes the reported settings: the network does not repeat them to the session's next owner. */
  async finish(clientId: string): Promise<void> {
    await this.#writing.get(clientId)?.queue.onIdle();
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#writing.values()].map(({ queue }) => queue.onIdle()));
  }

  #writingOf(clientId: string): { queue: PQueue; ended: AbortController } {
    const known = this.#writing.get(clientId);
    if (known) return known;
    const writing = { queue: new PQueue({ concurrency: 1 }), ended: new AbortController() };
    this.#writing.set(clientId, writing);
    writing.queue.once('idle', () => {
      if (this.#writing.get(clientId) === writing) this.#writing.delete(clientId);
    });
    return writing;
  }

  async #write(
    session: SessionRecord,
    chat: Address,
    settings: ChatSettings,
    ended: AbortSignal,
  ): Promise<void> {
    const { contacts, retry, log } = this.#options;
    const { clientId } = session;
    try {
      await retry.run(async () => {
        const contact = chat.kind === 'pn' ? await contacts.find(clientId, { pn: chat.user }) : undefined;
        const room = roomIdOf(session, contact?.lid ? { kind: 'lid', user: contact.lid } : chat);
        const key = keyOf(clientId, room);
        const merged = { ...this.#waiting.get(key), ...settings };
        // before the attempt to write, because the room may be created during it
        this.#waiting.set(key, merged);
        if (session.orgId) await this.#apply(clientId, room, merged);
      }, ended);
    } catch (err) {
      if (!(err instanceof Interrupted)) log.warn({ err, clientId }, 'settings of a chat not written');
    }
  }

  async #apply(clientId: string, chatRoomId: string, settings: ChatSettings): Promise<void> {
    const isWritten = await this.#options.store.history.updateRoom(clientId, chatRoomId, settings);
    const key = keyOf(clientId, chatRoomId);
    if (isWritten && this.#waiting.get(key) === settings) this.#waiting.delete(key);
  }
}

function keyOf(clientId: string, chatRoomId: string): string {
  return `${clientId} ${chatRoomId}`;
}
