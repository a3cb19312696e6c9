import { LRUCache } from 'lru-cache';
import { parseJid } from '../../domain/address.js';
import { MESSAGE_STATUSES } from '../../domain/message-status.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { MessageProgress, MessageTrace, SessionRecord, Store } from '../../store/store.js';
import { roomIdOf } from '../receive/parties.js';
import { isRemembered } from '../receive/read.js';
import type { StoreSteps } from '../store-steps.js';
import type { RoomChange } from './room-changes.js';

/** Messages whose status is kept at hand: in a group everybody tells of the same one. */
const CACHED = 20_000;
/** Stands for what is no message of its own: nothing is further. */
const NO_MESSAGE = MESSAGE_STATUSES.length;

export interface MessageStatusesOptions {
  store: Pick<Store, 'history' | 'traces' | 'sends'>;
  links: Pick<LinkFactory, 'decode'>;
  steps: StoreSteps;
  /** Resolves when a message is not on its way into the history (any more). */
  settled(clientId: string, messageId: string): Promise<void>;
  onRoomChange(change: RoomChange): void;
  log: Logger;
}

/** What is being written of a session. */
interface Writing {
  /** Nothing more is to be written. */
  ended: AbortController;
  writes: Set<Promise<void>>;
}

/**
 * How far the own messages of the hosted inbox have come; in a group the furthest that anyone has. A stored one was sent,
 * which needs no note. What names no known message is not noted: anybody can send receipts.
 */
export class MessageStatuses {
  readonly #options: MessageStatusesOptions;
  /** How far they have come at least: the rank, by session and message. */
  readonly #ranks = new LRUCache<string, number>({ max: CACHED });
  readonly #writing = new Map<string, Writing>();

  constructor(options: MessageStatusesOptions) {
    this.#options = options;
  }

  /** A session's message has come further, as the network tells. */
  note(session: SessionRecord, { messageId, status, at }: MessageProgress): void {
    if (!session.orgId || status === 'sent') return;
    const { clientId } = session;
    const writing = this.#writing.get(clientId) ?? { ended: new AbortController(), writes: new Set() };
    this.#writing.set(clientId, writing);
    const write = this.#note({ ...session }, { messageId, status, at }, writing.ended.signal)
      .catch((err: unknown) => this.#options.log.warn({ err, clientId, messageId }, 'status not noted'))
      .finally(() => {
        writing.writes.delete(write);
      });
    writing.writes.add(write);
  }

  /** The session is being deleted: nothing of it is written any more once this has resolved. */
  async end(clientId: string): Promise<void> {
    const writing = this.#writing.get(clientId);
    this.#writing.delete(clientId);
    writing?.ended.abort();
    await Promise.all(writing?.writes ?? []);
    for (const key of this.#ranks.keys()) if (key.startsWith(`${clientId} `)) this.#ranks.delete(key);
  }

  /** Resolves when all that was told is noted, of one session or of all. */
  async idle(clientId?: string): Promise<void> {
    const all = clientId === undefined ? [...this.#writing.values()] : [this.#writing.get(clientId)];
    await Promise.all(all.flatMap((writing) => [...(writing?.writes ?? [])]));
  }

  async #note(session: SessionRecord, progress: MessageProgress, ended: AbortSignal): Promise<void> {
    const { clientId } = session;
    const { messageId, status } = progress;
    const { store, steps, settled, onRoomChange } = this.#options;
    const key = `${clientId} ${messageId}`;
    const rank = MESSAGE_STATUSES.indexOf(status);
    const isFurther = () => rank > (this.#ranks.get(key) ?? -1);
    if (!isFurther()) return;
    await settled(clientId, messageId);
    const trace = await steps.run(() => store.traces.get(clientId, messageId));
    const isOwn = trace ? trace.fromMe : status !== 'failed' && (await this.#isSent(clientId, messageId));
    if (!isOwn) return;
    if (!isFurther()) return;
    const isNew = await steps.run(async () => !ended.aborted && store.history.advance(clientId, progress));
    if (isFurther()) this.#ranks.set(key, rank);
    const chatRoomId = isNew && roomOf(session, trace);
    if (chatRoomId) onRoomChange({ clientId, chatRoomId, messageId });
  }

  /** It was sent, and is not remembered yet: a crash came in between. */
  async #isSent(clientId: string, messageId: string): Promise<boolean> {
    const { store, steps, links } = this.#options;
    const sent = await steps.run(() => store.sends.get(clientId, messageId));
    if (!sent) return false;
    const isMessage = isRemembered({ content: links.decode(sent.content) });
    if (!isMessage) this.#ranks.set(`${clientId} ${messageId}`, NO_MESSAGE);
    return isMessage;
  }
}

function roomOf(session: SessionRecord, trace: MessageTrace | undefined): string {
  const chat = parseJid(trace?.chat);
  return chat ? roomIdOf(session, chat) : '';
}
