import type { GatewayEvent } from '../../contract/events/catalogue.js';
import type { EventEnvelope } from '../../contract/events/envelope.js';
import type { TailEntry } from '../../contract/events/stream-entry.js';
import { shownUrl, singleLine } from '../../domain/text.js';
import type { ForwardReport } from './forward.js';
import type { Paint, Style } from './output.js';
import { reasonText } from './reason-text.js';
import { shorten } from './text.js';

/** Maximum length of a body, in characters. */
const BODY_LENGTH = 200;

/** One entry of the tail as one line. */
export function tailLine(entry: TailEntry, paint: Paint): string {
  // entries of unknown kinds may have no session
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
      // a newer daemon may send other kinds
      return singleLine(JSON.stringify(entry));
  }
}

function describeEvent(event: GatewayEvent, paint: Paint): string {
  switch (event.event) {
    case 'session.status': {
      const reason = event.reason ? `: ${singleLine(reasonText(event, event.clientId))}` : '';
      return `${paint('magenta', '●')} ${event.previousStatus} → ${paint('bold', event.status)}${reason}`;
    }
    case 'message.status': {
      const by = event.by ? ` by ${event.by}` : '';
      const code = event.code ? ` (${event.code})` : '';
      return `${paint('blue', '✓')} ${event.status}${by}${code} ${paint('dim', singleLine(event.messageId))}`;
    }
    case 'call': {
      const kind = event.isVideo ? 'video call' : 'call';
      const who = singleLine(event.fromName || event.fromPhone || event.from);
      return `${paint('yellow', '☎')} ${kind} ${paint('bold', event.status)} ${who} ${paint('dim', singleLine(event.callId))}`;
    }
    case 'presence': {
      const who = singleLine(event.fromName || event.fromPhone || event.from);
      return `${paint('dim', '…')} ${who} ${event.state}`;
    }
    case 'identity.change': {
      const who = singleLine(event.fromName || event.fromPhone || event.from);
      return `${paint('yellow', '●')} ${who} has a new security code`;
    }
    case 'group.update': {
      const by = singleLine(event.by.name || event.by.phone || event.by.user);
      const whom = event.members.map(({ name, phone, user }) => singleLine(name || phone || user)).join(', ');
      const settings = Object.entries(event.settings ?? {}).map(
        ([name, value]) => `${singleLine(name)} ${value}`,
      );
      const texts = [whom, singleLine(event.value), settings.join(', ')].map((text) =>
        shorten(text, BODY_LENGTH),
      );
      const facts = [by && `by ${by}`, ...texts].filter(Boolean);
      return `${paint('blue', '●')} group ${paint('bold', event.change)} ${event.remoteJid} ${facts.join(': ')}`;
    }
    case 'message.unreadable': {
      const arrow = event.fromMe ? paint('cyan', '→') : paint('green', '←');
      const other = singleLine(event.remoteName || event.remotePhone || event.remoteJid);
      const why = UNREADABLE[event.reason] ?? singleLine(event.reason);
      return `${arrow} ${paint('yellow', 'unreadable')} ${other}: ${why} ${paint('dim', singleLine(event.messageId))}`;
    }
    case 'account.status': {
      const { restricted, until, reason, newChats } = event;
      const limit = newChats.limit > 0 ? `, ${newChats.used} of ${newChats.limit} new chats begun` : '';
      if (!restricted) return `${paint('green', '●')} no restriction${limit}`;
      return `${paint('red', '● restricted')} until ${until || 'an unknown time'}: ${singleLine(reason)}${limit}`;
    }
    case 'channel.post': {
      const arrow = event.fromMe ? paint('cyan', '→') : paint('green', '←');
      const what = singleLine(
        [event.kind, event.action === 'posted' ? '' : event.action].filter(Boolean).join(' '),
      );
      const body = shorten(singleLine(event.body), BODY_LENGTH);
      return `${arrow} ${paint('bold', `post ${what}`)} ${singleLine(event.channelJid)}: ${body} ${paint('dim', singleLine(event.messageId))}`;
    }
    case 'status.post': {
      const arrow = event.fromMe ? paint('cyan', '→') : paint('green', '←');
      const author = event.fromMe ? '' : ` ${singleLine(event.fromName || event.fromPhone || event.from)}`;
      const what = event.targetId
        ? `of ${singleLine(event.targetId)}`
        : shorten(singleLine(event.body), BODY_LENGTH);
      return `${arrow} status ${paint('bold', event.kind)}${author}: ${what} ${paint('dim', singleLine(event.messageId))}`;
    }
    default:
      return describeMessage(event, paint);
  }
}

/** Why a message could not be read, for people. */
const UNREADABLE: Readonly<Record<string, string>> = {
  undecryptable: 'this message could not be decrypted; open it on the phone',
  malformed: 'the content of this message is malformed',
  unavailable: 'this message is not available on linked devices; open it on the phone',
  view_once: 'a message that can be viewed once; open it on the phone',
  bot: 'the message of a bot, which linked devices do not get',
  hosted: 'a message of a hosted business account, which linked devices do not get',
  unsupported: 'this message is encrypted in a way that the gateway does not know',
};

function describeMessage(event: EventEnvelope, paint: Paint): string {
  const arrow = event.fromMe ? paint('cyan', '→') : paint('green', '←');
  const other = singleLine(event.remoteName || event.remotePhone || event.remoteJid);
  const author = event.isGroup && !event.fromMe && event.pushName ? ` ${singleLine(event.pushName)}` : '';
  const body = shorten(singleLine(event.body), BODY_LENGTH);
  // senders choose their message ids
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
  const named = attempt.receiver ? `receiver ${singleLine(attempt.receiver)}` : 'webhook';
  const outcome = paint(style, `${mark} ${named} ${attempt.outcome}${status}`);
  return `  ${outcome} ${attempt.type}${reason} ${paint('dim', `(${facts})`)}`;
}

/** The result of forwarding an event, as one line. */
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
