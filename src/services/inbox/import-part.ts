import { setImmediate } from 'node:timers/promises';
import type { HistoricMessage, HistoricPerson, HistoryPart } from '../../link/port/history.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import { isStillToDo } from '../store-steps.js';
import { MessageImport, type MessageImportOptions, type PastOf } from './import-message.js';

/** Chats whose messages are written at the same time: a store on another machine answers late, but answers many. */
const CHATS_AT_ONCE = 4;

export interface PartImportOptions extends MessageImportOptions {
  log: Logger;
}

/** Whose past is taken in. Its record is read anew whenever it counts. */
export interface ImportingSession {
  readonly clientId: string;
  readonly record: SessionRecord;
}

/** What is to be known of the part beside what it says. */
export interface PartContext extends Pick<PastOf, 'unread' | 'resumed' | 'signal'> {
  /** Told of each message that was new. */
  onAdded(): void;
}

/** Takes one part of the past into the hosted history. Doing it twice changes nothing more. */
export class PartImport {
  readonly #options: PartImportOptions;
  readonly #messages: MessageImport;

  constructor(options: PartImportOptions) {
    this.#options = options;
    this.#messages = new MessageImport(options);
  }

  /**
   * Resolves when all of it is in the history, or nothing of it is wanted (any more).
   * @throws what reading the part fails with; GatewayError store_unavailable after the stop, session_elsewhere
   */
  async take(session: ImportingSession, part: HistoryPart, context: PartContext): Promise<void> {
    const { signal } = context;
    if (!isKept(session.record, part)) return;
    for await (const { people, messages } of part.batches(signal)) {
      // the workspace may be taken away meanwhile, or the number linked anew
      if (signal.aborted || !isKept(session.record, part)) return;
      const of = { ...context, session: { ...session.record } };
      await this.#learn(people, of);
      await this.#write(messages, of);
    }
  }

  async #learn(people: readonly HistoricPerson[], { session, signal }: PastOf): Promise<void> {
    const { contacts, steps } = this.#options;
    for (const person of people) {
      // a store that answers at once would otherwise keep everybody else waiting
      await setImmediate();
      if (signal.aborted) return;
      await steps.run(() => contacts.learn(session.clientId, { ...person, source: 'history' }));
    }
  }

  /** A few chats side by side, the messages of each one after another: their order counts. */
  async #write(messages: readonly HistoricMessage[], of: PastOf & PartContext): Promise<void> {
    const chats = byChat(messages).values();
    const lane = async () => {
      for (const chat of chats) for (const message of chat) await this.#writeOne(message, of);
    };
    const lanes = await Promise.allSettled(Array.from({ length: CHATS_AT_ONCE }, lane));
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  }

  async #writeOne(message: HistoricMessage, of: PastOf & PartContext): Promise<void> {
    await setImmediate();
    if (of.signal.aborted) return;
    try {
      if (await this.#messages.take(message, of)) of.onAdded();
    } catch (err) {
      if (isStillToDo(err)) throw err;
      const names = { clientId: of.session.clientId, messageId: message.messageId };
      this.#options.log.error({ err, ...names }, 'message of the past not written to the history');
    }
  }
}

/** A history is kept for the account that it is of, and only in a workspace. */
function isKept({ orgId, lid, pn }: SessionRecord, { account }: HistoryPart): boolean {
  const isSame = (!account.pn || account.pn === pn) && (!account.lid || account.lid === lid);
  return orgId !== '' && isSame;
}

function byChat(messages: readonly HistoricMessage[]): Map<string, HistoricMessage[]> {
  const chats = new Map<string, HistoricMessage[]>();
  for (const message of messages) {
    const chat = chats.get(message.chat);
    if (chat) chat.push(message);
    else chats.set(message.chat, [message]);
  }
  return chats;
}
