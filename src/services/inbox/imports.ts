import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';
import { type Clock, wait } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import type { LinkFactory } from '../../link/link.js';
import type { HistoryBatch, HistoryPart } from '../../link/port/history.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import { Traces } from '../receive/traces.js';
import type { HistoryProgress } from '../services.js';
import type { StoreSteps } from '../store-steps.js';
import { MessageImport, type PastOf } from './import-message.js';
import type { Recorder } from './recorder.js';
import { UnreadMarks } from './unread-marks.js';

/** Parts that are read at the same time, of all sessions together: each holds some megabytes. */
const LANES = 2;
/** Milliseconds after which a part that could not be fetched is tried again; after the last the next start tries. */
const PAUSES_MS = [1_000, 5_000, 30_000, 120_000];

export interface HistoryImportsOptions {
  store: Pick<Store, 'journal' | 'history' | 'traces'>;
  links: Pick<LinkFactory, 'history' | 'encode'>;
  recorder: Pick<Recorder, 'add' | 'amend'>;
  contacts: Contacts;
  steps: StoreSteps;
  clock: Clock;
  log: Logger;
}

/** Whose past is taken in. Its record is read anew whenever it counts. */
export interface ImportingSession {
  readonly clientId: string;
  readonly record: SessionRecord;
}

/** A part that waits for its turn. Only its name is held: what it says is in the journal. */
interface Waiting {
  journalId: string;
  resumed: boolean;
}

/** One session's past on its way in. */
interface Import {
  session: ImportingSession;
  waiting: Waiting[];
  /** While parts are taken in. */
  work: Promise<void> | undefined;
  unread: UnreadMarks;
  progress: HistoryProgress;
  ended: AbortController;
}

/**
 * Takes the past that phones send to newly linked devices into the hosted history: the parts of one session one after
 * another, a few sessions at a time, and message by message, so that whatever is live goes first. A part's journal entry
 * is closed when all of it is in the history; what was interrupted begins again with that part.
 */
export class HistoryImports {
  readonly #options: HistoryImportsOptions;
  readonly #messages: MessageImport;
  readonly #lanes = new PQueue({ concurrency: LANES });
  readonly #imports = new Map<string, Import>();

  constructor(options: HistoryImportsOptions) {
    const { store, steps, log } = options;
    this.#options = options;
    this.#messages = new MessageImport({
      ...options,
      traces: new Traces({ traces: store.traces, steps, log }),
    });
  }

  /**
   * Takes a part in, when its turn comes.
   * @param resumed it was left open by an earlier run of the daemon
   */
  take(session: ImportingSession, journalId: string, resumed = false): void {
    const imported = this.#imports.get(session.clientId) ?? this.#begin(session);
    // the network tells again of what a lost connection kept us from acknowledging
    if (imported.waiting.some((waiting) => waiting.journalId === journalId)) return;
    imported.waiting.push({ journalId, resumed });
    imported.work ??= this.#work(imported).finally(() => {
      imported.work = undefined;
    });
  }

  /** How far a session's past has come in; undefined when none has been heard of in this run. */
  progress(clientId: string): HistoryProgress | undefined {
    const progress = this.#imports.get(clientId)?.progress;
    return progress && { ...progress };
  }

  /** A number is about to be linked: how far the past of a former one came does not count any more. */
  reset(clientId: string): void {
    if (!this.#imports.get(clientId)?.work) this.#imports.delete(clientId);
  }

  /** Breaks off what is on its way of a session. Resolves when nothing more is written. */
  async end(clientId: string): Promise<void> {
    const imported = this.#imports.get(clientId);
    this.#imports.delete(clientId);
    imported?.ended.abort();
    await imported?.work;
  }

  /** Breaks everything off; the next start goes on. */
  async stop(): Promise<void> {
    await Promise.all([...this.#imports.keys()].map((clientId) => this.end(clientId)));
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    for (;;) {
      const works = [...this.#imports.values()].flatMap(({ work }) => work ?? []);
      if (works.length === 0) return;
      await Promise.all(works);
    }
  }

  #begin(session: ImportingSession): Import {
    const { clientId } = session;
    const imported: Import = {
      session,
      waiting: [],
      work: undefined,
      unread: new UnreadMarks({ ...this.#options, history: this.#options.store.history, clientId }),
      progress: { progress: 0, messages: 0 },
      ended: new AbortController(),
    };
    this.#imports.set(clientId, imported);
    return imported;
  }

  async #work(imported: Import): Promise<void> {
    const { waiting, ended } = imported;
    const { clock } = this.#options;
    for (let failures = 0; !ended.signal.aborted; ) {
      const [next] = waiting;
      if (!next) return;
      const outcome = await this.#lanes.add(() => this.#part(imported, next));
      const pauseMs = outcome === 'unfetched' ? PAUSES_MS[failures++] : undefined;
      if (pauseMs !== undefined) {
        await wait(clock, pauseMs, ended.signal);
        continue;
      }
      failures = 0;
      waiting.shift();
    }
  }

  /** @returns `left` when the entry stays open for the next start of the daemon. */
  async #part(imported: Import, { journalId, resumed }: Waiting): Promise<'done' | 'unfetched' | 'left'> {
    const { session, ended } = imported;
    const { clientId } = session;
    const { store, links, steps, clock, log } = this.#options;
    if (ended.signal.aborted) return 'left';
    const close = () => steps.run(() => store.journal.close(clientId, [journalId], clock.now()));
    try {
      const entry = await steps.run(() => store.journal.get(clientId, journalId));
      const part = entry && entry.closedAt === undefined ? links.history(entry) : undefined;
      if (part) await this.#read(imported, part, resumed);
      if (ended.signal.aborted) return 'left';
      await close();
      const progress = part?.progress || imported.progress.progress;
      Object.assign(imported.progress, { progress });
      log.info({ clientId, ...imported.progress }, 'a part of the history is taken in');
      return 'done';
    } catch (err) {
      if (ended.signal.aborted || isGatewayError(err, 'store_unavailable')) return 'left';
      const isPassing = isGatewayError(err, 'media_unfetchable');
      log.warn({ err, clientId }, `a part of the history could not be read${isPassing ? ' yet' : ''}`);
      if (isPassing) return 'unfetched';
      // it never can be: to try at each start would not help
      await close().catch(() => undefined);
      return 'done';
    }
  }

  async #read(imported: Import, part: HistoryPart, resumed: boolean): Promise<void> {
    const { session, unread, ended } = imported;
    const { signal } = ended;
    if (!isKept(session.record, part)) return;
    for await (const batch of part.batches(signal)) {
      // the workspace may be taken away meanwhile, or the number linked anew
      if (signal.aborted || !isKept(session.record, part)) return;
      await this.#batch(imported, batch, { session: { ...session.record }, unread, resumed, signal });
    }
  }

  async #batch(imported: Import, { people, messages }: HistoryBatch, of: PastOf): Promise<void> {
    const { contacts, steps, log } = this.#options;
    const { clientId } = of.session;
    for (const person of people) {
      if (of.signal.aborted) return;
      await steps.run(() => contacts.learn(clientId, { ...person, source: 'history' }));
    }
    for (const message of messages) {
      if (of.signal.aborted) return;
      // a store that answers at once would otherwise keep everybody else waiting
      await setImmediate();
      try {
        if (await this.#messages.take(message, of)) imported.progress.messages += 1;
      } catch (err) {
        if (isGatewayError(err, 'store_unavailable')) throw err;
        const { messageId } = message;
        log.error({ err, clientId, messageId }, 'message of the past not written to the history');
      }
    }
  }
}

/** A history is kept for the account that it is of, and only in a workspace. */
function isKept({ orgId, lid, pn }: SessionRecord, { account }: HistoryPart): boolean {
  const isSame = (!account.pn || account.pn === pn) && (!account.lid || account.lid === lid);
  return orgId !== '' && isSame;
}
