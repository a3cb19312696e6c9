import PQueue from 'p-queue';
import { type Clock, wait } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import { Traces } from '../receive/traces.js';
import type { HistoryProgress } from '../services.js';
import { isStillToDo, type StoreSteps } from '../store-steps.js';
import { type ImportingSession, PartImport } from './import-part.js';
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
  readonly #parts: PartImport;
  readonly #lanes = new PQueue({ concurrency: LANES });
  readonly #imports = new Map<string, Import>();

  constructor(options: HistoryImportsOptions) {
    const { store, steps, log } = options;
    this.#options = options;
    const traces = new Traces({ traces: store.traces, steps, log });
    this.#parts = new PartImport({ ...options, history: store.history, traces });
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
    imported.work ??= this.#work(imported);
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
    for (let next = waiting[0]; next && !ended.signal.aborted; next = waiting[0]) {
      await this.#untilTaken(imported, next);
      waiting.shift();
    }
    // in the same step as the last look: nothing can come in between and be forgotten
    imported.work = undefined;
  }

  /** Resolves when a part is in the history, or is left to the next start of the daemon. */
  async #untilTaken(imported: Import, part: Waiting): Promise<void> {
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      const outcome = await this.#lanes.add(() => this.#part(imported, part));
      if (outcome !== 'unfetched' || pauseMs === undefined) return;
      await wait(this.#options.clock, pauseMs, imported.ended.signal);
    }
  }

  /** @returns `left` when the entry stays open for the next start of the daemon. */
  async #part(imported: Import, { journalId, resumed }: Waiting): Promise<'done' | 'unfetched' | 'left'> {
    const { session, unread, ended } = imported;
    const { clientId } = session;
    const { signal } = ended;
    const { store, links, steps, clock, log } = this.#options;
    if (signal.aborted) return 'left';
    const onAdded = () => {
      imported.progress.messages += 1;
    };
    const close = () => steps.run(() => store.journal.close(clientId, [journalId], clock.now()));
    try {
      const entry = await steps.run(() => store.journal.get(clientId, journalId));
      const part = entry && entry.closedAt === undefined ? links.history(entry) : undefined;
      if (part) await this.#parts.take(session, part, { unread, resumed, signal, onAdded });
      if (signal.aborted) return 'left';
      await close();
      const progress = part?.progress || imported.progress.progress;
      Object.assign(imported.progress, { progress });
      log.info({ clientId, ...imported.progress }, 'a part of the history is taken in');
      return 'done';
    } catch (err) {
      if (signal.aborted || isStillToDo(err)) return 'left';
      const isPassing = isGatewayError(err, 'media_unfetchable');
      log.warn({ err, clientId }, `a part of the history could not be read${isPassing ? ' yet' : ''}`);
      if (isPassing) return 'unfetched';
      // it never can be: to try at each start would not help
      await close().catch(() => undefined);
      return 'done';
    }
  }
}
