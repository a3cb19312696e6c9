import PQueue from 'p-queue';
import { type Clock, callAt, wait } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { ExpectedFile, HistoryMessage, Store } from '../../store/store.js';
import type { SessionSource } from '../access.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { StoreRetry } from '../store-retry.js';
import { FileDownloader } from './downloader.js';
import { FileJob } from './file-job.js';
import type { LocalFile, Spool } from './spool.js';

/** Milliseconds between two checks whether another node has stored a file. */
const CHECK_MS = 1_000;
/** The highest priority; all others are times. */
const FIRST = Number.MAX_SAFE_INTEGER;

/** Counts files, for the metrics. */
export interface FileObserver {
  fileStored(): void;
  fileLost(): void;
}

/**
 * Stores the files of recorded messages, a few at a time: those of the newest messages first, imported ones only while no
 * live file waits. Failed attempts are repeated, also after a restart. When a download is abandoned, its message loses the
 * link.
 */
export class FileKeeper implements SessionPart {
  readonly #options;
  readonly #downloader: FileDownloader;
  readonly #live = new PQueue({ concurrency: LIMITS.filesAtOnce });
  readonly #past = new PQueue({ concurrency: LIMITS.pastFilesAtOnce });
  /** Unfinished jobs by the file's id. */
  readonly #jobs = new Map<string, FileJob>();
  #stopped = false;

  constructor(options: {
    store: Pick<Store, 'history' | 'files' | 'expectedFiles'>;
    links: Pick<LinkFactory, 'decode' | 'download'>;
    sessions: SessionSource;
    retry: StoreRetry;
    /** The files that this node is sending. */
    local: Pick<Spool, 'hold'>;
    rows: {
      /** Changes the row of a message. @param amend returns the changed row; undefined to keep it */
      amend(
        key: Pick<ExpectedFile, 'clientId' | 'chatRoomId' | 'messageId'>,
        amend: (row: HistoryMessage) => HistoryMessage | undefined,
      ): Promise<unknown>;
    };
    observer: FileObserver;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#downloader = new FileDownloader(options);
  }

  /**
   * Begins to store the file of a recorded message. First notes in the store that the file is expected, so that it
   * survives a crash. Idempotent.
   * @param sentAt of the message, in milliseconds since the epoch
   * @param sha256 of the file, in hex: one that this node has just sent is not downloaded again
   * @throws GatewayError store_unavailable
   */
  async expect(named: Omit<ExpectedFile, 'since'>, sentAt: number, sha256?: string): Promise<void> {
    const { store, local, clock } = this.#options;
    if (this.#jobs.has(named.id)) return;
    // hold the file before the first await: the end of the send discards it
    const sent = sha256 === undefined ? undefined : local.hold(named.clientId, sha256);
    let isTaken = false;
    try {
      if (await store.files.get(named.id)) return;
      const file = { ...named, since: clock.now() };
      await store.expectedFiles.add(file);
      isTaken = this.#begin(file, sentAt, sent);
    } finally {
      if (!isTaken) await this.#discard(sent);
    }
  }

  /** Continues the downloads that the last run, or the session's last owner, did not finish. @throws GatewayError store_unavailable */
  async resume(clientId: string): Promise<void> {
    const files = await this.#options.store.expectedFiles.list(clientId);
    if (files.length > 0)
      this.#options.log.info({ clientId, files: files.length }, 'storing files of the last run');
    for (const file of files) this.#begin(file, priorityOf(file));
  }

  /** The session is connected, so its phone can be asked for files that the network has deleted. */
  connected(clientId: string): void {
    for (const job of this.#jobsOf(clientId)) {
      if (job.state === 'pausing' && job.needsLink) this.#enqueue(job, priorityOf(job.file));
    }
  }

  /**
   * Waits a while for a file that is being stored, and moves it to the front of the queue.
   * @returns false when it is still being stored
   */
  async settled(id: string, signal: AbortSignal): Promise<boolean> {
    const job = this.#jobs.get(id);
    if (!job) return this.#storedElsewhere(id, signal);
    if (job.state === 'queued') this.#queueOf(job).setPriority(id, FIRST);
    await job.ended(this.#options.clock, LIMITS.fileWaitMs, signal);
    // the session moved to another node during the wait
    if (job.abandoned.aborted && !this.#stopped) return this.#storedElsewhere(id, signal);
    return !this.#jobs.has(id) && !this.#stopped;
  }

  /** The session is deleted or leaves this node: aborts its jobs. Nothing is written once this has resolved. */
  async end(clientId: string): Promise<void> {
    const jobs = this.#jobsOf(clientId);
    for (const job of jobs) this.#abandon(job);
    await Promise.all(jobs.map(({ work }) => work));
  }

  /** Aborts all jobs; the next start resumes them. */
  stop(): void {
    this.#stopped = true;
    this.#live.clear();
    this.#past.clear();
    for (const job of [...this.#jobs.values()]) this.#abandon(job);
  }

  /** Resolves when no attempt is queued or in flight; jobs that pause after a failure do not count. */
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

  /** @returns false when the file is not wanted: its job exists, or the gateway stops */
  #begin(file: ExpectedFile, priority: number, local?: LocalFile): boolean {
    if (this.#stopped || this.#jobs.has(file.id)) return false;
    const job = new FileJob(file, local);
    this.#jobs.set(file.id, job);
    this.#enqueue(job, priority);
    return true;
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
    const local = job.takeLocal();
    const { clock, observer, log } = this.#options;
    const late = new AbortController();
    const cancel = clock.after(LIMITS.fileStoringMs, () => late.abort(tooSlow()));
    try {
      const signal = AbortSignal.any([job.abandoned, late.signal]);
      // the file's room may have been renamed since
      const file = (await this.#options.store.expectedFiles.get(job.file.id)) ?? job.file;
      const isNew = await this.#downloader.store(file, signal, local?.path);
      await this.#settle(job);
      if (isNew) observer.fileStored();
    } catch (error) {
      if (!job.abandoned.aborted) await this.#onFailure(job, error);
    } finally {
      cancel();
      await this.#discard(local);
    }
    log.debug({ ...namesOf(job), state: job.state }, 'file of a message');
  }

  async #onFailure(job: FileJob, error: unknown): Promise<void> {
    const { clock, log, observer } = this.#options;
    const pauseMs = job.failed(error, clock.now());
    if (pauseMs !== undefined) {
      log.info({ ...namesOf(job), err: error, pauseMs }, 'file not stored yet');
      job.pause(callAt(clock, clock.now() + pauseMs, () => this.#enqueue(job, priorityOf(job.file))));
      return;
    }
    log.warn({ ...namesOf(job), err: error }, 'file given up; its message keeps no link');
    try {
      const { retry, rows } = this.#options;
      const { id } = job.file;
      const withoutLink = (row: HistoryMessage) => (row.fileId === id ? { ...row, fileId: '' } : undefined);
      await retry.run(() => rows.amend(job.file, withoutLink));
      await this.#settle(job);
      observer.fileLost();
    } catch (failure) {
      // the next start comes to the same end
      log.warn({ ...namesOf(job), err: failure }, 'lost file not noted');
      this.#abandon(job);
    }
  }

  async #settle(job: FileJob): Promise<void> {
    const { store, retry } = this.#options;
    await retry.run(() => store.expectedFiles.remove(job.file.id));
    this.#jobs.delete(job.file.id);
    job.end();
  }

  #abandon(job: FileJob): void {
    this.#jobs.delete(job.file.id);
    job.abandon();
    void this.#discard(job.takeLocal());
  }

  /** Never rejects: a file that stays on the disk harms nobody, and goes with the next start. */
  async #discard(local: LocalFile | undefined): Promise<void> {
    await local?.discard().catch((err: unknown) => {
      this.#options.log.warn({ err }, 'sent file not removed');
    });
  }

  /** Waits while another node stores the file, or until this one begins to. */
  async #storedElsewhere(id: string, signal: AbortSignal): Promise<boolean> {
    const { store, clock } = this.#options;
    for (let waited = 0; await store.expectedFiles.get(id); waited += CHECK_MS) {
      if (waited >= LIMITS.fileWaitMs || signal.aborted || this.#stopped) return false;
      await wait(clock, CHECK_MS, signal);
    }
    return true;
  }
}

/** An import begins with the newest message, so of past files the oldest job comes first. */
function priorityOf({ past, since }: ExpectedFile): number {
  return past ? -since : since;
}

function tooSlow(): GatewayError {
  return new GatewayError('media_unfetchable', 'the file was not stored in time');
}

function namesOf({ file: { clientId, messageId } }: FileJob): { clientId: string; messageId: string } {
  return { clientId, messageId };
}
