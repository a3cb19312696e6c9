import type { FleetModel, FleetNotice, FleetPairing, FleetState } from '../../../src/cli/fleet/model.js';
import type { PairItem } from '../../../src/cli/pair.js';
import { LookContext, PLAIN_LOOK } from '../../../src/tui/look.js';
import { FleetScreen } from '../../../src/tui/screens/fleet/fleet-screen.js';
import { FLEET_NOW, nodeRow, sessionRow } from '../../cli/support/fleet-rows.js';
import { ItemFeed } from '../item-feed.js';
import { draw, type Rendered } from '../rendered.js';

/** A fleet whose state a test gives, and which writes down what it is asked to do. */
export class ScriptedFleet implements FleetModel {
  /** Each action with what it was given, in order. */
  readonly asked: unknown[][] = [];
  /** The steps of a pairing, which a test gives. */
  readonly pairing = new ItemFeed<PairItem>();
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
  }

  async disconnect(clientId: string): Promise<void> {
    this.asked.push(['disconnect', clientId]);
  }

  async resend(ids: readonly string[]): Promise<void> {
    this.asked.push(['resend', ...ids]);
  }

  pair(clientId: string, phone?: string): FleetPairing {
    this.asked.push(['pair', clientId, ...(phone ? [phone] : [])]);
    const stop = () => {
      this.pairing.give({ type: 'failed', reason: 'interrupted', code: 'interrupted', suggestions: [] });
      this.pairing.end();
    };
    return { clientId, items: this.pairing, stop };
  }

  say(notice: FleetNotice | undefined): void {
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

/** The fleet on a terminal of a test's own. */
export interface ShownFleet extends Rendered {
  model: ScriptedFleet;
  /** True once the operator has left. */
  hasLeft(): boolean;
}

export function showFleet(
  state: Partial<FleetState> = {},
  size = { columns: 140, rows: 24 },
  look = PLAIN_LOOK,
): ShownFleet {
  const model = new ScriptedFleet(state);
  let left = false;
  const leave = () => {
    left = true;
  };
  const screen = draw(
    <LookContext value={look}>
      <FleetScreen model={model} url="http://127.0.0.1:3000" now={now} onLeave={leave} />
    </LookContext>,
    size,
  );
  return { ...screen, model, hasLeft: () => left };
}

function now(): number {
  return FLEET_NOW;
}
