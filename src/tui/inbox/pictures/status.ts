import { cleanLine } from '../../text/foreign.js';
import { type Line, spread } from '../../text/line.js';
import type { Shown } from '../shown.js';

/** The last row: the live stream, and the keys that one looks for first. */
export function statusRow(shown: Shown, columns: number, secondsLeft: number): Line {
  return spread(connectionLine(shown, secondsLeft), keysLine(shown), columns);
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
