import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { HistoryProgress } from '../../../contract/index.js';
import { type Clock, wait } from '../../../domain/clock.js';
import { isGatewayError } from '../../../domain/errors.js';
import { pauseAfter } from '../../../domain/retry.js';
import type { HistoricMessage, HistoricPerson, HistoryPart } from '../../link/history.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Place, SessionRecord, Store } from '../../store/store.js';
import type { Contacts } from '../identities/contacts.js';
import { bindKeys } from '../sessions/link-steps.js';
import type { SessionEvent } from '../sessions/session.js';
import type { HistoryAnswer } from '../sessions/session-context.js';
import type { SessionPart, SessionParts } from '../sessions/session-parts.js';
import { isStillToDo, type StoreRetry } from '../store-retry.js';
import { keptSince } from './kept-since.js';
import { type ImportContext, PastMessages, UnreadMarks } from './past-messages.js';
import type { Recorder } from './recorder.js';
import type { StoredRows } from './stored-rows.js';

/** Parts that are read at the same time, of all sessions together: each holds a few megabytes. */
const PARTS_AT_ONCE = 2;
/** Chats of a part whose messages are written at the same time: hides the latency of a remote store. */
const CHATS_AT_ONCE = 4;
/** Repetitions of a part that could not be downloaded; after the last one the next start tries again. */
const RETRY = { pausesMs: [1_000, 5_000, 30_000, 120_000], endless: false } as const;

/** The import of one session. */
interface Import {
  /** `record` changes with the session: read it each time. */
  session: { readonly clientId: string; readonly record: SessionRecord };
  /** Journal entries of the parts that wait. `resumed`: an earlier run may have imported some messages of the part. */
  waiting: { journalId: string; resumed: boolean }[];
  /** The import in flight; undefined while nothing is imported. */
  work: Promise<void> | undefined;
  /** False while the import has kept only the tokens of its parts. */
  isKept: boolean;
  unread: UnreadMarks;
  progress: HistoryProgress;
  ended: AbortController;
}

/**
 * Imports the past that a phone sends to a newly linked device into the hosted history: the parts of a session one after
 * another, a few sessions at a time, and message by message, so that live messages go first. A part's journal entry is
 * closed when the whole part is in the history; after an interruption the import begins again with that part.
 */
export class HistoryImports implements SessionPart {
  readonly #options;
  readonly #messages: PastMessages;
  readonly #queue = new PQueue({ concurrency: PARTS_AT_ONCE });
  readonly #imports = new Map<string, Import>();

  constructor(options: {
    store: Pick<Store, 'journal' | 'history' | 'traces' | 'keys'>;
    links: Pick<LinkFactory, 'history' | 'encode'>;
    recorder: Pick<Recorder, 'add'>;
    rows: Pick<StoredRows, 'amend'>;
    contacts: Contacts;
    retry: StoreRetry;
    /** Days after which messages are deleted, unless a session says otherwise; 0 for never. */
    retentionDays: number;
    /** Hear of each part of the history that was taken in, even if only its tokens were kept. */
    parts: Pick<SessionParts, 'tell'>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#messages = new PastMessages(options);
  }

  /**
   * Queues a part.
   * @param resumed an earlier run of the daemon left it open
   */
  take(session: Import['session'], journalId: string, resumed = false): void {
    const imported = this.#imports.get(session.clientId) ?? this.#begin(session);
    // the network announces a part again if the connection was lost before the acknowledgement
    if (imported.waiting.some((waiting) => waiting.journalId === journalId)) return;
    imported.waiting.push({ journalId, resumed });
    imported.work ??= this.#work(imported);
  }

  hear(heard: SessionEvent): void {
    if (heard.type === 'link' && heard.event.type === 'history')
      this.take(heard.session, heard.event.journalId);
  }

  /** The progress of a session's import; nothing when no part was announced in this run, or none is kept. */
  health(clientId: string): { history?: HistoryProgress } {
    const imported = this.#imports.get(clientId);
    return imported?.isKept ? { history: { ...imported.progress } } : {};
  }

  /** Another number may be linked: drops the progress of the former one. */
  reset(clientId: string): void {
    if (!this.#imports.get(clientId)?.work) this.#imports.delete(clientId);
  }

  /** Aborts a session's import. Nothing is written once this has resolved. */
  async end(clientId: string): Promise<void> {
    const imported = this.#imports.get(clientId);
    this.#imports.delete(clientId);
    imported?.ended.abort();
    await imported?.work;
  }

  /** Aborts all imports; the next start continues them. */
  async stop(): Promise<void> {
    await Promise.all([...this.#imports.keys()].map((clientId) => this.end(clientId)));
  }

  /** Resolves when no part waits. */
  async idle(): Promise<void> {
    for (;;) {
      const works = [...this.#imports.values()].flatMap(({ work }) => work ?? []);
      if (works.length === 0) return;
      await Promise.all(works);
    }
  }

  #begin(session: Import['session']): Import {
    const { clientId } = session;
    const { store, retry } = this.#options;
    const imported: Import = {
      session,
      waiting: [],
      work: undefined,
      isKept: false,
      unread: new UnreadMarks({ history: store.history, retry, clientId }),
      progress: { progress: 0, messages: 0 },
      ended: new AbortController(),
    };
    this.#imports.set(clientId, imported);
    return imported;
  }

  async #work(imported: Import): Promise<void> {
    const { waiting, ended } = imported;
    for (let next = waiting[0]; next && !ended.signal.aborted; next = waiting[0]) {
      await this.#untilImported(imported, next);
      waiting.shift();
    }
    // in the same step as the last check of the queue, so that a part added now starts a new import
    imported.work = undefined;
  }

  /** Resolves when a part is in the history, or is left to the next start of the daemon. */
  async #untilImported(imported: Import, part: Import['waiting'][number]): Promise<void> {
    for (let failures = 1; ; failures++) {
      const outcome = await this.#queue.add(() => this.#openPart(imported, part));
      const pauseMs = outcome === 'not downloaded' ? pauseAfter(RETRY, failures) : undefined;
      if (pauseMs === undefined) return;
      await wait(this.#options.clock, pauseMs, imported.ended.signal);
    }
  }

  /** @returns `left` when the entry stays open for the next start of the daemon. */
  async #openPart(
    imported: Import,
    { journalId, resumed }: Import['waiting'][number],
  ): Promise<'done' | 'not downloaded' | 'left'> {
    const { clientId } = imported.session;
    const { signal } = imported.ended;
    const { store, links, retry, clock, log } = this.#options;
    if (signal.aborted) return 'left';
    const close = () => retry.run(() => store.journal.close(clientId, [journalId], clock.now()));
    try {
      const entry = await retry.run(() => store.journal.get(clientId, journalId));
      const part =
        entry && entry.closedAt === undefined
          ? links.history(entry, imported.session.record.proxy)
          : undefined;
      const kept = part && (await this.#importPart(imported, part, resumed));
      if (signal.aborted) return 'left';
      await close();
      const answer = kept && answerOf(part, kept);
      this.#options.parts.tell({ type: 'history', clientId, ...(answer && { answer }) });
      if (!kept) return 'done';
      if (answer) {
        log.info({ clientId, ...answer }, 'older messages imported');
        return 'done';
      }
      if (part.progress) imported.progress.progress = part.progress;
      log.info({ clientId, ...imported.progress }, 'part of the history imported');
      return 'done';
    } catch (err) {
      if (signal.aborted || isStillToDo(err)) return 'left';
      const mayPass = isGatewayError(err, 'media_unfetchable') || isGatewayError(err, 'proxy_failed');
      log.warn({ err, clientId }, `part of the history not read${mayPass ? ' yet' : ''}`);
      if (mayPass) return 'not downloaded';
      // close the entry: no later start could read the part either
      await close().catch(() => undefined);
      return 'done';
    }
  }

  /** @returns undefined when only the tokens of the part are kept */
  async #importPart(
    imported: Import,
    part: HistoryPart,
    resumed: boolean,
  ): Promise<ImportedPart | undefined> {
    const { session, unread, ended } = imported;
    const { signal } = ended;
    if (!isOwn(session.record, part)) return undefined;
    const keys = bindKeys(this.#options.store, session.clientId);
    await this.#options.retry.run(() => part.keepTokens(keys, signal));
    if (!isKept(session.record, part) || !(await part.isWanted(keys))) return undefined;
    const isAnswer = part.answers !== undefined;
    // an answer is no part of the whole history, whose progress is shown
    if (!isAnswer) imported.isKept = true;
    const progress = isAnswer ? { progress: 0, messages: 0 } : imported.progress;
    const answer: Pick<HistoryAnswer, 'hasMore' | 'oldest'> = { hasMore: undefined };
    for await (const { people, messages, ...batch } of part.batches(signal)) {
      // meanwhile the session may have lost its workspace or its number
      if (signal.aborted || !isKept(session.record, part)) return undefined;
      answer.hasMore ??= batch.hasMore;
      answer.oldest = batch.oldest ?? answer.oldest;
      const context = { session: { ...session.record }, unread, resumed, signal };
      await this.#learn(people, context);
      const write = async (message: HistoricMessage, place: Place) => {
        if (await this.#write(message, context, place)) progress.messages += 1;
      };
      if (!isAnswer) await this.#writeChats(messages, (second) => this.#writeSecond(second, context, write));
      // what it brings is older than all that is stored
      else for (const message of this.#olderOf(messages, context)) await write(message, 'first');
    }
    return { messages: progress.messages, ...answer };
  }

  /** The requested messages that are kept. They are older than those that the phone counts as unread. */
  #olderOf(messages: readonly HistoricMessage[], { session }: ImportContext): HistoricMessage[] {
    const { clock, retentionDays } = this.#options;
    const since = keptSince(session, retentionDays, clock.now());
    return messages
      .filter(({ timestamp }) => timestamp >= since)
      .map((message) => ({ ...message, unreadInChat: 0 }));
  }

  async #learn(people: readonly HistoricPerson[], { session, signal }: ImportContext): Promise<void> {
    const { contacts, retry } = this.#options;
    for (const person of people) {
      // a store that answers at once would otherwise block the event loop
      await setImmediate();
      if (signal.aborted) return;
      await retry.run(() => contacts.learn(session.clientId, { ...person, source: 'history' }));
    }
  }

  /** A few chats at a time, the seconds of each in their order. */
  async #writeChats(
    messages: readonly HistoricMessage[],
    write: (second: readonly HistoricMessage[]) => Promise<void>,
  ): Promise<void> {
    const chats = byChat(messages).values();
    const lane = async () => {
      for (const chat of chats) for (const second of bySecond(chat)) await write(second);
    };
    const lanes = await Promise.allSettled(Array.from({ length: CHATS_AT_ONCE }, lane));
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  }

  /**
   * Writes the messages of a chat and a second before those that are stored: live ones came after the history was made, and
   * the parts begin with the newest messages. Only those that the phone lists as newer than a stored one go behind, for example
   * when the number is linked again.
   */
  async #writeSecond(
    second: readonly HistoricMessage[],
    context: ImportContext,
    write: (message: HistoricMessage, place: Place) => Promise<void>,
  ): Promise<void> {
    const newer = second.length > 1 ? await this.#newerThanStored(second, context) : 0;
    for (const message of second.slice(0, newer).reverse()) await write(message, 'last');
    for (const message of second.slice(newer)) await write(message, 'first');
  }

  /** How many messages, from the first on, come before a stored one; 0 if none is stored. */
  async #newerThanStored(messages: readonly HistoricMessage[], context: ImportContext): Promise<number> {
    for (const [index, message] of messages.entries()) {
      await setImmediate();
      if (context.signal.aborted) return 0;
      const isStored = this.#messages.isStored(message, context);
      if (await isStored.catch((err: unknown) => this.#leave(err, message, context))) return index;
    }
    return 0;
  }

  /** @returns whether the message is new */
  async #write(message: HistoricMessage, context: ImportContext, place: Place): Promise<boolean> {
    await setImmediate();
    if (context.signal.aborted) return false;
    try {
      return await this.#messages.take(message, context, place);
    } catch (err) {
      return this.#leave(err, message, context);
    }
  }

  /** Leaves out a message that cannot be written. @throws `err` if it is still to do */
  #leave(err: unknown, { messageId }: HistoricMessage, { session }: ImportContext): false {
    if (isStillToDo(err)) throw err;
    const names = { clientId: session.clientId, messageId };
    this.#options.log.error({ err, ...names }, 'message of the past not written to the history');
    return false;
  }
}

/** What came of a part of the history. */
type ImportedPart = Omit<HistoryAnswer, 'requestId'>;

function answerOf({ answers }: HistoryPart, imported: ImportedPart): HistoryAnswer | undefined {
  return answers === undefined ? undefined : { requestId: answers, ...imported };
}

/** A history is kept only in a workspace, and only of the account that is linked now. */
function isKept(record: SessionRecord, part: HistoryPart): boolean {
  return record.orgId !== '' && isOwn(record, part);
}

function isOwn({ lid, pn }: SessionRecord, { account }: HistoryPart): boolean {
  return (!account.pn || account.pn === pn) && (!account.lid || account.lid === lid);
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

/** The messages of a chat by their second, in their order. */
function bySecond(messages: readonly HistoricMessage[]): HistoricMessage[][] {
  const seconds: HistoricMessage[][] = [];
  for (const message of messages) {
    const second = seconds.at(-1);
    if (second?.[0]?.timestamp === message.timestamp) second.push(message);
    else seconds.push([message]);
  }
  return seconds;
}
