import type { FleetPairing } from '../../cli/fleet/model.js';
import type { Sort } from '../../cli/fleet/standing.js';
import type { Edit } from '../text/edit.js';

/** The state of the screen, beside the model's. */
export interface FleetView {
  page: FleetPage;
  /** The page to go back to from the help page or a pairing. */
  before: FleetPage;
  /** Name of the selected session; if it is not in the table, the first row is selected. */
  selected: string | undefined;
  /** Names of the marked sessions; an action is done with all of them. */
  marked: ReadonlySet<string>;
  sort: Sort;
  filter: string;
  /** Index of the selected failed delivery on the page of a session. */
  failed: number;
  /** The open question. */
  ask: Ask | undefined;
  pairing: FleetPairing | undefined;
}

type FleetPage = 'table' | 'session' | 'help' | 'pairing';

export type Ask =
  | { type: 'confirm'; question: string; yes(): void }
  | {
      type: 'input';
      label: string;
      placeholder: string;
      edit: Edit;
      /** Called after every change. */
      typed?(text: string): void;
      done(text: string): void;
      cancel?(): void;
    };

export const FIRST_VIEW: FleetView = {
  page: 'table',
  before: 'table',
  selected: undefined,
  marked: new Set(),
  sort: 'trouble',
  filter: '',
  failed: 0,
  ask: undefined,
  pairing: undefined,
};
