import type { FleetSession } from '../../../contract/index.js';
import type { FleetModel, FleetState } from '../../cli/fleet/model.js';
import { arranged } from '../../cli/fleet/standing.js';
import { StateBox } from '../../cli/state-box.js';
import { hintLine, insideOf, paneLines } from '../pane.js';
import type { Press } from '../press.js';
import type { Store, TerminalSize } from '../screen.js';
import { cleanLine } from '../text/foreign.js';
import { fitLines, type Line, spread } from '../text/line.js';
import { moved, STEPS, windowStart } from '../widgets.js';
import { SEPARATOR, staleText } from './fleet-view.js';
import { type Fitted, fitColumns, headLine, rowLine, totalsLine } from './table-view.js';

/** The daemon of a context. */
export interface ContextModel {
  context: string;
  url: string;
  model: FleetModel;
}

/** A session with the daemon that it belongs to. */
export interface Target {
  context: string;
  clientId: string;
}

interface ContextState extends Omit<ContextModel, 'model'> {
  fleet: FleetState;
}

export interface AllFleetsState {
  fleets: readonly ContextState[];
  /** If it is not there any more, the first session is selected. */
  selected: Target | undefined;
}

/** The observable state of the fleets of all contexts. */
export class AllFleets implements Store<AllFleetsState> {
  readonly #contexts: readonly ContextModel[];
  readonly #box: StateBox<AllFleetsState>;
  readonly #ends: readonly (() => void)[];

  constructor(contexts: readonly ContextModel[], selected?: Target) {
    this.#contexts = contexts;
    this.#box = new StateBox<AllFleetsState>({ fleets: this.#read(), selected });
    const update = () => this.#box.update((state) => ({ ...state, fleets: this.#read() }));
    this.#ends = contexts.map(({ model }) => model.subscribe(update));
  }

  get state(): AllFleetsState {
    return this.#box.state;
  }

  subscribe(listener: () => void): () => void {
    return this.#box.subscribe(listener);
  }

  /** Moves the selection by so many sessions, also to another context. */
  select(by: number, now: number): void {
    const all = targetsOf(this.state, now);
    const selected = all[moved(placeOf(all, this.state.selected), by, all.length)];
    this.#box.update((state) => ({ ...state, selected }));
  }

  /** The selected session; undefined if there are none. */
  current(now: number): Target | undefined {
    const all = targetsOf(this.state, now);
    return all[placeOf(all, this.state.selected)];
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  #read(): ContextState[] {
    return this.#contexts.map(({ context, url, model }) => ({ context, url, fleet: model.state }));
  }
}

/** Handles a press. @param actions called with the selected session, and when the operator quits */
export function pressKey(
  fleets: AllFleets,
  press: Press,
  { now, open, leave }: { now: number; open(target: Target): void; leave(): void },
): void {
  if (press.type === 'paste') return;
  const keys = press.type === 'text' ? [...press.text] : [press.type === 'mouse' ? press.action : press.key];
  for (const key of keys) {
    const target = fleets.current(now);
    const steps = STEPS[key];
    if (key === 'q' || key === 'ctrl+c') leave();
    else if (steps !== undefined) fleets.select(steps, now);
    else if ((key === 'enter' || key === 'right') && target) open(target);
  }
}

/** The sessions of a context, problems first. */
function rowsOf({ fleet }: ContextState, now: number): FleetSession[] {
  return arranged(fleet.sessions, { sort: 'trouble', filter: '', now: now + fleet.clockAheadMs });
}

function targetsOf({ fleets }: AllFleetsState, now: number): Target[] {
  return fleets.flatMap((one) =>
    rowsOf(one, now).map(({ clientId }) => ({ context: one.context, clientId })),
  );
}

function placeOf(all: readonly Target[], selected: Target | undefined): number {
  return Math.max(
    0,
    all.findIndex(({ context, clientId }) => context === selected?.context && clientId === selected.clientId),
  );
}

/** Below these sizes there is no frame. */
const FRAMED = { columns: 60, rows: 15 };

/** Draws the whole screen: the sessions of each context below its name. */
export function allFleetsLines(
  state: AllFleetsState,
  { now, size, color }: { now: number; size: TerminalSize; color: boolean },
): Line[] {
  const { columns, rows } = size;
  const height = Math.max(1, rows - 2);
  const isFramed = columns >= FRAMED.columns && rows >= FRAMED.rows;
  const pane = { columns, rows: height, isFocused: true, color };
  const inside = isFramed ? insideOf(pane) : pane;
  const body = bodyLines(state, now, inside.columns, inside.rows);
  const away = state.fleets.filter(({ fleet }) => fleet.connection.state === 'reconnecting').length;
  const framed = isFramed
    ? paneLines(
        {
          ...pane,
          title: [{ text: 'Contexts ' }, { text: String(state.fleets.length), dim: true }],
          about: away > 0 ? [{ text: `${away} without an answer`, color: 'red', bold: true }] : [],
        },
        body,
      )
    : fitLines(body, columns, height);
  return [headerLine(state, columns), ...framed, hintLine(HINTS, columns)].slice(0, rows);
}

const HINTS = [
  ['Enter', 'open the fleet of the context'],
  ['↑ ↓', 'choose'],
  ['q', 'quit'],
] as const;

function headerLine({ fleets }: AllFleetsState, columns: number): Line {
  const sessions = fleets.flatMap(({ fleet }) => fleet.sessions);
  const left: Line = [
    { text: ' switchboard', bold: true, color: 'accent' },
    { text: ' fleet --all' },
    SEPARATOR,
    ...totalsLine(sessions),
  ];
  const live = fleets.filter(({ fleet }) => fleet.connection.state === 'open').length;
  const isAll = live === fleets.length;
  const right: Line = [
    { text: isAll ? '● live ' : `! ${live} of ${fleets.length} live `, color: isAll ? 'green' : 'yellow' },
  ];
  return spread(left, right, columns).map((span) => ({ ...span, back: 'bar' }));
}

/** The titles of the columns, and as many lines around the selected session as fit. */
function bodyLines(state: AllFleetsState, now: number, columns: number, rows: number): Line[] {
  const all = targetsOf(state, now);
  const chosen = all[placeOf(all, state.selected)];
  const fitted = fitColumns(
    state.fleets.flatMap(({ fleet }) => fleet.sessions),
    now,
    columns,
  );
  const lines = state.fleets.flatMap((one) => groupLines(one, { now, columns, fitted, chosen }));
  const place = Math.max(
    0,
    lines.findIndex(({ isChosen }) => isChosen),
  );
  const shown = Math.max(1, rows - 1);
  const start = windowStart(lines.length, place, shown);
  return [headLine(fitted, columns), ...lines.slice(start, start + shown).map(({ line }) => line)];
}

/** The name of a context with its state, and its sessions; dim if the daemon does not answer. */
function groupLines(
  one: ContextState,
  {
    now,
    columns,
    fitted,
    chosen,
  }: { now: number; columns: number; fitted: readonly Fitted[]; chosen: Target | undefined },
): { line: Line; isChosen: boolean }[] {
  const { context, fleet } = one;
  const isStale = fleet.connection.state === 'reconnecting';
  const rows = rowsOf(one, now).map((row) => {
    const isChosen = chosen?.context === context && chosen.clientId === row.clientId;
    const line = rowLine(row, { fitted, isChosen, isStale, now: now + fleet.clockAheadMs, columns });
    return { line, isChosen };
  });
  return [{ line: contextLine(one, columns), isChosen: false }, ...rows];
}

function contextLine({ context, url, fleet }: ContextState, columns: number): Line {
  const { connection, sessions, loading } = fleet;
  const isAway = connection.state === 'reconnecting';
  const left: Line = [
    isAway ? { text: ' ✗ ', color: 'red' } : { text: ' ● ', color: loading ? 'yellow' : 'green' },
    { text: context, bold: true, color: 'accent' },
    { text: `  ${cleanLine(url)}`, dim: true },
    ...(isAway ? [{ text: `  ${cleanLine(connection.reason)}`, color: 'red' as const }] : []),
  ];
  const counts: Line = loading ? [{ text: 'asking the daemon …', dim: true }] : totalsLine(sessions);
  const state: Line = staleText(fleet) ?? (isAway ? [{ text: 'no answer yet', dim: true }] : counts);
  return spread(left, [...state, { text: ' ' }], columns).map((span) => ({ ...span, back: 'idle' }));
}
