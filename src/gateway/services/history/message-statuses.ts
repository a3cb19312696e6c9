import { parseJid } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import { MESSAGE_STATUSES } from '../../../domain/room.js';
import { sessionMessage } from '../../../domain/session-message.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { MessageProgress, MessageTrace, SessionRecord, Store } from '../../store/store.js';
import { roomIdOf } from '../identities/parties.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { StoreRetry } from '../store-retry.js';
import type { RoomChange } from './room-changes.js';
import { isRemembered } from './traces.js';

/** Messages whose status is cached: in a group every member sends a receipt for the same message. */
const CACHED = 20_000;
/** Rank of content that is no message of its own: higher than all statuses, so that none is written. */
const NO_MESSAGE = MESSAGE_STATUSES.length;

/**
 * Writes the status of own messages in the hosted inbox; in a group the furthest status of any member. `sent` is not
 * written: a stored message was sent. A receipt that names no known message is ignored, because anybody can send one.
 */
export class MessageStatuses implements SessionPart {
  readonly #options;
  /** The lowest possible rank of a message, by session and message. */
  readonly #ranks = boundedCache<number>(CACHED);
  /** The writes in flight, by session; `ended` is aborted when the session ends. */
  readonly #writing = new Map<string, { ended: AbortController; writes: Set<Promise<void>> }>();

  constructor(options: {
    store: Pick<Store, 'history' | 'traces' | 'sends'>;
    links: Pick<LinkFactory, 'decode'>;
    retry: StoreRetry;
    /** `settled` resolves when a message that is in flight is in the history. */
    inbound: { settled(clientId: string, messageId: string): Promise<void> };
    onRoomChange(change: RoomChange): void;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** The network reports a message's status. */
  note(session: SessionRecord, { messageId, status, at }: MessageProgress): void {
    if (!session.orgId || status === 'sent') return;
    const { clientId } = session;
    const writing = this.#writing.get(clientId) ?? { ended: new AbortController(), writes: new Set() };
    this.#writing.set(clientId, writing);
    const write = this.#note({ ...session }, { messageId, status, at }, writing.ended.signal)
      .catch((err: unknown) =>
        this.#options.log.warn({ err, clientId, messageId }, 'message status not written'),
      )
      .finally(() => {
        writing.writes.delete(write);
      });
    writing.writes.add(write);
  }

  /** Nothing is written for the session once this has resolved. */
  async end(clientId: string): Promise<void> {
    const writing = this.#writing.get(clientId);
    this.#writing.delete(clientId);
    writing?.ended.abort();
    await Promise.all(writing?.writes ?? []);
    for (const key of this.#ranks.keys()) if (key.startsWith(`${clientId} `)) this.#ranks.delete(key);
  }

  /** Writes the reported statuses: the network does not repeat them to the session's next owner. */
  async finish(clientId: string): Promise<void> {
    await this.idle(clientId);
  }

  /** Resolves when all reported statuses of one session, or of all sessions, are written. */
  async idle(clientId?: string): Promise<void> {
    const all = clientId === undefined ? [...this.#writing.values()] : [this.#writing.get(clientId)];
    await Promise.all(all.flatMap((writing) => [...(writing?.writes ?? [])]));
  }

  async #note(session: SessionRecord, progress: MessageProgress, ended: AbortSignal): Promise<void> {
    const { clientId } = session;
    const { messageId, status } = progress;
    const { store, retry, inbound, onRoomChange } = this.#options;
    const key = sessionMessage(clientId, messageId);
    const rank = MESSAGE_STATUSES.indexOf(status);
    const isFurther = () => rank > (this.#ranks.get(key) ?? -1);
    if (!isFurther()) return;
    await inbound.settled(clientId, messageId);
    const trace = await retry.run(() => store.traces.get(clientId, messageId));
    const isOwn = trace ? trace.fromMe : status !== 'failed' && (await this.#isSent(clientId, messageId));
    if (!isOwn) return;
    if (!isFurther()) return;
    const isNew = await retry.run(async () => !ended.aborted && store.history.advance(clientId, progress));
    if (isFurther()) this.#ranks.set(key, rank);
    const chatRoomId = isNew && roomOf(session, trace);
    if (chatRoomId) onRoomChange({ clientId, chatRoomId, messageId });
  }

  /** Whether the message was sent but has no trace, because of a crash between send and trace. */
  async #isSent(clientId: string, messageId: string): Promise<boolean> {
    const { store, retry, links } = this.#options;
    const sent = await retry.run(() => store.sends.get(clientId, messageId));
    if (!sent) return false;
    const isMessage = isRemembered({ content: links.decode(sent.content) });
    if (!isMessage) this.#ranks.set(sessionMessage(clientId, messageId), NO_MESSAGE);
    return isMessage;
  }
}

function roomOf(session: SessionRecord, trace: MessageTrace | undefined): string {
  const chat = parseJid(trace?.chat);
  return chat ? roomIdOf(session, chat) : '';
}
