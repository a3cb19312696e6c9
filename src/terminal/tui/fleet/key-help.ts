import type { Hint } from '../pane.js';
import type { KeySection } from '../widgets.js';
import type { FleetView } from './view-state.js';

/** All keys, for the help page. */
export const FLEET_KEYS: readonly KeySection[] = [
  {
    title: 'All sessions',
    keys: [
      ['↑ ↓, k j', 'select a session'],
      ['PgUp PgDn', 'move by ten'],
      ['Home End, g G', 'first, last'],
      ['Enter', 'open the session'],
      ['s', 'change the order'],
      ['/', 'filter by words'],
      ['Esc', 'clear the filter'],
      ['n', 'pair a new session'],
      ['S', 'send all its failed deliveries again'],
      ['Space', 'mark; r, S and D act on all marked ones'],
      ['A', 'mark all shown sessions'],
    ],
  },
  {
    title: 'A session',
    keys: [
      ['p', 'pair with a QR'],
      ['P', 'pair with a code'],
      ['i', 'go to its inbox; q comes back'],
      ['r', 'reconnect now'],
      ['x', 'set or remove the proxy'],
      ['D', 'log out and delete'],
      ['↑ ↓, k j', 'select a failed delivery'],
      ['s', 'send it again'],
      ['S', 'send all again'],
      ['Esc, ←', 'back to all sessions'],
    ],
  },
  {
    title: 'Everywhere',
    keys: [
      ['?', 'all keys'],
      ['q, Ctrl+C', 'quit'],
    ],
  },
];

const TABLE_HINTS: readonly Hint[] = [
  ['?', 'help'],
  ['q', 'quit'],
  ['Enter', 'open'],
  ['i', 'inbox'],
  ['/', 'filter'],
  ['s', 'sort'],
  ['r', 'reconnect'],
  ['Space', 'mark'],
  ['p', 'pair'],
  ['D', 'delete'],
];

const MARKED_HINTS: readonly Hint[] = [
  ['r', 'reconnect the marked'],
  ['S', 'send their failed again'],
  ['D', 'delete them'],
  ['Space', 'mark'],
  ['Esc', 'clear the marks'],
  ['?', 'help'],
];

const SESSION_HINTS: readonly Hint[] = [
  ['?', 'help'],
  ['Esc', 'back'],
  ['i', 'inbox'],
  ['r', 'reconnect'],
  ['p', 'pair'],
  ['D', 'delete'],
];

const FAILED_HINTS: readonly Hint[] = [
  ['s', 'send again'],
  ['S', 'send all'],
];

const INPUT_HINTS: readonly Hint[] = [
  ['Enter', 'done'],
  ['Esc', 'back'],
];

const CONFIRM_HINTS: readonly Hint[] = [
  ['y', 'yes'],
  ['any other key', 'no'],
];

/**
 * The keys that work now, the most important first.
 * @param failed how many failed deliveries the open session has
 */
export function hintsOf(
  { page, marked, ask }: Pick<FleetView, 'page' | 'marked' | 'ask'>,
  failed: number,
): readonly Hint[] {
  if (ask) return ask.type === 'confirm' ? CONFIRM_HINTS : INPUT_HINTS;
  if (page === 'session') return failed > 0 ? [...FAILED_HINTS, ...SESSION_HINTS] : SESSION_HINTS;
  return marked.size > 0 ? MARKED_HINTS : TABLE_HINTS;
}
