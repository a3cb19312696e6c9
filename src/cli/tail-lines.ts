import type { TailEntry } from '../delivery/tail.js';
import { shownUrl } from '../domain/shown-url.js';
import type { GatewayEvent } from '../events/catalogue.js';
import type { EventEnvelope } from '../events/envelope.js';
import type { Paint, Style } from './paint.js';
import { shorten, singleLine } from './plain-text.js';
import type { ForwardReport } from './tail-forward.js';

/** Characters of a message's text in one line. */
const BODY_LENGTH = 200;

/** One entry of the tail as one line for people. */
export function tailLine(entry: TailEntry, paint: Paint): string {
  // an entry of a kind that we do not know may have no session
  const head = `${paint('dim', clockTime(entry.at))} ${paint('bold', singleLine(entry.clientId ?? ''))}`;
  return `${head} ${describe(entry, paint)}`;
}

function describe(entry: TailEntry, paint: Paint): string {
  switch (entry.kind) {
    case 'event':
      return describeEvent(entry.event, paint);
    case 'attempt':
      return describeAttempt(entry, paint);
    case 'dropped':
      return `${paint('red', '✗ dropped')} ${entry.type} ${singleLine(entry.reason)} ${paint('dim', entry.deliveryId)}`;
    default:
      // a newer daemon may know more kinds than we do
      return singleLine(JSON.stringify(entry));
  }
}

function describeEvent(event: GatewayEvent, paint: Paint): string {
  switch (event.event) {
    case 'session.status': {
      const reason = event.reason ? `: ${singleLine(event.reason)}` : '';
      return `${paint('magenta', '●')} ${event.previousStatus} → ${paint('bold', event.status)}${reason}`;
    }
    case 'message.status': {
      const by = event.by ? ` by ${event.by}` : '';
      const code = event.code ? ` (${event.code})` : '';
      return `${paint('blue', '✓')} ${event.status}${by}${code} ${paint('dim', singleLine(event.messageId))}`;
    }
    default:
      return describeMessage(event, paint);
  }
}

function describeMessage(event: EventEnvelope, paint: Paint): string {
  const arrow = event.fromMe ? paint('cyan', '→') : paint('green', '←');
  const other = singleLine(event.remoteName || event.remotePhone || event.remoteJid);
  const author = event.isGroup && !event.fromMe && event.pushName ? ` ${singleLine(event.pushName)}` : '';
  const body = shorten(singleLine(event.body), BODY_LENGTH);
  // senders choose the ids of their messages too
  const messageId = paint('dim', singleLine(event.messageId));
  return `${arrow} ${paint('bold', event.type)} ${other}${author}: ${body} ${messageId}`;
}

const OUTCOMES: Readonly<Record<string, { mark: string; style: Style }>> = {
  delivered: { mark: '✓', style: 'green' },
  rejected: { mark: '✗', style: 'red' },
  failed: { mark: '!', style: 'yellow' },
};

function describeAttempt(attempt: Extract<TailEntry, { kind: 'attempt' }>, paint: Paint): string {
  const { mark, style } = OUTCOMES[attempt.outcome] ?? { mark: '?', style: 'yellow' };
  const status = attempt.status ? ` ${attempt.status}` : '';
  const reason = attempt.reason ? ` ${singleLine(attempt.reason)}` : '';
  const facts = `attempt ${attempt.attempt}, ${Math.round(attempt.durationMs)} ms, ${singleLine(shownUrl(attempt.url))}`;
  const outcome = paint(style, `${mark} webhook ${attempt.outcome}${status}`);
  return `  ${outcome} ${attempt.type}${reason} ${paint('dim', `(${facts})`)}`;
}

/** What came of handing an event on, as one line for people. */
export function forwardLine(report: ForwardReport, paint: Paint): string {
  const head = `${paint('dim', clockTime(report.at))} ${paint('bold', singleLine(report.clientId))}`;
  const { outcome, status, type, url } = report;
  const facts = paint('dim', `(${report.durationMs} ms, ${singleLine(url)})`);
  if (outcome === 'delivered') return `${head}   ${paint('green', `✓ forwarded ${status}`)} ${type} ${facts}`;
  const reason = singleLine(report.reason);
  return `${head}   ${paint('red', '✗ not forwarded')} ${type} ${reason} ${facts}`;
}

/** `12:34:56` in local time. */
export function clockTime(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '--:--:--' : date.toTimeString().slice(0, 8);
}
