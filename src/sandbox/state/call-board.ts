import { randomBytes } from 'node:crypto';
import type { CallView } from '../../contract/sandbox/index.js';
import type { Account } from './account.js';
import type { Chat } from './directory.js';

const CALL_ID_BYTES = 16;

/** A call; it ends for all called people at once, as one between two people does. */
export interface Call {
  id: string;
  caller: Account;
  chat: Chat;
  called: Account[];
  video: boolean;
  /** Seconds since the epoch. */
  timestamp: number;
  status: CallView['status'];
  rejectedBy?: CallView['rejectedBy'];
}

/** All calls since the sandbox started. */
export class CallBoard {
  readonly #calls = new Map<string, Call>();

  add(facts: Omit<Call, 'id' | 'status' | 'rejectedBy'>): Call {
    const id = randomBytes(CALL_ID_BYTES).toString('hex').toUpperCase();
    const call: Call = { id, status: 'ringing', ...facts };
    this.#calls.set(id, call);
    return call;
  }

  get(id: string): Call | undefined {
    return this.#calls.get(id);
  }

  /** The calls that a person made or got, oldest first. */
  of(person: Account): CallView[] {
    return [...this.#calls.values()]
      .filter(({ caller, called }) => caller === person || called.includes(person))
      .map(viewOf);
  }
}

export function viewOf({ id, caller, chat, video, status, rejectedBy, timestamp }: Call): CallView {
  return {
    callId: id,
    from: caller.number,
    to: chat.chatId,
    video,
    status,
    rejectedBy,
    timestamp,
  };
}
