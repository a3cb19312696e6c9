import type { TailEntry } from '../../delivery/tail.js';
import { type Clock, systemClock, wait } from '../../domain/clock.js';
import { errorMessage } from '../../domain/error-message.js';
import { CliError } from '../cli-error.js';
import type { DaemonClient } from '../client.js';
import { listFailed, resendFailed } from '../failed.js';
import { pair } from '../pair.js';
import { plainLine } from '../plain-text.js';
import { StateBox } from '../state-box.js';
import { type TailItem, tail } from '../tail.js';
import { Batch } from './batch.js';
import { afterEntry, callsForReading } from './changes.js';
import { readFleet, reconnectSession } from './fleet-api.js';
import type { FleetModel, FleetNotice, FleetPairing, FleetState, OpenedSession } from './model.js';
import { Readings } from './readings.js';
import { followSession } from './session-feed.js';
import type { FleetAnswer } from './wire.js';

/** Failed deliveries that are shown of a session. */
const FAILED_SHOWN = 100;
/** Entries of the opened session that are kept. */
const ENTRIES_KEPT = 200;
/** Milliseconds between attempts when the daemon refuses the stream. */
const AGAIN_AFTER_MS = 2_000;

export interface LiveFleetOptions {
  client: DaemonClient;
  /** Ends it, as `close` does. */
  signal?: AbortSignal;
  clock?: Clock;
}

const EMPTY: FleetState = {
  connection: { state: 'connecting' },
  loading: true,
  clockAheadMs: 0,
  nodes: [],
  sessions: [],
  opened: undefined,
  notice: undefined,
};

/** The fleet of one daemon, live. */
export class LiveFleet implements FleetModel {
  readonly #client: DaemonClient;
  readonly #clock: Clock;
  readonly #box = new StateBox(EMPTY);
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #readings: Readings;
  readonly #entries: Batch<TailEntry>;
  readonly #openedEntries: Batch<TailEntry>;
  /** Ends the look at the opened session. */
  #look = new AbortController();

  constructor({ client, signal, clock = systemClock }: LiveFleetOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal ? AbortSignal.any([signal, this.#end.signal]) : this.#end.signal;
    this.#readings = new Readings({ read: () => this.#read(), clock, signal: this.#signal });
    this.#entries = new Batch(clock, (entries) => this.#takeEntries(entries));
    this.#openedEntries = new Batch(clock, (entries) => this.#noteEntries(entries));
    void this.#readings.run();
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
      await reconnectSession(this.#client, clientId);
      return { level: 'done', text: `${clientId} connects again`, suggestions: [] };
    });
  }

  async disconnect(clientId: string): Promise<void> {
    await this.#act(async () => {
      const { warning } = await this.#client.disconnect(clientId);
      if (this.state.opened?.clientId === clientId) this.leave();
      const text = warning ? `${clientId} is gone, but ${warning}` : `${clientId} is logged out and deleted`;
      return { level: warning ? 'warning' : 'done', text, suggestions: [] };
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

  pair(clientId: string, phone?: string): FleetPairing {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    const items = pair(this.#client, { clientId, signal, clock: this.#clock, ...(phone && { phone }) });
    return { clientId, items, stop: () => stop.abort() };
  }

  say(notice: FleetNotice | undefined): void {
    this.#change({ notice });
  }

  async #resendAll(ids: readonly string[]): Promise<FleetNotice> {
    let [arrived, reason] = [0, ''];
    for (const id of ids) {
      if (this.#signal.aborted) break;
      const answer = await resendFailed(this.#client, id);
      if (answer.delivered) arrived += 1;
      else reason = answer.reason;
    }
    if (arrived === ids.length) return { level: 'done', text: `${arrived} sent again`, suggestions: [] };
    const text = `${ids.length - arrived} of ${ids.length} did not arrive: ${plainLine(reason)}`;
    return { level: 'error', text, suggestions: [] };
  }

  /** What is done shows in the figures soon, what fails in the notice. */
  async #act(action: () => Promise<FleetNotice>): Promise<void> {
    try {
      this.say(await action());
    } catch (error) {
      this.#fail(error);
    }
    this.#readings.soon();
  }

  #fail(error: unknown): void {
    if (this.#signal.aborted) return;
    const suggestions = error instanceof CliError ? error.suggestions : [];
    this.say({ level: 'error', text: messageOf(error), suggestions });
  }

  async #read(): Promise<void> {
    try {
      this.#take(await readFleet(this.#client));
    } catch (error) {
      // that the daemon is away is told by the stream
      if (!(error instanceof CliError && error.failure === 'unreachable')) this.#fail(error);
    }
  }

  #take({ at, nodes, sessions }: FleetAnswer): void {
    if (this.#signal.aborted) return;
    const clockAheadMs = Date.parse(at) - this.#clock.now();
    this.#change({ loading: false, clockAheadMs, nodes, sessions });
  }

  async #readFailed(clientId: string): Promise<void> {
    try {
      const wanted = { session: clientId, limit: FAILED_SHOWN };
      const { failedDeliveries: failed } = await listFailed(this.#client, wanted);
      this.#changeOpened((opened) => (opened.clientId === clientId ? { failed } : {}));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #follow(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        for await (const item of tail(this.#client, { signal: this.#signal, clock: this.#clock }))
          this.#hear(item);
      } catch (error) {
        this.#change({ connection: { state: 'reconnecting', reason: messageOf(error) } });
      }
      await wait(this.#clock, AGAIN_AFTER_MS, this.#signal);
    }
  }

  #hear(item: TailItem): void {
    if (item.type === 'reconnecting') {
      this.#change({ connection: { state: 'reconnecting', reason: plainLine(item.reason) } });
    } else if (item.type === 'open') {
      this.#change({ connection: { state: 'open' } });
      this.#readings.soon();
    } else {
      this.#entries.add(item.entry);
    }
  }

  #takeEntries(entries: readonly TailEntry[]): void {
    const sessions = entries.reduce(afterEntry, this.state.sessions);
    if (sessions !== this.state.sessions) this.#change({ sessions });
    if (entries.some(callsForReading)) this.#readings.soon();
  }

  #noteEntries(entries: readonly TailEntry[]): void {
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
