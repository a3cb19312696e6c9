import { keyHelpLines, keyHelpOverflow } from '../../components/key-help.js';
import type { TerminalSize } from '../../hooks/use-terminal-size.js';
import { beside, fitLine, fitLines, type Line } from '../../text/line.js';
import { wrapText } from '../../text/wrap.js';
import { INBOX_KEYS } from '../keys/help.js';
import { messageOf, noticeOf, type Shown } from '../shown.js';
import { conversationPane, conversationRows } from './conversation-pane.js';
import { detailLines, detailScreen } from './detail.js';
import type { Drawing } from './drawing.js';
import { noticeLines } from './notice.js';
import { overlayLines } from './overlay.js';
import { roomsPane } from './rooms-pane.js';
import { sessionsPane } from './sessions-pane.js';
import { statusRow } from './status.js';

const SMALLEST: TerminalSize = { columns: 20, rows: 8 };
/** With fewer columns than these one pane is shown at a time. */
const WIDE = 80;
const LEFT = { share: 0.32, least: 26, most: 42 };
const MOST_SESSIONS = 6;

/** Where everything goes. */
interface Plan {
  columns: number;
  /** One less than the terminal's: at its full height Ink would clear the terminal for each frame. */
  rows: number;
  notice: readonly Line[];
  overlay: readonly Line[];
  /** Rows of the panes. */
  body: number;
  /** Columns of the lists and of the conversation; 0 when it is not shown. */
  left: number;
  right: number;
}

/** The whole screen in lines, each as wide as the terminal. */
export function frame(shown: Shown, drawing: Drawing, secondsLeft: number): Line[] {
  const { size, overlay } = shown.view;
  if (size.columns < SMALLEST.columns || size.rows < SMALLEST.rows) return tooSmall(size);
  const rows = size.rows - 1;
  if (overlay?.type === 'help') return keyHelpLines(INBOX_KEYS, size.columns, rows, overlay.scrolled);
  if (overlay?.type === 'detail') {
    const message = messageOf(shown, overlay.messageId);
    const lines = message ? detailLines(message, size.columns) : [];
    return [
      ...detailScreen(lines, overlay.scrolled, size.columns, rows - 1),
      fitLine([{ text: ' Esc goes back, j k scroll', dim: true }], size.columns),
    ];
  }
  return panes(shown, drawing, secondsLeft);
}

/** How far the help can be scrolled. */
export function helpOverflow({ columns, rows }: TerminalSize): number {
  return keyHelpOverflow(INBOX_KEYS, columns, rows - 1);
}

/** Columns and rows of the messages, for keys that scroll. */
export function messageArea(shown: Shown): { columns: number; rows: number } {
  const { body, right, columns } = plan(shown);
  const width = right || columns;
  return { columns: width, rows: conversationRows(shown, width, body) };
}

function panes(shown: Shown, drawing: Drawing, secondsLeft: number): Line[] {
  const { columns, notice, overlay, body, left, right } = plan(shown);
  const blocks = [
    ...(left > 0 ? [lists(shown, left, body, drawing)] : []),
    ...(left > 0 && right > 0 ? [Array.from({ length: body }, (): Line => [{ text: '│', dim: true }])] : []),
    ...(right > 0 ? [conversationPane(shown, right, body, drawing)] : []),
  ];
  const below = [...notice, ...overlay, statusRow(shown, columns, secondsLeft)];
  return [...beside(...blocks), ...below.map((line) => fitLine(line, columns))];
}

function plan(shown: Shown): Plan {
  const { size, pane } = shown.view;
  const { columns } = size;
  const rows = size.rows - 1;
  const notice = noticeLines(noticeOf(shown), columns, Math.max(1, Math.floor(rows / 4)));
  const overlay = overlayLines(shown.view.overlay, columns, Math.max(2, rows - 5));
  const body = Math.max(1, rows - notice.length - overlay.length - 1);
  const isConversation = pane === 'conversation' || pane === 'composer';
  const wideLeft = Math.min(LEFT.most, Math.max(LEFT.least, Math.floor(columns * LEFT.share)));
  const [left, right] =
    columns >= WIDE ? [wideLeft, columns - wideLeft - 1] : isConversation ? [0, columns] : [columns, 0];
  return { columns, rows, notice, overlay, body, left, right };
}

function lists(shown: Shown, columns: number, rows: number, drawing: Drawing): Line[] {
  const most = Math.max(1, Math.min(MOST_SESSIONS, Math.floor(rows / 3)));
  const sessionRows = 1 + Math.max(1, Math.min(shown.inbox.sessions.length, most));
  return [
    ...sessionsPane(shown, columns, sessionRows),
    ...roomsPane(shown, columns, rows - sessionRows, drawing),
  ];
}

function tooSmall({ columns, rows }: TerminalSize): Line[] {
  const need = `${SMALLEST.columns}x${SMALLEST.rows}`;
  const text = `Please enlarge the terminal to ${need} or more. Ctrl+C leaves.`;
  return fitLines(
    wrapText(text, Math.max(1, columns)).map((line) => [{ text: line }]),
    columns,
    Math.max(1, rows - 1),
  );
}
