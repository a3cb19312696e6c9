import type { StartRequest } from '../../client/generated/operations.generated.js';
import type { HistoryProgress, QrAnswer } from '../../contract/index.js';
import { type Clock, systemClock, wait } from '../../domain/clock.js';
import { errorMessage } from '../../domain/errors.js';
import type { SessionStatus } from '../../domain/session.js';
import { type DaemonClient, isThisMachine } from './client.js';
import { CliError, type Failure } from './errors.js';
import { requirePhone } from './flags.js';
import type { Output } from './output.js';
import { deleteUnlinked, findSession } from './pair-cleanup.js';
import { PasskeyFollower, type PasskeyItem, passkeyLines } from './pair-passkey.js';
import { reasonText } from './reason-text.js';
import { healthOf, lastDisconnectOf } from './sessions.js';
import { watchSession } from './tail.js';

/** Milliseconds between two polls of the QR code. */
const POLL_MS = 1_500;
/** Milliseconds without QR or progress after which pairing fails. */
const IDLE_MS = 20_000;
/** Milliseconds without a QR code after which the pairing reports why it waits. */
const SILENT_MS = 3_000;
/** Consecutive polls that may fail, for example during a restart of the daemon. */
const TOLERATED_FAILURES = 5;
/** Milliseconds for which the daemon may answer 503, for example while nodes wait for the lease of a lost node. */
const TOLERATED_MS = 60_000;
/** Timeout in milliseconds: all QR codes together are valid for about 160 s. */
const PAIR_TIMEOUT_MS = 240_000;
/** Timeout in milliseconds with a one-time address: as long as it is valid. */
const LINK_TIMEOUT_MS = 900_000;
/** Milliseconds by which a passkey ceremony extends the timeout. */
const CEREMONY_MS = 300_000;

export interface PairOptions {
  clientId: string;
  /** Request an 8-character code for this phone number instead of a QR. */
  phone?: string;
  webhook?: Omit<StartRequest, 'clientId' | 'proxy'>;
  /** URL of the proxy for all connections of the session. */
  proxy?: string | undefined;
  /** Create a one-time address where the owner of the number links it, instead of showing a QR code here. */
  link?: boolean;
  /** File with the answer to a passkey demand; it may be created later. */
  passkeyFile?: string;
  /** Workspace; set before the number is linked, so that the phone's history is imported. */
  orgId?: string;
  signal: AbortSignal;
  timeoutMs?: number;
  clock?: Clock;
}

/** A step of a pairing. The last one is `connected` or `failed`. */
export type PairItem =
  | { type: 'status'; status: SessionStatus }
  | { type: 'qr'; qr: string }
  | { type: 'code'; code: string }
  | { type: 'link'; url: string; expiresAt: string }
  /** There is no QR code yet, for this reason. */
  | { type: 'waiting'; reason: string }
  | PasskeyItem
  | HistoryItem
  | PairEnd;

export type PairEnd =
  /** `already`: the number was linked before. */
  { type: 'connected'; jid: string; already?: true } | PairFailure;

interface PairFailure {
  type: 'failed';
  reason: string;
  code: Failure;
  suggestions: readonly string[];
}

export function isPairEnd(item: PairItem): item is PairEnd {
  return item.type === 'connected' || item.type === 'failed';
}

/**
 * Pairs a session. Never throws: an error is the last item. A failed pairing deletes the session if it has created it,
 * unless the number was linked meanwhile.
 */
export async function* pair(client: DaemonClient, options: PairOptions): AsyncGenerator<PairItem, void> {
  const { clientId } = options;
  let isNew = false;
  try {
    const phone = options.phone === undefined ? undefined : requirePhone(options.phone);
    isNew = !(await findSession(client, clientId));
    yield* new Pairing(client, { ...options, ...(phone !== undefined && { phone }) }).steps();
  } catch (error) {
    const end = failed(error, options);
    const left = isNew ? await deleteUnlinked(client, clientId) : [];
    yield { ...end, suggestions: [...end.suggestions, ...left] };
  }
}

class Pairing {
  readonly #client: DaemonClient;
  readonly #options: PairOptions;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #status: SessionStatus | undefined;
  #qr = '';
  #codeAsked = false;
  /** True if this pairing links the number, which was not linked before. */
  #isFresh = false;
  #wasLinked = false;
  #movedAt: number;
  #failures = 0;
  #refusedSince: number | undefined;
  readonly #passkey: PasskeyFollower;
  /** Milliseconds that a passkey ceremony added to the timeout. */
  #extraMs = 0;
  #link = '';
  /** The last reason for which the pairing waits. */
  #waitsFor = '';

  constructor(client: DaemonClient, options: PairOptions) {
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#startedAt = this.#clock.now();
    this.#movedAt = this.#startedAt;
    this.#passkey = new PasskeyFollower(client, options.clientId, options.passkeyFile);
  }

  async *steps(): AsyncGenerator<PairItem, void> {
    const { clientId, webhook, proxy, orgId, signal } = this.#options;
    await this.#client.start({ clientId, ...webhook, proxy });
    if (orgId !== undefined) await this.#client.setOrgId({ clientId, orgId });
    const watch = watchSession(this.#client, clientId, signal);
    try {
      while (true) {
        // before the poll, so that a change during it is not missed
        const change = watch.nextChange();
        const seen = await this.#poll();
        if (seen) yield* this.#progress(seen);
        if (seen) yield* this.#ceremony(seen);
        if (seen) yield* this.#waiting(seen);
        if (seen?.status === 'connected') return yield* this.#end();
        await this.#checkStuck();
        await wait(this.#clock, POLL_MS, change);
        if (signal.aborted) throw new CliError('interrupted', 'interrupted');
      }
    } finally {
      watch.stop();
    }
  }

  /** Polls the state; undefined during a tolerated failure. */
  async #poll(): Promise<QrAnswer | undefined> {
    try {
      const answer = await this.#client.getQr({ clientId: this.#options.clientId, format: 'text' });
      this.#failures = 0;
      this.#refusedSince = undefined;
      return answer;
    } catch (error) {
      if (!this.#isTolerated(error)) throw error;
      return undefined;
    }
  }

  #isTolerated(error: unknown): boolean {
    if (!(error instanceof CliError)) return false;
    const now = this.#clock.now();
    if (error.isTemporary) {
      this.#refusedSince ??= now;
      // an unknown state does not count as a standstill
      this.#movedAt = now;
      return now - this.#refusedSince <= TOLERATED_MS;
    }
    return error.failure === 'unreachable' && ++this.#failures <= TOLERATED_FAILURES;
  }

  async *#progress({ status, qr }: QrAnswer): AsyncGenerator<PairItem, void> {
    const { clientId, phone } = this.#options;
    if (status !== this.#status && status !== 'connected') yield { type: 'status', status };
    this.#isFresh ||= status === 'qr';
    // only at the first poll: the number may be linked between two later ones
    if (this.#status === undefined) this.#wasLinked = status === 'connected' || status === 'reconnecting';
    if (status !== this.#status || qr !== this.#qr) this.#movedAt = this.#clock.now();
    const isNew = qr !== '' && qr !== this.#qr;
    this.#status = status;
    this.#qr = qr;
    if (this.#options.link) yield* this.#createLink(status);
    else if (isNew && !phone) yield { type: 'qr', qr };
    if (status === 'qr' && phone && !this.#codeAsked && !this.#options.link) {
      this.#codeAsked = true;
      const { code } = await this.#client.pairPhone({ clientId, phone });
      yield { type: 'code', code };
    }
  }

  /** Creates a one-time address, only for a number that is not linked yet. */
  async *#createLink(status: SessionStatus): AsyncGenerator<PairItem, void> {
    if (this.#link !== '' || status === 'connected' || status === 'reconnecting') return;
    const { url, expiresAt } = await this.#client.createPairLink({ clientId: this.#options.clientId });
    this.#link = url;
    yield { type: 'link', url, expiresAt };
  }

  /** Handles the passkey ceremony, during which the session shows no QR code. With a one-time address, its page guides the owner. */
  async *#ceremony({ status, qr }: QrAnswer): AsyncGenerator<PairItem, void> {
    if (status !== 'qr' || qr !== '') return;
    const { isAsked, item } = await this.#passkey.look(this.#link);
    if (isAsked) this.#extraMs = CEREMONY_MS;
    if (item) yield item;
  }

  /** Reports why there is no QR code as soon as the daemon knows, for example because of a broken proxy. */
  *#waiting({ status, qr, ...given }: QrAnswer): Generator<PairItem, void> {
    // with a one-time address, its page informs the owner
    if (this.#options.link || qr !== '' || status === 'qr' || status === 'connected') return;
    const isLate = this.#clock.now() - this.#movedAt >= SILENT_MS;
    const through = this.#options.proxy ? ' through the proxy' : '';
    const why =
      reasonText(given, this.#options.clientId) || (isLate ? `no answer from the network${through} yet` : '');
    if (why === '' || why === this.#waitsFor) return;
    this.#waitsFor = why;
    yield { type: 'waiting', reason: why };
  }

  /** Follows the history import, then ends. The number is linked even if the import is interrupted. */
  async *#end(): AsyncGenerator<PairItem, void> {
    const { clientId, signal } = this.#options;
    const { state } = await this.#client.checkState({ clientId });
    if (this.#isFresh && (await keepsHistory(this.#client, clientId))) {
      yield* followHistory(this.#client, { clientId, signal, clock: this.#clock });
    }
    yield { type: 'connected', jid: state, ...(this.#wasLinked && { already: true }) };
  }

  /** Checks for a standstill. @throws CliError if waiting longer is pointless */
  async #checkStuck(): Promise<void> {
    const { clientId, link } = this.#options;
    const timeoutMs = (this.#options.timeoutMs ?? (link ? LINK_TIMEOUT_MS : PAIR_TIMEOUT_MS)) + this.#extraMs;
    const now = this.#clock.now();
    const isTerminal = TERMINAL.has(this.#status ?? '');
    // the page of a one-time address can ask for new QR codes
    const isIdle = !link && this.#status !== 'qr' && now - this.#movedAt >= IDLE_MS;
    if (isTerminal || isIdle)
      throw new CliError('failure', await this.#reason(), { suggestions: again(clientId) });
    if (now - this.#startedAt >= timeoutMs) {
      const seconds = Math.round(timeoutMs / 1000);
      throw new CliError('failure', `the number was not linked within ${seconds} s`, {
        suggestions: again(clientId),
      });
    }
  }

  /** The daemon's reason for the standstill. */
  async #reason(): Promise<string> {
    const { clientId } = this.#options;
    const rows = await healthOf(this.#client, [clientId]);
    const row = rows.find((candidate) => candidate.clientId === clientId);
    const reason = row && (reasonText(row, clientId) || reasonText(lastDisconnectOf(row), clientId));
    return reason || `the session stays in ${this.#status ?? 'an unknown status'}`;
  }
}

const TERMINAL = new Set<string>(['logged_out', 'replaced', 'banned'] satisfies SessionStatus[]);

function again(clientId: string): string[] {
  return [`try again: switchboard pair ${clientId}`, 'find the cause: switchboard doctor'];
}

function failed(error: unknown, { clientId }: PairOptions): Extract<PairEnd, { type: 'failed' }> {
  if (!(error instanceof CliError)) {
    const reason = errorMessage(error);
    return { type: 'failed', reason, code: 'failure', suggestions: again(clientId) };
  }
  const { message, failure, suggestions } = error;
  return { type: 'failed', reason: message, code: failure, suggestions };
}

/** Milliseconds between two polls. */
const HISTORY_POLL_MS = 1_000;
/** Milliseconds without progress after which the command stops waiting; the daemon continues the import. */
const HISTORY_IDLE_MS = 60_000;
const COMPLETE = 100;

/** Progress of the history import. */
type HistoryItem = { type: 'history' } & HistoryProgress;

/**
 * Follows the history import until it completes or stalls. Errors are ignored, because the number is linked already.
 */
async function* followHistory(
  client: DaemonClient,
  { clientId, signal, clock }: { clientId: string; signal: AbortSignal; clock: Clock },
): AsyncGenerator<HistoryItem, void> {
  let shown: HistoryProgress = { progress: 0, messages: 0 };
  let movedAt = clock.now();
  yield { type: 'history', ...shown };
  while (!signal.aborted && clock.now() - movedAt < HISTORY_IDLE_MS) {
    const history = await look(client, clientId);
    if (history && (history.progress !== shown.progress || history.messages !== shown.messages)) {
      yield { type: 'history', ...history };
      shown = history;
      movedAt = clock.now();
    }
    if (history?.progress === COMPLETE) return;
    await wait(clock, HISTORY_POLL_MS, signal);
  }
}

async function keepsHistory(client: DaemonClient, clientId: string): Promise<boolean> {
  const { clients } = await client.listClients().catch(() => ({ clients: [] }));
  return clients.some((row) => row.clientId === clientId && row.orgId !== '');
}

async function look(client: DaemonClient, clientId: string): Promise<HistoryProgress | undefined> {
  const rows = await healthOf(client, [clientId]).catch(() => []);
  return rows.find((row) => row.clientId === clientId)?.history;
}

/** A warning about a one-time address that only this machine can open; empty for any other address. */
export function localLinkWarning(url: string): string {
  if (!URL.canParse(url) || !isThisMachine(url)) return '';
  return 'only this machine can open this address: for an owner elsewhere, start the daemon with --public-url';
}

/** Shows each step of a pairing and returns the last. */
export type PairRenderer = (items: AsyncIterable<PairItem>) => Promise<PairEnd>;

/** Renders for a pipe: one line per step, its type first. The caller prints a failure. */
export function renderPairLines(output: Output, clientId: string): PairRenderer {
  return (items) =>
    untilEnd(items, (item) => {
      if (item.type === 'status') output.line(`status ${item.status}`);
      if (item.type === 'qr') output.line(`qr ${item.qr}`);
      if (item.type === 'code') output.line(`code ${item.code}`);
      if (item.type === 'waiting') output.line(`waiting ${item.reason}`);
      if (item.type === 'link') {
        output.line(`link ${item.url} ${item.expiresAt}`);
        warnOfLocalLink(item.url, output);
      }
      if (item.type === 'passkey') showPasskey(clientId, item, output);
      if (item.type === 'history') output.line(`history ${item.progress} ${item.messages}`);
      if (item.type === 'connected') output.line(`connected ${item.jid}`);
    });
}

function warnOfLocalLink(url: string, output: Output): void {
  const warning = localLinkWarning(url);
  if (warning) output.warning(warning);
}

/** Prints one line for programs, and instructions on standard error. */
function showPasskey(clientId: string, item: PasskeyItem, output: Output): void {
  const { step, url, code, snippet } = item;
  output.line(['passkey', step, url ?? code].filter(Boolean).join(' '));
  if (snippet) output.line(`script ${snippet}`);
  for (const line of passkeyLines(clientId, item)) output.note(line);
  if (step === 'confirm_code') {
    output.note(`If they are the same: switchboard api POST /passkey/confirm --field clientId=${clientId}`);
  }
}

/** Renders as JSON: one value per line. */
export function renderPairJson(output: Output): PairRenderer {
  return (items) =>
    untilEnd(items, (item) => {
      output.json(item);
      if (item.type === 'link') warnOfLocalLink(item.url, output);
    });
}

async function untilEnd(items: AsyncIterable<PairItem>, show: (item: PairItem) => void): Promise<PairEnd> {
  for await (const item of items) {
    show(item);
    if (isPairEnd(item)) return item;
  }
  throw new Error('the pairing ended without its last item');
}
