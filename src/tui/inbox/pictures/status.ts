import { cleanLine } from '../../text/foreign.js';
import { fitLine, type Line, spread } from '../../text/line.js';
import type { Shown } from '../shown.js';

/** With fewer columns than these the keys give way to why nothing moves. */
const COLUMNS_FOR_BOTH = 80;

/** The last row: the live stream, and the keys that one looks for first. */
export function statusRow(shown: Shown, columns: number, secondsLeft: number): Line {
  const connection = connectionLine(shown, secondsLeft);
  // what is shown may be old: that is said even where there is no room for the keys
  const isRoom = shown.inbox.connection.state === 'open' || columns >= COLUMNS_FOR_BOTH;
  return isRoom ? spread(connection, keysLine(shown), columns) : fitLine(connection, columns);
}

function connectionLine({ inbox }: Shown, secondsLeft: number): Line {
  const { connection } = inbox;
  if (connection.state === 'open')
    return [
      { text: ' ● ', color: 'green' },
      { text: 'live', dim: true },
    ];
  if (connection.state === 'connecting') return [{ text: ' ◐ ', color: 'yellow' }, { text: 'connecting' }];
  const when = secondsLeft > 0 ? ` in ${secondsLeft} s` : '';
  const text = `reconnecting${when}: ${cleanLine(connection.reason)}`;
  return [
    { text: ' ◐ ', color: 'yellow' },
    { text, color: 'yellow' },
  ];
}

function keysLine({ view }: Shown): Line {
  if (view.overlay) return [{ text: 'Esc back ', dim: true }];
  if (view.pane === 'composer') return [{ text: 'Enter sends · Alt+Enter new line · Esc back ', dim: true }];
  return [{ text: '? keys · q leaves ', dim: true }];
}
