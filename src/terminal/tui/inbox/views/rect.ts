import type { Pane } from '../../pane.js';

/** The place of a pane on the screen. */
export interface Rect {
  top: number;
  left: number;
  /** Its size with the frame. */
  pane: Pick<Pane, 'columns' | 'rows' | 'frame'>;
  /** Its size without the frame. */
  inside: { columns: number; rows: number };
}
