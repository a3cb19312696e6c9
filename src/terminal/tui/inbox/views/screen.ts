import { hintLine } from '../../pane.js';
import type { TerminalSize } from '../../screen.js';
import { cleanLine } from '../../text/foreign.js';
import { beside, fitLine, fitLines, type Line, spread, wrapSpan } from '../../text/line.js';
import { keyHelpLines, keyHelpOverflow } from '../../widgets.js';
import { type ChosenKeys, keySections } from '../keys/bindings.js';
import { currentSession, type Drawing, messageOf, type Shown } from '../view-state.js';
import { composerPane } from './composer.js';
import { messageArea as areaOf, conversationPane } from './conversation.js';
import { detailLines, detailScreen } from './detail.js';
import { hintsOf } from './hints.js';
import { onBack, roomsPane, sessionsPane, stateSpans } from './lists.js';
import { withOverlay } from './overlay.js';
import { type Plan, planOf } from './plan.js';

const SMALLEST: TerminalSize = { columns: 20, rows: 8 };

/** Draws the whole screen; each line is as wide as the terminal. */
export function frame(shown: Shown, drawing: Drawing, secondsLeft: number): Line[] {
  const { size, overlay } = shown.view;
  const { columns, rows } = size;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return tooSmall(size);
  const keys = drawing.keys ?? {};
  if (overlay?.type === 'help') return keyHelpLines(keySections(keys), columns, rows, overlay.scrolled);
  if (overlay?.type === 'detail') return detailPage(shown, overlay);
  return withOverlay(panes(shown, drawing, secondsLeft), shown, drawing);
}

/** Returns how far the help page can scroll. */
export function helpOverflow({ columns, rows }: TerminalSize, keys: ChosenKeys): number {
  return keyHelpOverflow(keySections(keys), columns, rows);
}

/** The size of the area of the messages, for keys that scroll. */
export function messageArea(shown: Shown): { columns: number; rows: number } {
  const { panes } = planOf(shown);
  const { conversation } = panes;
  return conversation ? areaOf(shown, conversation) : { columns: shown.view.size.columns, rows: 1 };
}

function detailPage(shown: Shown, { messageId, scrolled }: { messageId: string; scrolled: number }): Line[] {
  const { columns, rows } = shown.view.size;
  const message = messageOf(shown, messageId);
  const lines = message ? detailLines(message, columns) : [];
  const title: Line = [{ text: ' Message ', bold: true, color: 'accent', back: 'bar' }];
  return [
    fitLine(title, columns, { back: 'bar' }),
    ...detailScreen(lines, scrolled, columns, rows - 2),
    hintLine(
      [
        ['Esc', 'goes back'],
        ['j k', 'scroll'],
      ],
      columns,
    ),
  ];
}

function panes(shown: Shown, drawing: Drawing, secondsLeft: number): Line[] {
  const plan = planOf(shown);
  const { columns, head, notice } = plan;
  const { sessions, rooms, conversation, composer } = plan.panes;
  const left = [
    ...(sessions ? sessionsPane(shown, sessions, drawing) : []),
    ...(rooms ? roomsPane(shown, rooms, drawing) : []),
  ];
  const right = [
    ...(conversation ? conversationPane(shown, conversation, drawing) : []),
    ...(composer ? composerPane(shown, composer, drawing) : []),
  ];
  const body = beside(...[left, right].filter((block) => block.length > 0));
  return [
    ...(head > 0 ? [headerLine(shown, drawing, columns, secondsLeft)] : []),
    ...body,
    ...notice.map((line) => fitLine(line, columns)),
    footerLine(shown, drawing, plan, secondsLeft),
  ].slice(0, shown.view.size.rows);
}

/** The first row: the daemon, the session with its state, and the state of the live stream. */
function headerLine(shown: Shown, { where = '' }: Drawing, columns: number, secondsLeft: number): Line {
  const session = currentSession(shown);
  const unread = shown.inbox.rooms.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
  const [user] = session?.jid.split(/[:@]/, 1) ?? [];
  const left: Line = [
    { text: ' switchboard', bold: true, color: 'accent' },
    { text: ' inbox' },
    ...(where
      ? [
          { text: ' │ ', color: 'border' as const },
          { text: cleanLine(where), dim: true },
        ]
      : []),
    ...(session
      ? [
          { text: ' │ ', color: 'border' as const },
          { text: session.clientId, bold: true },
          { text: user ? ` +${user} ` : ' ', dim: true },
          ...stateSpans(session),
        ]
      : []),
    ...(unread > 0
      ? [
          { text: ' │ ', color: 'border' as const },
          { text: `${unread} unread`, color: 'green' as const, bold: true },
        ]
      : []),
  ];
  return onBack(spread(left, connectionLine(shown, secondsLeft), columns), 'bar');
}

/** The last row: the keys that work now. Without a header, a lost connection replaces them. */
function footerLine(
  shown: Shown,
  { keys = {} }: Drawing,
  { columns, head }: Plan,
  secondsLeft: number,
): Line {
  const isLost = shown.inbox.connection.state === 'reconnecting';
  if (isLost) return onBack(fitLine(lostLine(shown, secondsLeft), columns), 'bar');
  if (head === 0 && shown.inbox.connection.state !== 'open')
    return onBack(fitLine(connectionLine(shown, secondsLeft), columns), 'bar');
  return hintLine(hintsOf(shown, keys), columns);
}

function connectionLine({ inbox }: Shown, secondsLeft: number): Line {
  const { state } = inbox.connection;
  if (state === 'open') return [{ text: '● ', color: 'green' }, { text: 'live ' }];
  if (state === 'connecting') return [{ text: '◐ ', color: 'yellow' }, { text: 'connecting ' }];
  return [{ text: `◐ reconnecting${inSeconds(secondsLeft)} `, color: 'red', bold: true }];
}

function lostLine({ inbox }: Shown, secondsLeft: number): Line {
  const { connection } = inbox;
  if (connection.state !== 'reconnecting') return [];
  const text = ` ◐ reconnecting${inSeconds(secondsLeft)}: ${cleanLine(connection.reason)}`;
  return [{ text, color: 'yellow', bold: true }];
}

function inSeconds(seconds: number): string {
  return seconds > 0 ? ` in ${seconds} s` : '';
}

function tooSmall({ columns, rows }: TerminalSize): Line[] {
  const need = `${SMALLEST.columns}x${SMALLEST.rows}`;
  const text = `Enlarge the terminal to ${need} or more. Ctrl+C quits.`;
  return fitLines(wrapSpan({ text }, columns), columns, Math.max(1, rows));
}
