import type { Paint, Style } from '../paint.js';
import { plainLine } from '../plain-text.js';
import { ageText } from './ages.js';
import { countText, numberText, queueText, webhookText } from './cells.js';
import { arranged } from './order.js';
import { type Standing, standingOf } from './standing.js';
import type { FleetAnswer } from './wire.js';

export const FLEET_HEAD = [
  'SESSION',
  'STATE',
  'SINCE',
  'LAST STANZA',
  'RECONNECTS',
  'WEBHOOK',
  'QUEUE',
  'FAILED',
  'OPEN',
  'NUMBER',
  'NODE',
  'REASON',
] as const;

const STYLES: Readonly<Record<Standing['level'], Style>> = { bad: 'red', warn: 'yellow', ok: 'green' };

/** The fleet as rows for a pipe, those in trouble first. */
export function fleetRows({ at, sessions }: FleetAnswer, paint: Paint): string[][] {
  const now = Date.parse(at);
  return arranged(sessions, { sort: 'trouble', filter: '', now }).map((row) => {
    const { level, mark, text } = standingOf(row, now);
    return [
      row.clientId,
      paint(STYLES[level], `${mark} ${text}`),
      ageText(row.since, now),
      ageText(row.lastStanzaAt, now),
      countText(row.reconnects),
      webhookText(row.webhook, now),
      queueText(row.webhook),
      countText(row.webhook.failed),
      countText(row.openJournal),
      numberText(row),
      row.podName,
      row.status === 'connected' ? '' : plainLine(row.reason),
    ];
  });
}
