import type { Tick } from '../../../cli/inbox/model.js';
import type { Color, Span } from '../../text/line.js';

const MARKS: Readonly<Record<Tick, { mark: string; color?: Color }>> = {
  sent: { mark: '✓' },
  delivered: { mark: '✓✓' },
  read: { mark: '✓✓', color: 'cyan' },
  played: { mark: '✓✓', color: 'cyan' },
  failed: { mark: '✗', color: 'red' },
};

/** How far an own message has come; what differs by its colour alone gets a word where there is none. */
export function tickSpan(tick: Tick, color: boolean): Span {
  const look = MARKS[tick];
  const word = tick === 'failed' || (look.color && !color) ? ` ${tick}` : '';
  return { text: look.mark + word, color: look.color, dim: look.color === undefined };
}
