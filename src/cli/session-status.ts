import type { Paint, Style } from './paint.js';
import type { SessionSummary } from './sessions.js';

const STYLES: Readonly<Record<SessionSummary['status'], Style>> = {
  initializing: 'yellow',
  qr: 'yellow',
  connected: 'green',
  reconnecting: 'yellow',
  logged_out: 'red',
  replaced: 'red',
  banned: 'red',
  elsewhere: 'dim',
};

/** A session's status in its colour: green works, yellow is on its way, red needs an operator. */
export function paintStatus(status: SessionSummary['status'], paint: Paint): string {
  return paint(STYLES[status] ?? 'dim', status);
}
