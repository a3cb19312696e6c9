import type { Standing } from '../../../cli/fleet/standing.js';
import type { Color } from '../../text/line.js';

/** Green works, yellow is on its way or should be looked at, red needs an operator. */
export const LEVEL_COLORS: Readonly<Record<Standing['level'], Color>> = {
  bad: 'red',
  warn: 'yellow',
  ok: 'green',
};
