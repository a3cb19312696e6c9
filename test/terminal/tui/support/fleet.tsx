import type { FleetModel, FleetPairing, FleetState } from '../../../../src/terminal/cli/fleet/model.js';
import type { Notice } from '../../../../src/terminal/cli/inbox/model.js';
import type { PairItem } from '../../../../src/terminal/cli/pair.js';
import type { Target } from '../../../../src/terminal/tui/fleet/all-fleets.js';
import { AllFleetsScreen } from '../../../../src/terminal/tui/fleet/all-fleets-screen.js';
import { FleetScreen } from '../../../../src/terminal/tui/fleet/fleet-screen.js';
import { FLEET_NOW, nodeRow, sessionRow } from '../../cli/support/entries.js';
import { ItemFeed } from '../item-feed.js';
import { draw, type Look, type Rendered } from './rendered.js';

/** A fleet with a state set by the test. Records the calls of its actions. */
export class ScriptedFleet implements FleetModel {
  /** The recorded calls, with their arguments, in order. */
  readonly asked: unknown[][] = [];
  /** The steps of a pairing, added by the test. */
  readonly pairing = new ItemFeed<PairItem>();
  /** The session that cannot be reconnected. */
  failing = '';
  #state: FleetState;
  readonly #listeners = new Set<() => void>();

  constructor(state: Partial<FleetState>) {
    this.#state = { ...SOME_FLEET, ...state };
  }

  get state(): FleetState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(change: Partial<FleetState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  close(): void {
    this.asked.push(['close']);
  }

  open(clientId: string): void {
    this.change({ opened: { clientId, entries: [], failed: [], resending: [] } });
  }

  leave(): void {
    this.change({ opened: undefined });
  }

  async reconnect(clientId: string): Promise<void> {
    this.asked.push(['reconnect', clientId]);
    if (clientId === this.failing) this.say({ level: 'error', text: `${clientId} fails`, suggestions: [] });
  }

  async disconnect(clientId: string): Promise<void> {
    this.asked.push(['disconnect', clientId]);
  }

  async setProxy(clientId: string, proxy: string | null): Promise<void> {
    this.asked.push(['setProxy', clientId, proxy]);
  }

  async resendAllOf(clientId: string): Promise<void> {
    this.asked.push(['resendAllOf', clientId]);
  }

  async resend(ids: readonly string[]): Promise<void> {
    this.asked.push(['resend', ...ids]);
  }

  pair(clientId: string, how?: { phone?: string; orgId?: string }): FleetPairing {
    this.asked.push(['pair', clientId, ...(how ? [how] : [])]);
    const stop = () => {
      this.pairing.give({ type: 'failed', reason: 'interrupted', code: 'interrupted', suggestions: [] });
      this.pairing.end();
    };
    return { clientId, items: this.pairing, stop };
  }

  say(notice: Notice | undefined): void {
    this.change({ notice });
  }
}

const SOME_FLEET: FleetState = {
  connection: { state: 'open' },
  loading: false,
  clockAheadMs: 0,
  nodes: [nodeRow('node-1')],
  sessions: [
    sessionRow('acme'),
    sessionRow('beta'),
    sessionRow('gone', { status: 'logged_out', loggedIn: false }),
  ],
  opened: undefined,
  notice: undefined,
};

/** The fleet on a simulated terminal. */
export interface ShownFleet extends Rendered {
  model: ScriptedFleet;
  /** True after the operator has quit. */
  hasLeft(): boolean;
}

export async function showFleet(
  state: Partial<FleetState> = {},
  size = { columns: 140, rows: 24 },
  look: Look = {},
): Promise<ShownFleet> {
  const model = new ScriptedFleet(state);
  let left = false;
  const leave = () => {
    left = true;
  };
  const screen = await draw(
    <FleetScreen
      model={model}
      url="http://127.0.0.1:3000"
      now={now}
      onInbox={(clientId) => model.asked.push(['inbox', clientId])}
      onLeave={leave}
    />,
    size,
    look,
  );
  return { ...screen, model, hasLeft: () => left };
}

/** The fleets of two contexts on a simulated terminal. Records the sessions that are opened. */
export async function showAllFleets(
  models: Readonly<Record<string, ScriptedFleet>>,
  size = { columns: 120, rows: 20 },
): Promise<Rendered & { opened: Target[]; hasLeft(): boolean }> {
  const opened: Target[] = [];
  let left = false;
  const contexts = Object.entries(models).map(([context, model]) => {
    return { context, url: `https://${context}.example.com`, model };
  });
  const screen = await draw(
    <AllFleetsScreen
      contexts={contexts}
      now={now}
      onOpen={(target) => opened.push(target)}
      onLeave={() => {
        left = true;
      }}
    />,
    size,
  );
  return { ...screen, opened, hasLeft: () => left };
}

function now(): number {
  return FLEET_NOW;
}
