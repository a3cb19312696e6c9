import PQueue from 'p-queue';
import { type Clock, wait } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { Logger } from '../../log.js';
import type { ExpectedFile, Store } from '../../store/store.js';
import type { Recorder } from '../inbox/recorder.js';
import type { StoreSteps } from '../store-steps.js';
import { type FetcherOptions, FileFetcher } from './fetcher.js';
import { FileJob } from './file-job.js';

/** Milliseconds between two looks whether another node has stored a file. */
const LOOK_MS = 1_000;
/** Before everything else in the queue, which is ordered by time. */
const FIRST = Number.MAX_SAFE_INTEGER;

/** What is counted on the way. */
export interface FileObserver {
  fileStored(): void;
  fileLost(): void;
}

export interface FileKeeperOptions extends FetcherOptions {
  store: Pick<Store, 'history' | 'files' | 'expectedFiles'>;
  steps: StoreSteps;
  recorder: Pick<Recorder, 'amend'>;
  observer: FileObserver;
  clock: Clock;
  log: Logger;
}

/**
 * Stores the files of recorded messages, a few at a time, those of the newest messages first, and those of the past
 * while no other one waits. What fails is tried again; what a stop or a crash leaves undone is taken up at the next
 * start. A file that cannot be had leaves its message without a link.
 */
export class FileKeeper {
  readonly #options: FileKeeperOptions;
  readonly #fetcher: FileFetcher;
  readonly #live = new PQueue({ concurrency: LIMITS.filesAtOnce });
  readonly #past = new PQueue({ concurrency: LIMITS.pastFilesAtOnce });
  /** Unfinished ones, by the file's id. */
  readonly #jobs = new Map<string, FileJob>();
  #stopped = false;

  constructor(options: FileKeeperOptions) {
    this.#options = options;
    this.#fetcher = new FileFetcher(options);
  }

  /**
   * Begins to store the file of a recorded message; it is noted first, so that no crash forgets it.
   * @param sentAt of the message, in milliseconds since the epoch
   * @throws GatewayError store_unavailable
   */
  async expect(named: Omit<ExpectedFile, 'since'>, sentAt: number): Promise<void> {
    const { store, clock } = this.#options;
    if (this.#jobs.has(named.id) || (await store.files.get(named.id))) return;
    const file = { ...named, since: clock.now() };
    await store.expectedFiles.add(file);
    this.#begin(file, sentAt);
  }

  /** Begins what the last run left undone. @throws GatewayError store_unavailable */
  async takeUp(clientId: string): Promise<void> {
    const files = await this.#options.store.expectedFiles.list(clientId);
    if (files.length > 0)
      this.#options.log.info({ clientId, files: files.length }, 'storing files of the last run');
    for (const file of files) this.#begin(file, priorityOf(file));
  }

  /** The session is connected: its phone can be asked for what the network does not have any more. */
  resume(clientId: string): void {
    for (const job of this.#jobsOf(clientId)) {
      if (job.state === 'pausing' && job.failures.needsLink) this.#enqueue(job, priorityOf(job.file));
    }
  }

  /**
   * Waits for a file that is still being stored, for a while; it comes before others now.
   * @returns false when it is not decided yet whether there will be one
   */
  async settled(id: string, signal: AbortSignal): Promise<boolean> {
    const job = this.#jobs.get(id);
    if (!job) return this.#storedElsewhere(id, signal);
    if (job.state === 'queued') this.#queueOf(job).setPriority(id, FIRST);
    await job.ended(this.#options.clock, LIMITS.fileWaitMs, signal);
    // its session was given away while it was waited for
    if (job.abandoned.aborted && !this.#stopped) return this.#storedElsewhere(id, signal);
    return !this.#jobs.has(id) && !this.#stopped;
  }

  /** The session is being deleted or given away: nothing of it is stored any more once this has resolved. */
  async end(clientId: string): Promise<void> {
    const jobs = this.#jobsOf(clientId);
    for (const job of jobs) this.#abandon(job);
    await Promise.all(jobs.map(({ work }) => work));
  }

  /** Breaks off what is under way; it is taken up at the next start. */
  stop(): void {
    this.#stopped = true;
    this.#live.clear();
    this.#past.clear();
    for (const job of [...this.#jobs.values()]) this.#abandon(job);
  }

  /** Resolves when nothing is being stored; files that pause after a failure are not waited for. */
  async idle(): Promise<void> {
    await this.#live.onIdle();
    await this.#past.onIdle();
  }

  #queueOf({ file }: FileJob): PQueue {
    return file.past ? this.#past : this.#live;
  }

  #jobsOf(clientId: string): FileJob[] {
    return [...this.#jobs.values()].filter(({ file }) => file.clientId === clientId);
  }

  #begin(file: ExpectedFile, priority: number): void {
    if (this.#stopped || this.#jobs.has(file.id)) return;
    const job = new FileJob(file);
    this.#jobs.set(file.id, job);
    this.#enqueue(job, priority);
  }

  #enqueue(job: FileJob, priority: number): void {
    job.resume();
    const start = async () => {
      if (job.file.past) await this.#live.onSizeLessThan(1);
      job.work = this.#work(job);
      await job.work;
    };
    void this.#queueOf(job).add(start, { id: job.file.id, priority });
  }

  async #work(job: FileJob): Promise<void> {
    if (job.abandoned.aborted) return;
    job.state = 'working';
    const { clock, observer, log } = this.#options;
    const late = new AbortController();
    const cancel = clock.after(LIMITS.fileStoringMs, () => late.abort(tooSlow()));
    try {
      const signal = AbortSignal.any([job.abandoned, late.signal]);
      // its room may have another name by now
      const file = (await this.#options.store.expectedFiles.get(job.file.id)) ?? job.file;
      const isNew = await this.#fetcher.store(file, signal);
      await this.#settle(job);
      if (isNew) observer.fileStored();
    } catch (error) {
      if (!job.abandoned.aborted) await this.#onFailure(job, error);
    } finally {
      cancel();
    }
    log.debug({ ...namesOf(job), state: job.state }, 'file of a message');
  }

  async #onFailure(job: FileJob, error: unknown): Promise<void> {
    const { clock, log, observer } = this.#options;
    const waitedMs = clock.now() - job.file.since;
    const pauseMs = job.failures.note(error, waitedMs);
    if (pauseMs !== undefined) {
      log.info({ ...namesOf(job), err: error, pauseMs }, 'file not stored yet');
      job.pause(clock.after(pauseMs, () => this.#enqueue(job, priorityOf(job.file))));
      return;
    }
    log.warn({ ...namesOf(job), err: error }, 'file given up: the message is stored without it');
    try {
      await this.#giveUp(job);
      observer.fileLost();
    } catch (failure) {
      // the next start comes to the same end
      log.warn({ ...namesOf(job), err: failure }, 'lost file not noted');
      this.#abandon(job);
    }
  }

  /** The message shows no link any more. */
  async #giveUp(job: FileJob): Promise<void> {
    const { recorder, steps } = this.#options;
    const { id } = job.file;
    await steps.run(() =>
      recorder.amend(job.file, (row) => (row.fileId === id ? { ...row, fileId: '' } : undefined)),
    );
    await this.#settle(job);
  }

  async #settle(job: FileJob): Promise<void> {
    const { store, steps } = this.#options;
    await steps.run(() => store.expectedFiles.remove(job.file.id));
    this.#jobs.delete(job.file.id);
    job.end();
  }

  #abandon(job: FileJob): void {
    this.#jobs.delete(job.file.id);
    job.abandon();
  }

  /** Another node may be storing it, or this one will soon. */
  async #storedElsewhere(id: string, signal: AbortSignal): Promise<boolean> {
    const { store, clock } = this.#options;
    for (let waited = 0; await store.expectedFiles.get(id); waited += LOOK_MS) {
      if (waited >= LIMITS.fileWaitMs || signal.aborted || this.#stopped) return false;
      await wait(clock, LOOK_MS, signal);
    }
    return true;
  }
}

/** The past is told from its newest message on. */
function priorityOf({ past, since }: ExpectedFile): number {
  return past ? -since : since;
}

function tooSlow(): GatewayError {
  return new GatewayError('media_unfetchable', 'The file did not come in time.');
}

function namesOf({ file: { clientId, messageId } }: FileJob): { clientId: string; messageId: string } {
  return { clientId, messageId };
}
