import type { FleetPairing } from '../../../cli/fleet/model.js';
import type { Sort } from '../../../cli/fleet/order.js';
import type { Edit } from '../../text/edit.js';

/** What the operator is looking at, beside what is known of the fleet. */
export interface FleetView {
  page: FleetPage;
  /** The page that help and pairings go back to. */
  before: FleetPage;
  /** Name of the session; one that is not shown any more counts as the first. */
  selected: string | undefined;
  sort: Sort;
  filter: string;
  /** Index of the failed delivery that is selected on the page of a session. */
  failed: number;
  /** A question that waits for its answer. */
  ask: Ask | undefined;
  pairing: FleetPairing | undefined;
}

export type FleetPage = 'table' | 'session' | 'help' | 'pairing';

export type Ask =
  | { type: 'confirm'; question: string; yes(): void }
  | {
      type: 'input';
      label: string;
      placeholder: string;
      edit: Edit;
      /** Told of every change. */
      typed?(text: string): void;
      done(text: string): void;
      cancel?(): void;
    };

export const FIRST_VIEW: FleetView = {
  page: 'table',
  before: 'table',
  selected: undefined,
  sort: 'trouble',
  filter: '',
  failed: 0,
  ask: undefined,
  pairing: undefined,
};
