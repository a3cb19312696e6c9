import type { FleetNode, FleetSession } from '../../../contract/index.js';
import { isNodeWell, nodeText } from '../../cli/fleet/cells.js';
import type { FleetState } from '../../cli/fleet/model.js';
import { hintLine, type Pane, paneLines } from '../pane.js';
import type { TerminalSize } from '../screen.js';
import type { TerminalAbilities } from '../terminal.js';
import { cleanLine } from '../text/foreign.js';
import { fitLine, fitLines, type Line, type Span, spread } from '../text/line.js';
import { confirmLine, keyHelpLines, textInputLine } from '../widgets.js';
import { FLEET_KEYS, hintsOf } from './key-help.js';
import { sessionLines, sessionPanes } from './session-view.js';
import { tableLines, totalsLine } from './table-view.js';
import type { FleetView } from './view-state.js';

/** Nodes with their own line even on a small screen, and the part of a larger screen that nodes may use. */
const NODES_SHOWN = 3;
const SHARE_OF_NODES = 0.25;
/** Lines at the bottom: a question or notice, and the keys. */
const FOOTER = 2;

interface FleetPicture {
  fleet: FleetState;
  view: FleetView;
  /** The sessions of the table: filtered and sorted. */
  rows: readonly FleetSession[];
  /** By the daemon's clock. */
  now: number;
  size: TerminalSize;
  url: string;
  look: TerminalAbilities;
}

/** Draws the whole screen, except pairings. */
export function fleetLines(picture: FleetPicture): Line[] {
  const { view, size } = picture;
  const [columns, rows] = [size.columns, Math.max(FOOTER + 2, size.rows)];
  if (view.page === 'help') return keyHelpLines(FLEET_KEYS, columns, rows);
  const height = rows - 1 - FOOTER;
  const body = fitLines(bodyLines(picture, height), columns, height);
  const head = titleLine(picture).map((span) => ({ ...span, back: span.back ?? ('bar' as const) }));
  const hints = hintsOf(view, picture.fleet.opened?.failed?.length ?? 0);
  const lines = [head, ...body, saidLine(picture), hintLine(hints, columns)];
  return lines.map((line) => fitLine(line, columns));
}

/** Below these sizes there are no frames. */
const FRAMED = { columns: 60, rows: 15 };

function hasFrames({ columns, rows }: TerminalSize): boolean {
  return columns >= FRAMED.columns && rows >= FRAMED.rows;
}

function bodyLines(picture: FleetPicture, height: number): Line[] {
  const { fleet, view, rows, now, size } = picture;
  const { columns } = size;
  const { opened } = fleet;
  const isFramed = hasFrames(size);
  const [wide, high] = isFramed ? [columns - 2, height - 2] : [columns, height];
  if (opened) {
    const session = { fleet, opened, failed: view.failed, now, columns, rows: height };
    const frame = { color: picture.look.color, about: orderText(fleet, view) };
    return isFramed ? sessionPanes(session, frame) : sessionLines(session);
  }
  const most = Math.max(NODES_SHOWN, Math.floor(height * SHARE_OF_NODES));
  const nodes = nodeLines(fleet.nodes, now, most);
  const room = high - nodes.length;
  const isStale = fleet.connection.state === 'reconnecting';
  const { selected, marked } = view;
  const table =
    rows.length === 0
      ? [[], [{ text: `  ${emptyText(fleet, view)}`, dim: true }]]
      : tableLines({ rows, selected, marked, isStale, now, columns: wide, height: room });
  if (!isFramed) return [...nodes, ...table];
  const count =
    rows.length < fleet.sessions.length ? `${rows.length} of ${fleet.sessions.length}` : `${rows.length}`;
  const title: Line = [{ text: 'Sessions ' }, { text: fleet.loading ? '' : count, dim: true }];
  const pane = paneOf(picture, height - nodes.length, title);
  const below = [pane.below, placeText(picture, room)].filter((line) => line.length > 0);
  const joined = below.flatMap(
    (line, place): Line => (place > 0 ? [{ text: ' · ', dim: true }, ...line] : line),
  );
  return [...nodes, ...paneLines({ ...pane, below: joined }, table)];
}

function paneOf(
  { fleet, view, size, look }: FleetPicture,
  rows: number,
  title: Line,
): Pane & { below: Line } {
  return {
    title,
    about: orderText(fleet, view),
    below: markedText(fleet, view),
    isFocused: true,
    color: look.color,
    columns: size.columns,
    rows,
  };
}

/** The order of the rows, or their time if they may be out of date. */
function orderText(fleet: FleetState, view: FleetView): Line {
  return staleText(fleet) ?? (fleet.opened ? [] : [{ text: `by ${view.sort}`, dim: true }]);
}

function markedText({ opened }: FleetState, { marked }: FleetView): Line {
  if (opened || marked.size === 0) return [];
  return [{ text: `${marked.size} marked`, color: 'accent', bold: true }];
}

/** The place of the selected row, if not all rows fit below the heading. */
function placeText({ view, rows }: FleetPicture, height: number): Line {
  if (rows.length < height) return [];
  const place = rows.findIndex(({ clientId }) => clientId === view.selected);
  return [{ text: `${Math.max(0, place) + 1} of ${rows.length}`, dim: true }];
}

/** When the shown states were true, if the daemon does not answer now. */
export function staleText({
  connection,
  readAt,
}: Pick<FleetState, 'connection' | 'readAt'>): Line | undefined {
  if (connection.state !== 'reconnecting' || readAt === undefined) return undefined;
  const time = new Date(readAt).toTimeString().slice(0, 8);
  return [{ text: `as of ${time}`, color: 'yellow', bold: true }];
}

function emptyText({ loading, sessions }: FleetState, { filter }: FleetView): string {
  if (loading) return 'asking the daemon …';
  if (sessions.length > 0) return `no session matches ${filter}; Esc clears the filter`;
  return 'no sessions yet; n pairs a number';
}

/** Between the parts of the header. */
export const SEPARATOR: Span = { text: ' │ ', color: 'border' };

function titleLine({ fleet, view, url, size }: FleetPicture): Line {
  const left: Line = [
    { text: ' switchboard', bold: true, color: 'accent' },
    { text: ' fleet' },
    ...(fleet.loading ? [] : [SEPARATOR, ...totalsLine(fleet.sessions)]),
    SEPARATOR,
    { text: url, dim: true },
  ];
  // a frame shows these at its edges
  const edges = hasFrames(size) ? [] : [markedText(fleet, view), orderText(fleet, view)];
  const right = edges.flatMap((line): Line => (line.length > 0 ? [...line, { text: '  ' }] : []));
  return spread(left, [...right, ...connectionSpans(fleet)], size.columns);
}

function connectionSpans({ connection }: FleetState): Line {
  if (connection.state === 'open') return [{ text: '● live ', color: 'green' }];
  if (connection.state === 'connecting') return [{ text: '… connecting ', color: 'yellow' }];
  return [{ text: '! reconnecting ', color: 'red', bold: true }];
}

function nodeLines(nodes: readonly FleetNode[], now: number, most: number): Line[] {
  // nodes with problems are always visible
  const sorted = nodes.toSorted((a, b) => Number(isNodeWell(a)) - Number(isNodeWell(b)));
  const shown = sorted.slice(0, most).map((node): Line => {
    const text = cleanLine(nodeText(node, now, nodes.length));
    return [nodeMark(node), { text, bold: !isNodeWell(node) }];
  });
  const rest = nodes.length - shown.length;
  return rest > 0 ? [...shown, [{ text: `   and ${rest} more nodes`, dim: true }]] : shown;
}

function nodeMark(node: FleetNode): Span {
  if (!isNodeWell(node)) return { text: ' ✗ ', color: 'red' };
  return node.draining ? { text: ' ! ', color: 'yellow' } : { text: ' ● ', color: 'green' };
}

const NOTICE_LOOKS = {
  error: { mark: '✗', color: 'red' },
  warning: { mark: '!', color: 'yellow' },
  done: { mark: '✓', color: 'green' },
} as const;

/** The open question, or else the notice, the lost connection, or the filter. */
function saidLine({ fleet, view, size }: FleetPicture): Line {
  const { ask } = view;
  if (ask?.type === 'confirm') return confirmLine(` ${ask.question}`);
  if (ask?.type === 'input') return textInputLine({ ...ask, label: ` ${ask.label}`, columns: size.columns });
  const { notice, connection } = fleet;
  if (notice) {
    const { mark, color } = NOTICE_LOOKS[notice.level];
    const next = notice.suggestions[0] ? `  → ${notice.suggestions[0]}` : '';
    return [{ text: ` ${mark} ${cleanLine(notice.text)}${next}`, color, bold: true }];
  }
  if (connection.state === 'reconnecting') {
    return [{ text: ` This may be out of date: ${cleanLine(connection.reason)}`, color: 'yellow' }];
  }
  return view.filter ? [{ text: ` Filter: ${cleanLine(view.filter)}`, color: 'cyan' }] : [];
}
