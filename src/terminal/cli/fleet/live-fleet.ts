import type { TailEntry } from '../../../contract/events/stream-entry.js';
import type { FleetAnswer } from '../../../contract/index.js';
import { type Clock, systemClock, wait } from '../../../domain/clock.js';
import { errorMessage } from '../../../domain/errors.js';
import { longestPause } from '../../../domain/retry.js';
import { plainLine } from '../../../domain/text.js';
import type { DaemonClient } from '../client.js';
import { CliError } from '../errors.js';
import type { Notice } from '../inbox/model.js';
import { pair } from '../pair.js';
import { proxyText } from '../sessions.js';
import { StateBox } from '../state-box.js';
import { type TailItem, tail } from '../tail.js';
import type { FleetModel, FleetPairing, FleetState, OpenedSession } from './model.js';
import { afterEntry, Batch, followSession, needsPoll, Polling } from './updates.js';

/** Failed deliveries shown per session. */
const FAILED_SHOWN = 100;
/** Entries kept of the opened session. */
const ENTRIES_KEPT = 200;
/** Pause before a stream that the daemon refused is reopened. */
const REOPEN = { pausesMs: [2_000], endless: true } as const;

const EMPTY: FleetState = {
  connection: { state: 'connecting' },
  loading: true,
  clockAheadMs: 0,
  nodes: [],
  sessions: [],
  opened: undefined,
  notice: undefined,
};

export class LiveFleet implements FleetModel {
  readonly #client: DaemonClient;
  readonly #clock: Clock;
  readonly #box = new StateBox(EMPTY);
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #polling: Polling;
  readonly #entries: Batch<TailEntry>;
  readonly #openedEntries: Batch<TailEntry>;
  /** Aborts when the opened session is left. */
  #look = new AbortController();

  constructor({
    client,
    signal,
    clock = systemClock,
  }: {
    client: DaemonClient;
    /** Closes the screen. */
    signal?: AbortSignal;
    clock?: Clock;
  }) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal ? AbortSignal.any([signal, this.#end.signal]) : this.#end.signal;
    this.#polling = new Polling({ read: () => this.#read(), clock, signal: this.#signal });
    this.#entries = new Batch(clock, (entries) => this.#takeEntries(entries));
    this.#openedEntries = new Batch(clock, (entries) => this.#addOpenedEntries(entries));
    void this.#polling.run();
    void this.#follow();
  }

  get state(): FleetState {
    return this.#box.state;
  }

  subscribe(listener: () => void): () => void {
    return this.#box.subscribe(listener);
  }

  close(): void {
    this.leave();
    this.#entries.clear();
    this.#end.abort();
    this.#box.close();
  }

  open(clientId: string): void {
    this.leave();
    this.#look = new AbortController();
    const signal = AbortSignal.any([this.#signal, this.#look.signal]);
    this.#change({ opened: { clientId, entries: [], failed: undefined, resending: [] } });
    const [client, clock] = [this.#client, this.#clock];
    void followSession({
      client,
      clientId,
      signal,
      clock,
      onEntry: (entry) => this.#openedEntries.add(entry),
    });
    void this.#readFailed(clientId);
  }

  leave(): void {
    this.#look.abort();
    this.#openedEntries.clear();
    if (this.state.opened) this.#change({ opened: undefined });
  }

  async reconnect(clientId: string): Promise<void> {
    await this.#act(async () => {
      await this.#client.reconnect({ clientId });
      return { level: 'done', text: `${clientId} connects again`, suggestions: [] };
    });
  }

  async disconnect(clientId: string): Promise<void> {
    await this.#act(async () => {
      const { warning } = await this.#client.disconnect({ clientId });
      if (this.state.opened?.clientId === clientId) this.leave();
      const text = warning
        ? `${clientId} is deleted, but ${warning}`
        : `${clientId} is logged out and deleted`;
      return { level: warning ? 'warning' : 'done', text, suggestions: [] };
    });
  }

  async setProxy(clientId: string, wanted: string | null): Promise<void> {
    await this.#act(async () => {
      const { proxy } = await this.#client.setProxy({ clientId, proxy: wanted });
      const text = proxy
        ? `${clientId} connects through ${proxyText(proxy)}`
        : `${clientId} connects directly`;
      return { level: 'done', text, suggestions: [] };
    });
  }

  async resendAllOf(clientId: string): Promise<void> {
    await this.#act(async () => {
      const { failedDeliveries } = await this.#client.listFailedDeliveries({ clientId });
      const events = failedDeliveries.filter(({ sample }) => !sample);
      if (events.length === 0)
        return { level: 'done', text: `${clientId} has no failed deliveries`, suggestions: [] };
      return this.#resendAll(events.map(({ id }) => id));
    });
  }

  async resend(wanted: readonly string[]): Promise<void> {
    const { opened } = this.state;
    if (!opened) return;
    const { clientId, resending } = opened;
    const ids = wanted.filter((id) => !resending.includes(id));
    if (ids.length === 0) return;
    this.#changeOpened(() => ({ resending: [...resending, ...ids] }));
    await this.#act(() => this.#resendAll(ids));
    await this.#readFailed(clientId);
    this.#changeOpened(({ resending }) => ({ resending: resending.filter((id) => !ids.includes(id)) }));
  }

  pair(clientId: string, how: { phone?: string; orgId?: string } = {}): FleetPairing {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    const items = pair(this.#client, { clientId, signal, clock: this.#clock, ...how });
    return { clientId, items, stop: () => stop.abort() };
  }

  say(notice: Notice | undefined): void {
    this.#change({ notice });
  }

  async #resendAll(ids: readonly string[]): Promise<Notice> {
    let [arrived, reason] = [0, ''];
    for (const id of ids) {
      if (this.#signal.aborted) break;
      const answer = await this.#client.resendFailedDelivery({ id });
      if (answer.delivered) arrived += 1;
      else reason = answer.reason;
    }
    if (arrived === ids.length) return { level: 'done', text: `${arrived} delivered`, suggestions: [] };
    const text = `${ids.length - arrived} of ${ids.length} failed again: ${plainLine(reason)}`;
    return { level: 'error', text, suggestions: [] };
  }

  /** Runs an action, shows its outcome, and requests a poll. */
  async #act(action: () => Promise<Notice>): Promise<void> {
    try {
      this.say(await action());
    } catch (error) {
      this.#fail(error);
    }
    this.#polling.soon();
  }

  #fail(error: unknown): void {
    if (this.#signal.aborted) return;
    const suggestions = error instanceof CliError ? error.suggestions : [];
    this.say({ level: 'error', text: messageOf(error), suggestions });
  }

  async #read(): Promise<void> {
    try {
      this.#take(await this.#client.getFleet());
    } catch (error) {
      // the stream reports a lost connection
      if (!(error instanceof CliError && error.failure === 'unreachable')) this.#fail(error);
    }
  }

  #take({ at, nodes, sessions }: FleetAnswer): void {
    if (this.#signal.aborted) return;
    const clockAheadMs = Date.parse(at) - this.#clock.now();
    this.#change({ loading: false, readAt: this.#clock.now(), clockAheadMs, nodes, sessions });
  }

  async #readFailed(clientId: string): Promise<void> {
    try {
      const wanted = { clientId, limit: FAILED_SHOWN };
      const { failedDeliveries: failed } = await this.#client.listFailedDeliveries(wanted);
      this.#changeOpened((opened) => (opened.clientId === clientId ? { failed } : {}));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #follow(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        for await (const item of tail(this.#client, { signal: this.#signal, clock: this.#clock }))
          this.#onItem(item);
      } catch (error) {
        this.#change({ connection: { state: 'reconnecting', reason: messageOf(error) } });
      }
      await wait(this.#clock, longestPause(REOPEN), this.#signal);
    }
  }

  #onItem(item: TailItem): void {
    if (item.type === 'reconnecting') {
      this.#change({ connection: { state: 'reconnecting', reason: plainLine(item.reason) } });
    } else if (item.type === 'open') {
      this.#change({ connection: { state: 'open' } });
      this.#polling.soon();
    } else {
      this.#entries.add(item.entry);
    }
  }

  #takeEntries(entries: readonly TailEntry[]): void {
    const sessions = entries.reduce(afterEntry, this.state.sessions);
    if (sessions !== this.state.sessions) this.#change({ sessions });
    if (entries.some(needsPoll)) this.#polling.soon();
  }

  #addOpenedEntries(entries: readonly TailEntry[]): void {
    this.#changeOpened((opened) => ({ entries: [...opened.entries, ...entries].slice(-ENTRIES_KEPT) }));
    const dropped = entries.find(({ kind }) => kind === 'dropped');
    if (dropped) void this.#readFailed(dropped.clientId);
  }

  #changeOpened(change: (opened: OpenedSession) => Partial<OpenedSession>): void {
    const { opened } = this.state;
    if (opened) this.#change({ opened: { ...opened, ...change(opened) } });
  }

  #change(changes: Partial<FleetState>): void {
    this.#box.update((state) => ({ ...state, ...changes }));
  }
}

function messageOf(error: unknown): string {
  return plainLine(errorMessage(error));
}
