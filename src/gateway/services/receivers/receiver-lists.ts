import { KeyedLock } from '../../../domain/keyed-lock.js';
import { PAUSES, type PauseCode } from '../../../domain/pauses.js';
import type { Receiver } from '../../delivery/dispatch.js';
import type { CalledReceiver } from '../../delivery/job.js';
import type { SessionRecord } from '../../store/store.js';
import {
  isRemovedFrom,
  otherReceiverOf,
  type ReceiverList,
  readReceivers,
  type StoredReceiver,
  writeReceivers,
} from '../sessions/receiver-list.js';
import { receiverOf } from './announce.js';

/** The receivers of the sessions that this node holds, as their records name them. */
export class ReceiverLists {
  readonly #sessions;
  /** One lock per session, because each change writes the whole list. */
  readonly #lock = new KeyedLock();

  constructor(sessions: {
    has(clientId: string): boolean;
    /** @throws session_unknown */
    find(clientId: string): {
      record: SessionRecord;
      update(changes: { receivers: string }): Promise<void>;
    };
    pauseWebhook(clientId: string, url: string, code: PauseCode): Promise<void>;
  }) {
    this.#sessions = sessions;
  }

  /** The receiver with this id, or the webhook without an id; undefined if there is none, or this node does not hold the session. */
  receiverOf(clientId: string, receiverId?: string): Receiver | undefined {
    if (!this.#sessions.has(clientId)) return undefined;
    const { record } = this.#sessions.find(clientId);
    return receiverId === undefined ? receiverOf(record) : otherReceiverOf(record, receiverId);
  }

  /** True if this node holds the session and the receiver was removed. */
  isRemoved(clientId: string, receiverId: string): boolean {
    return this.#sessions.has(clientId) && isRemovedFrom(this.#sessions.find(clientId).record, receiverId);
  }

  /** Whether a failed delivery still has a session here and a receiver. */
  lives({ clientId, receiver }: { clientId: string; receiver?: string | undefined }): boolean {
    if (!this.#sessions.has(clientId)) return false;
    return receiver === undefined || !this.isRemoved(clientId, receiver);
  }

  /** Pauses a receiver because of its answer to a call. Does nothing if it was removed or its URL changed meanwhile. */
  async pause({ clientId, receiverId, url: calledUrl }: CalledReceiver, code: PauseCode): Promise<void> {
    if (receiverId === undefined) return this.#sessions.pauseWebhook(clientId, calledUrl, code);
    const isCalled = ({ id, url }: StoredReceiver) => id === receiverId && url === calledUrl;
    await this.change(clientId, ({ lastId, receivers }) => {
      if (!receivers.some(isCalled)) return undefined;
      return {
        lastId,
        receivers: receivers.map((one) => (isCalled(one) ? { ...one, ...pauseOf(code) } : one)),
      };
    });
  }

  /**
   * Changes the receivers beside the webhook.
   * @param change returns the changed list; undefined to keep it
   * @returns the list as it is now
   */
  change(clientId: string, change: (list: ReceiverList) => ReceiverList | undefined): Promise<ReceiverList> {
    return this.#lock.run(clientId, async () => {
      const session = this.#sessions.find(clientId);
      const before = readReceivers(session.record.receivers);
      const after = change(before);
      if (after) await session.update({ receivers: writeReceivers(after) });
      return after ?? before;
    });
  }
}

/** The fields of a receiver that say why it is paused. */
export function pauseOf(code: PauseCode | undefined): Pick<StoredReceiver, 'paused' | 'pauseCode'> {
  return { paused: code ? PAUSES[code] : '', pauseCode: code };
}
