import type { Dispatcher } from 'undici';
import type { Clock } from '../../domain/clock.js';
import { errorMessage } from '../../domain/errors.js';
import { type Reason, reason } from '../../domain/reasons.js';
import {
  formatWaVersion,
  isNewerWaVersion,
  parseWaVersion,
  type WaVersion,
  type WaVersionSource,
  type WaVersions,
} from '../link/wa-versions.js';
import type { Logger } from '../log.js';
import type { VersionStore } from '../store/store.js';

/** The result of a look-up that found no newer version. */
type Problem =
  | { kind: 'no_page' }
  | { kind: 'not_newer'; page: string; found: string }
  | { kind: 'not_looked_up'; error: string };

/** Milliseconds between two look-ups of this process. */
const LOOKUP_EVERY_MS = 10 * 60_000;
const LOOKUP_TIMEOUT_MS = 10_000;
/** Bytes of the page that are read. */
const MAX_PAGE_BYTES = 4 * 1_024 * 1_024;
/** The revision in the service worker of web.whatsapp.com, plain or inside a JSON text. */
const REVISION = /\\?"client_revision\\?":\s*(\d{1,12})/;

/**
 * The client version of all links: the newest of the library's and those that were looked up, unless a setting names one.
 * The network refuses versions that are some weeks old, and then all sessions of the process need one look-up together.
 */
export class ClientVersions implements WaVersions {
  readonly #options;
  #current: { version: WaVersion; source: WaVersionSource };
  #lookedUpAt = Number.NEGATIVE_INFINITY;
  /** Why the last look-up found no newer version. */
  #problem: Problem | undefined;
  #asking: Promise<void> | undefined;

  constructor(options: {
    /** `auto`, or a version that is used as it is. */
    setting: string;
    library: WaVersion;
    /** The page that names the current revision; undefined when the network has none. */
    page: string | undefined;
    /** For a request in the name of a session. @param proxy URL of its proxy; empty if it has none */
    dispatcherOver(proxy: string): Promise<Dispatcher>;
    store: VersionStore;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    const fixed = parseWaVersion(options.setting);
    this.#current = fixed
      ? { version: fixed, source: 'setting' }
      : { version: options.library, source: 'library' };
  }

  current(): { version: WaVersion; source: WaVersionSource } {
    return this.#current;
  }

  /** Takes over the newest version that a node of this store found. */
  async load(): Promise<void> {
    const stored = parseWaVersion(await this.#options.store.get());
    if (stored) this.#adopt(stored, 'stored');
  }

  async outdated(refused: WaVersion, proxy: string): Promise<'newer' | Reason> {
    const version = formatWaVersion(refused);
    if (this.#current.source === 'setting') return reason('client_outdated', { kind: 'setting', version });
    if (!this.#isNewerThan(refused)) {
      this.#asking ??= this.#ask(refused, proxy).finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    if (this.#isNewerThan(refused)) return 'newer';
    const problem = this.#problem;
    return reason('client_outdated', problem ? { ...problem, version } : { kind: 'refused' });
  }

  async #ask(refused: WaVersion, proxy: string): Promise<void> {
    const { clock, page, log, store, dispatcherOver } = this.#options;
    try {
      // another node may have looked it up
      await this.load();
      if (this.#isNewerThan(refused) || clock.now() - this.#lookedUpAt < LOOKUP_EVERY_MS) return;
      if (page === undefined) {
        this.#problem = { kind: 'no_page' };
        return;
      }
      this.#lookedUpAt = clock.now();
      const dispatcher = await dispatcherOver(proxy);
      const version = await lookUp(page, dispatcher).finally(() => dispatcher.destroy());
      this.#adopt(version, 'lookup');
      this.#problem = { kind: 'not_newer', page, found: formatWaVersion(version) };
      log.info(
        { version: formatWaVersion(version), refused: formatWaVersion(refused) },
        'client version looked up',
      );
      if (this.#current.source === 'lookup') await store.put(formatWaVersion(version));
    } catch (error) {
      this.#problem = { kind: 'not_looked_up', error: errorMessage(error) };
      log.warn({ err: error }, 'client version not looked up');
    }
  }

  #adopt(version: WaVersion, source: WaVersionSource): void {
    if (this.#current.source !== 'setting' && this.#isOlderThan(version)) this.#current = { version, source };
  }

  #isNewerThan(version: WaVersion): boolean {
    return isNewerWaVersion(this.#current.version, version);
  }

  #isOlderThan(version: WaVersion): boolean {
    return isNewerWaVersion(version, this.#current.version);
  }
}

/** @throws Error when the page cannot be read in time, or names no revision */
async function lookUp(page: string, dispatcher: Dispatcher): Promise<WaVersion> {
  const signal = AbortSignal.timeout(LOOKUP_TIMEOUT_MS);
  // the page has a revision for browsers only (zapo, `wa-version-fetcher.ts`)
  const headers = { 'user-agent': BROWSER_AGENT, 'sec-fetch-site': 'none' };
  let text = '';
  const { origin, pathname: path } = new URL(page);
  const { statusCode, body } = await dispatcher.request({ origin, path, method: 'GET', signal, headers });
  for await (const piece of body) {
    text += Buffer.from(piece).toString();
    if (text.length > MAX_PAGE_BYTES) break;
  }
  if (statusCode !== 200) throw new Error(`${page} answered ${statusCode}`);
  const revision = REVISION.exec(text)?.[1];
  if (revision === undefined) throw new Error(`${page} names no revision`);
  return [2, 3000, Number(revision)];
}

const BROWSER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
