import { insideOf } from '../../pane.js';
import type { Line } from '../../text/line.js';
import { noticeOf, type Pane as PaneName, type Shown } from '../view-state.js';
import { composerTextRows } from './composer.js';
import { noticeLines } from './notice.js';
import type { Rect } from './rect.js';

export interface Plan {
  columns: number;
  rows: number;
  /** Rows of the header. */
  head: number;
  notice: readonly Line[];
  /** The visible panes. */
  panes: Readonly<Partial<Record<PaneName, Rect>>>;
}

/** Below this width, only the lists or only the conversation is shown. */
const WIDE = 80;
const LEFT = { share: 0.32, least: 30, most: 46 };
const MOST_SESSIONS = 8;
/** Below these sizes the screen has no header, and panes have no frames. */
const FRAMED = { columns: 30, rows: 14 };

/** Computes the place of everything on the screen. */
export function planOf(shown: Shown): Plan {
  const { size, pane } = shown.view;
  const { columns, rows } = size;
  const isFramed = columns >= FRAMED.columns && rows >= FRAMED.rows;
  const frame = isFramed ? 'full' : 'title';
  const head = isFramed ? 1 : 0;
  const notice = noticeLines(noticeOf(shown), columns, Math.max(1, Math.floor(rows / 4)));
  const body = Math.max(2, rows - head - notice.length - 1);
  const isConversation = pane === 'conversation' || pane === 'composer';
  const wideLeft = Math.min(LEFT.most, Math.max(LEFT.least, Math.floor(columns * LEFT.share)));
  const [left, right] =
    columns >= WIDE ? [wideLeft, columns - wideLeft] : isConversation ? [0, columns] : [columns, 0];
  const rect = (top: number, at: number, wide: number, high: number): Rect => {
    const outer = { columns: wide, rows: high, frame } as const;
    return { top, left: at, pane: outer, inside: insideOf(outer) };
  };
  return {
    columns,
    rows,
    head,
    notice,
    panes: {
      ...(left > 0 && listRects(shown, body, (top, high) => rect(head + top, 0, left, high))),
      ...(right > 0 && talkRects(shown, right, body, (top, high) => rect(head + top, left, right, high))),
    },
  };
}

type Stack = (top: number, rows: number) => Rect;

function listRects({ inbox }: Shown, rows: number, stack: Stack): Plan['panes'] {
  const edges = rows - stack(0, rows).inside.rows;
  const most = Math.max(1, Math.min(MOST_SESSIONS, Math.floor(rows / 3) - edges + 1));
  const sessions = edges + Math.max(1, Math.min(inbox.sessions.length, most));
  return { sessions: stack(0, sessions), rooms: stack(sessions, Math.max(1, rows - sessions)) };
}

function talkRects(shown: Shown, columns: number, rows: number, stack: Stack): Plan['panes'] {
  if (!shown.inbox.conversation) return { conversation: stack(0, rows) };
  const edges = rows - stack(0, rows).inside.rows;
  const inside = columns - (edges > 1 ? 2 : 0);
  const composer = edges + composerTextRows(shown, inside, rows);
  return {
    conversation: stack(0, Math.max(1, rows - composer)),
    composer: stack(Math.max(1, rows - composer), composer),
  };
}
