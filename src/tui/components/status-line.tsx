import { type Line, spread } from '../text/line.js';
import { Lines } from './lines.js';

/** The last row of a screen: what goes on at its left, what can be done at its right. */
export function StatusLine({ left, right, columns }: { left: Line; right: Line; columns: number }) {
  return <Lines lines={[spread(left, right, columns)]} />;
}
