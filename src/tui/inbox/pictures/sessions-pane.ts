import type { SessionItem } from '../../../cli/inbox/model.js';
import type { SessionStatus } from '../../../domain/session.js';
import { listLines } from '../../components/list.js';
import { cleanLine } from '../../text/foreign.js';
import { type Color, cutLine, fitLine, type Line, lineColumns, spread } from '../../text/line.js';
import { type Shown, sessionPlace } from '../shown.js';

const STATES: Readonly<Record<SessionStatus, { dot: string; color: Color; word: string }>> = {
  initializing: { dot: '◐', color: 'yellow', word: 'starting' },
  qr: { dot: '◌', color: 'yellow', word: 'not paired' },
  connected: { dot: '●', color: 'green', word: 'connected' },
  reconnecting: { dot: '◐', color: 'yellow', word: 'reconnecting' },
  logged_out: { dot: '✗', color: 'red', word: 'logged out' },
  replaced: { dot: '✗', color: 'red', word: 'replaced' },
  banned: { dot: '✗', color: 'red', word: 'banned' },
};

const NO_SESSIONS: Line[] = [[{ text: ' None yet: p pairs a number', dim: true }]];

/** All sessions with what they do. */
export function sessionsPane(shown: Shown, columns: number, rows: number): Line[] {
  const { inbox, view } = shown;
  const isFocused = view.pane === 'sessions';
  return [
    paneTitle('Sessions', isFocused, columns),
    ...listLines({
      items: inbox.sessions,
      selected: sessionPlace(shown),
      columns,
      rows: rows - 1,
      picture: (session, isHighlighted) => [
        sessionLine(session, {
          isCurrent: session.clientId === inbox.clientId,
          isHighlighted: isFocused && isHighlighted,
          columns,
        }),
      ],
      empty: NO_SESSIONS,
    }),
  ];
}

/** The heading of a pane; the one that has the keys stands out. */
export function paneTitle(title: string, isFocused: boolean, columns: number): Line {
  return fitLine([{ text: ` ${title}`, bold: true, underline: isFocused, dim: !isFocused }], columns);
}

interface Place {
  isCurrent: boolean;
  isHighlighted: boolean;
  columns: number;
}

function sessionLine({ clientId, status, reason }: SessionItem, place: Place): Line {
  const { dot, color, word } = STATES[status];
  const why = reason === '' ? '' : `: ${cleanLine(reason)}`;
  const name: Line = [
    { text: place.isHighlighted ? '▌' : ' ', color: 'cyan' },
    { text: place.isCurrent ? '›' : ' ' },
    { text: `${dot} `, color },
    { text: clientId, bold: place.isCurrent },
  ];
  // the name comes first, then the state, and the reason as far as there is room
  const room = Math.max(word.length, place.columns - lineColumns(name) - 1);
  const line = spread(name, cutLine([{ text: word + why, dim: true }], room), place.columns);
  return place.isHighlighted ? line.map((span) => ({ ...span, bold: true, dim: false })) : line;
}
