import type { FleetSession } from '../../../contract/index.js';
import type { EpochMs } from '../../../domain/clock.js';
import type { FleetModel } from '../../cli/fleet/model.js';
import { arranged } from '../../cli/fleet/standing.js';
import { StateBox } from '../../cli/state-box.js';
import { FIRST_VIEW, type FleetView } from './view-state.js';

interface FleetControllerOptions {
  model: FleetModel;
  /** By this machine's clock. */
  now(): EpochMs;
  /** The session that is selected first. */
  selected?: string;
  /** Called when the operator quits. */
  leave(): void;
  /** Called when the operator goes to the inbox of a session. */
  openInbox(clientId: string): void;
}

/** The observable state of the screen; keys and actions change it. */
export class FleetController {
  readonly #options: FleetControllerOptions;
  readonly model: FleetModel;
  readonly #box = new StateBox<FleetView>(FIRST_VIEW);

  constructor(options: FleetControllerOptions) {
    this.#options = options;
    this.model = options.model;
    // the inbox of an open session comes back to its page
    this.change({ selected: options.selected, page: this.model.state.opened ? 'session' : 'table' });
  }

  get state(): FleetView {
    return this.#box.state;
  }

  subscribe(listener: () => void): () => void {
    return this.#box.subscribe(listener);
  }

  /** The sessions of the table: filtered and sorted. */
  rows(): FleetSession[] {
    const { sessions, clockAheadMs } = this.model.state;
    const { sort, filter } = this.state;
    return arranged(sessions, { sort, filter, now: this.#options.now() + clockAheadMs });
  }

  change(changes: Partial<FleetView>): void {
    this.#box.update((view) => ({ ...view, ...changes }));
  }

  /** The session on the open page, or the selected row. */
  current(): FleetSession | undefined {
    const { opened, sessions } = this.model.state;
    if (opened) return sessions.find(({ clientId }) => clientId === opened.clientId);
    const rows = this.rows();
    return rows.find(({ clientId }) => clientId === this.state.selected) ?? rows[0];
  }

  /** Leaves the screen for the session's inbox, which needs a workspace. */
  openInbox({ clientId }: FleetSession): void {
    this.#options.openInbox(clientId);
  }

  leave(): void {
    this.state.pairing?.stop();
    this.#options.leave();
  }
}
