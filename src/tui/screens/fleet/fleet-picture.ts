import { isNodeWell, nodeText, totalsText } from '../../../cli/fleet/cells.js';
import type { FleetState } from '../../../cli/fleet/model.js';
import type { NodeRow, SessionRow } from '../../../cli/fleet/wire.js';
import { confirmLine } from '../../components/confirm.js';
import { keyHelpLines } from '../../components/key-help.js';
import { textInputLine } from '../../components/text-input.js';
import type { TerminalSize } from '../../hooks/use-terminal-size.js';
import { cleanLine } from '../../text/foreign.js';
import { fitLine, fitLines, type Line, type Span, spread } from '../../text/line.js';
import { FLEET_KEYS, hints } from './keys.js';
import { sessionLines } from './session-picture.js';
import { tableLines } from './table-picture.js';
import type { FleetView } from './view.js';

/** Nodes that have a line of their own even on a small screen, and what part of the others they may take. */
const NODES_SHOWN = 3;
const SHARE_OF_NODES = 0.25;
/** Lines below the picture: what was said or is asked, and the keys. */
const FOOTER = 2;

export interface FleetPicture {
  fleet: FleetState;
  view: FleetView;
  /** The sessions that are shown, in their order. */
  rows: readonly SessionRow[];
  /** By the daemon's clock. */
  now: number;
  size: TerminalSize;
  url: string;
}

/** The whole screen but for pairings: exactly as many lines as the terminal has rows, less one. */
export function fleetLines(picture: FleetPicture): Line[] {
  const { view, size } = picture;
  const [columns, rows] = [size.columns, Math.max(FOOTER + 2, size.rows - 1)];
  if (view.page === 'help') return keyHelpLines(FLEET_KEYS, columns, rows);
  const head = [titleLine(picture)];
  const body = fitLines(
    bodyLines(picture, rows - head.length - FOOTER),
    columns,
    rows - head.length - FOOTER,
  );
  const footer = [saidLine(picture), fitLine(hints(view.page === 'session' ? 'session' : 'table'), columns)];
  return [...head, ...body, ...footer].map((line) => fitLine(line, columns));
}

function bodyLines({ fleet, view, rows, now, size }: FleetPicture, height: number): Line[] {
  const { columns } = size;
  const { opened } = fleet;
  if (opened) return sessionLines({ fleet, opened, failed: view.failed, now, columns, rows: height });
  const nodes = nodeLines(fleet.nodes, now, Math.max(NODES_SHOWN, Math.floor(height * SHARE_OF_NODES)));
  const room = height - nodes.length;
  if (rows.length === 0) return [...nodes, [], [{ text: `  ${emptyText(fleet, view)}`, dim: true }]];
  return [...nodes, ...tableLines({ rows, selected: view.selected, now, columns, height: room })];
}

function emptyText({ loading, sessions }: FleetState, { filter }: FleetView): string {
  if (loading) return 'asking the daemon …';
  if (sessions.length > 0) return `no session has ${filter}; Esc takes the filter away`;
  return 'no sessions yet; n pairs a number';
}

function titleLine({ fleet, view, url, size }: FleetPicture): Line {
  const left: Line = [
    { text: ' switchboard fleet ', bold: true },
    { text: ` ${fleet.loading ? '' : totalsText(fleet.sessions)}  ${url}`, dim: true },
  ];
  const order: Line =
    view.page === 'table' && !fleet.opened ? [{ text: `by ${view.sort}  `, dim: true }] : [];
  return spread(left, [...order, ...connectionSpans(fleet)], size.columns);
}

function connectionSpans({ connection }: FleetState): Line {
  if (connection.state === 'open') return [{ text: '● live ', color: 'green' }];
  if (connection.state === 'connecting') return [{ text: '… connecting ', color: 'yellow' }];
  return [{ text: '! reconnecting ', color: 'red', bold: true }];
}

function nodeLines(nodes: readonly NodeRow[], now: number, most: number): Line[] {
  // those in trouble are always among the shown
  const sorted = nodes.toSorted((a, b) => Number(isNodeWell(a)) - Number(isNodeWell(b)));
  const shown = sorted.slice(0, most).map((node): Line => {
    const text = cleanLine(nodeText(node, now, nodes.length));
    return [nodeMark(node), { text, bold: !isNodeWell(node) }];
  });
  const rest = nodes.length - shown.length;
  return rest > 0 ? [...shown, [{ text: `   and ${rest} more nodes`, dim: true }]] : shown;
}

function nodeMark(node: NodeRow): Span {
  if (!isNodeWell(node)) return { text: ' ✗ ', color: 'red' };
  return node.draining ? { text: ' ! ', color: 'yellow' } : { text: ' ● ', color: 'green' };
}

const NOTICE_LOOKS = {
  error: { mark: '✗', color: 'red' },
  warning: { mark: '!', color: 'yellow' },
  done: { mark: '✓', color: 'green' },
} as const;

/** What is asked, else what was said, else why nothing moves. */
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
    return [{ text: ` What is shown may be old: ${cleanLine(connection.reason)}`, color: 'yellow' }];
  }
  return view.filter ? [{ text: ` Filter: ${cleanLine(view.filter)}`, color: 'cyan' }] : [];
}
