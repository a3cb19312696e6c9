import type { KeySection } from '../../components/key-help.js';
import type { Line } from '../../text/line.js';

/** All keys, for the page that `?` opens. */
export const FLEET_KEYS: readonly KeySection[] = [
  {
    title: 'All sessions',
    keys: [
      ['↑ ↓, k j', 'selects a session'],
      ['PgUp PgDn', 'ten further'],
      ['Home End, g G', 'first, last'],
      ['Enter', 'shows all of it'],
      ['s', 'sorts another way'],
      ['/', 'filters by words'],
      ['Esc', 'drops the filter'],
      ['n', 'pairs a new session'],
    ],
  },
  {
    title: 'A session',
    keys: [
      ['p', 'pairs it, with a QR'],
      ['P', 'pairs it, with a code'],
      ['r', 'reconnects it now'],
      ['D', 'logs out and deletes'],
      ['↑ ↓, k j', 'selects a failed one'],
      ['s', 'sends it again'],
      ['S', 'sends all again'],
      ['Esc, ←', 'back to all sessions'],
    ],
  },
  {
    title: 'Everywhere',
    keys: [
      ['?', 'this help'],
      ['q, Ctrl+C', 'leaves'],
    ],
  },
];

type Hints = readonly (readonly [string, string])[];

const TABLE_HINTS: Hints = [
  ['?', 'help'],
  ['q', 'quit'],
  ['Enter', 'look'],
  ['/', 'filter'],
  ['s', 'sort'],
  ['r', 'reconnect'],
  ['p', 'pair'],
  ['D', 'disconnect'],
];

const SESSION_HINTS: Hints = [
  ['?', 'help'],
  ['Esc', 'back'],
  ['s', 'send again'],
  ['r', 'reconnect'],
  ['p', 'pair'],
  ['D', 'disconnect'],
];

/** The keys that are needed most, those first without which nobody gets on. */
export function hints(page: 'table' | 'session'): Line {
  const shown = page === 'table' ? TABLE_HINTS : SESSION_HINTS;
  return shown.flatMap(([key, does]) => [
    { text: key, bold: true },
    { text: ` ${does}   `, dim: true },
  ]);
}
