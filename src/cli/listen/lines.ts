import { shownUrl } from '../../domain/shown-url.js';
import type { Paint } from '../paint.js';
import { singleLine } from '../plain-text.js';
import { clockTime, tailLine } from '../tail-lines.js';
import type { ListenItem } from './listen.js';

type EventItem = Extract<ListenItem, { type: 'event' }>;

/** An event that came, as lines for people: the event as a tail shows it, and what it was answered with. */
export function eventLines(item: EventItem, paint: Paint): string[] {
  const { at, event } = item;
  const line = tailLine({ kind: 'event', at, clientId: event.clientId, event }, paint);
  return [line, `         ${answerText(item, paint)}`];
}

/** A call that was refused, as one line for people. */
export function refusedLine(item: Extract<ListenItem, { type: 'refused' }>, paint: Paint): string {
  const from = paint('dim', `from ${item.from}`);
  return `${paint('dim', clockTime(item.at))} ${paint('red', `✗ refused ${item.status}`)} ${singleLine(item.reason)} ${from}`;
}

/** What else there is to say, as a note. */
export function noteOf(item: Exclude<ListenItem, EventItem | { type: 'refused' }>): string {
  switch (item.type) {
    case 'listening':
      return `events of ${item.clientId} come to ${shownUrl(item.url)} now, Ctrl+C gives them back to ${webhook(item.registeredUrl)}`;
    case 'lost':
      return `the daemon does not answer, asking again: ${item.reason}`;
    case 'back':
      return 'the daemon answers again';
    case 'retaken':
      return `events of ${item.clientId} come here again: its node was another one, or began anew; until now they went to its webhook`;
    case 'restored':
      return `events of ${item.clientId} go to ${webhook(item.registeredUrl)} again`;
  }
}

function answerText({ status, attempt, deliveryId, forwarded }: EventItem, paint: Paint): string {
  const taken = status >= 200 && status < 300;
  const answered = paint(taken ? 'green' : 'red', `${taken ? '✓' : '✗'} answered ${status}`);
  const facts = paint('dim', `(attempt ${attempt}, ${singleLine(deliveryId)})`);
  if (!forwarded) return `${answered} ${facts}`;
  const { url, reason, durationMs } = forwarded;
  const detail = reason && forwarded.status === 0 ? `: ${singleLine(reason)}` : '';
  return `${answered} by ${singleLine(url)} in ${durationMs} ms${detail} ${facts}`;
}

function webhook(url: string): string {
  return url ? shownUrl(url) : 'nobody, as it has no webhook';
}
