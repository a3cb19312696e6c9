import type { FailedRow } from '../../../cli/failed.js';
import { ageText } from '../../../cli/fleet/ages.js';
import type { FleetState, OpenedSession } from '../../../cli/fleet/model.js';
import { tailLine } from '../../../cli/tail-lines.js';
import { cleanLine } from '../../text/foreign.js';
import { type Color, fitLine, fitLines, type Line, styled } from '../../text/line.js';
import { windowStart } from '../../text/window.js';
import { factLines, titleLine } from './session-facts.js';

/** Failed deliveries that are shown at once. */
const FAILED_ROWS = 6;

export interface SessionPicture {
  fleet: FleetState;
  opened: OpenedSession;
  /** Index of the failed delivery that is selected. */
  failed: number;
  now: number;
  columns: number;
  rows: number;
}

/** One session closely: its facts, what could not be delivered, and what happens. */
export function sessionLines({ fleet, opened, failed, now, columns, rows }: SessionPicture): Line[] {
  const row = fleet.sessions.find(({ clientId }) => clientId === opened.clientId);
  if (!row) return fitLines([[{ text: ` ${opened.clientId} is not there (any more)` }]], columns, rows);
  const facts = factLines(row, now, columns).slice(0, Math.max(3, Math.floor(rows / 2)));
  const top = [fitLine(titleLine(row, now), columns), ...facts, ...failedLines(opened, failed, now, columns)];
  const left = Math.max(0, rows - top.length - 1);
  const heading = headingLine('Events and attempts, as they happen');
  return fitLines([...top, heading, ...entryLines(opened, left)], columns, rows);
}

function failedLines(
  { failed, resending }: OpenedSession,
  selected: number,
  now: number,
  columns: number,
): Line[] {
  if (failed === undefined) return [headingLine('Failed deliveries: reading …')];
  if (failed.length === 0) return [headingLine('No failed deliveries')];
  const chosen = Math.min(selected, failed.length - 1);
  const start = windowStart(failed.length, chosen, FAILED_ROWS);
  const shown = failed.slice(start, start + FAILED_ROWS).map((one, place) => {
    const isChosen = start + place === chosen;
    const line = failedLine(one, now, { isChosen, isResending: resending.includes(one.id) });
    return fitLine(isChosen ? styled(line, { inverse: true }) : line, columns, { inverse: isChosen });
  });
  return [headingLine(`Failed deliveries: ${failed.length} (s sends one again, S all)`), ...shown];
}

function failedLine(
  { type, reason, attempts, failedAt, messageId }: FailedRow,
  now: number,
  { isChosen, isResending }: { isChosen: boolean; isResending: boolean },
): Line {
  return [
    { text: isChosen ? '› ' : '  ', bold: true },
    { text: isResending ? '… ' : '✗ ', color: isResending ? 'yellow' : 'red' },
    { text: `${ageText(failedAt, now)} ago`.padEnd(12), dim: true },
    { text: `${type}  `, bold: true },
    { text: `${cleanLine(reason)}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}  `, foreign: true },
    { text: cleanLine(messageId), dim: true },
  ];
}

/** The newest entries, the last one at the bottom. */
function entryLines({ entries }: OpenedSession, rows: number): Line[] {
  if (entries.length === 0) return [[{ text: '  nothing yet', dim: true }]];
  return entries.slice(Math.max(0, entries.length - rows)).map((entry) => {
    const color = colorOf(entry);
    return [
      { text: ' ' },
      { text: cleanLine(tailLine(entry, plain)), foreign: true, ...(color && { color }) },
    ];
  });
}

function colorOf(entry: OpenedSession['entries'][number]): Color | undefined {
  if (entry.kind === 'dropped') return 'red';
  if (entry.kind === 'attempt') return ATTEMPT_COLORS[entry.outcome];
  return entry.event.event === 'session.status' ? 'magenta' : undefined;
}

const ATTEMPT_COLORS: Readonly<Record<string, Color>> = {
  delivered: 'green',
  rejected: 'red',
  failed: 'yellow',
};

function headingLine(text: string): Line {
  return [{ text: ` ${text}`, bold: true, underline: true }];
}

function plain(_style: string, text: string): string {
  return text;
}
