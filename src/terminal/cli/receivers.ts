import { Args, Flags } from '@oclif/core';
import { EVENT_TYPES, type EventType } from '../../contract/events/catalogue.js';
import type { NewReceiver, Receiver } from '../../contract/index.js';
import { isBrokerUrl } from '../../domain/brokers.js';
import { CliError } from './errors.js';
import { waitingText } from './failed.js';
import { RECEIVER_WORDS } from './flags.js';

/** Values of `--groups` in the form of the filter. */
const GROUPS = { only: true, none: false } as const;

export function receiverArg() {
  return Args.string({
    required: true,
    description: RECEIVER_WORDS,
  });
}

const several = { multiple: true, multipleNonGreedy: true } as const;

/** Settings of a receiver, for `add` and `set`. */
export function settingFlags() {
  return {
    name: Flags.string({ description: 'display name' }),
    'receiver-token': Flags.string({
      description: 'bearer token and signing key of the calls',
      env: 'SWITCHBOARD_RECEIVER_TOKEN',
    }),
    retry: Flags.option({
      description:
        'contract: a few attempts within seconds; durable: keep trying for hours, in order for each chat',
      options: ['contract', 'durable'] as const,
    })(),
    type: Flags.option({
      description: 'only events of this type, which may be an opt-in type; repeatable',
      options: EVENT_TYPES,
      ...several,
    })(),
    direction: Flags.option({
      description: 'only received or only sent events',
      options: ['received', 'sent'] as const,
    })(),
    groups: Flags.option({
      description: 'only events of groups, or no events of groups',
      options: ['only', 'none'] as const,
    })(),
    room: Flags.string({ description: 'only events of this room; repeatable', ...several }),
    sender: Flags.string({
      description: 'only events of this person: LID digits or +phone; repeatable',
      ...several,
    }),
    header: Flags.string({
      description: 'header of every call, as "Name: value"; repeatable',
      ...several,
    }),
    attempts: Flags.integer({ description: 'with --retry contract: attempts for one event, 1 to 6' }),
    'pause-seconds': Flags.integer({
      description: 'with --retry durable: seconds between attempts; repeatable, the last value is repeated',
      ...several,
    }),
    'give-up-hours': Flags.integer({
      description: 'with --retry durable: hours after which an event is given up, 1 to 168',
    }),
  };
}

interface Flagged {
  name?: string | undefined;
  'receiver-token'?: string | undefined;
  retry?: 'contract' | 'durable' | undefined;
  type?: EventType[] | undefined;
  direction?: 'received' | 'sent' | undefined;
  groups?: keyof typeof GROUPS | undefined;
  room?: string[] | undefined;
  sender?: string[] | undefined;
  header?: string[] | undefined;
  attempts?: number | undefined;
  'pause-seconds'?: number[] | undefined;
  'give-up-hours'?: number | undefined;
}

/** The settings that flags name; the given parts of a filter or a schedule replace the whole previous one. @throws CliError `usage` */
export function settingsOf(flags: Flagged): Omit<NewReceiver, 'url'> {
  const { name, retry, type: types, direction, room: rooms, sender: senders, header } = flags;
  const { 'receiver-token': token, attempts, 'pause-seconds': pauses, 'give-up-hours': giveUpHours } = flags;
  const groups = flags.groups && GROUPS[flags.groups];
  const filter = given({ types, direction, groups, rooms, senders });
  const schedule = given({ attempts, pauses, giveUpHours });
  return {
    ...given({ name, token, retry }),
    filter: Object.keys(filter).length > 0 ? filter : undefined,
    headers: header && Object.fromEntries(header.map(headerIn)),
    schedule: Object.keys(schedule).length > 0 ? schedule : undefined,
  };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function given<T extends object>(values: T): Given<T> {
  const known: Given<T> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) Object.assign(known, { [key]: value });
  }
  return known;
}

function headerIn(text: string): [name: string, value: string] {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new CliError('usage', 'write a header as "Name: value"');
}

/** Adds a hint if a receiver's URL was typed as `--url`: no daemon answers there, or it is the URL of a broker. */
export function withUrlHint(error: Error, argv: readonly string[], hint: string): Error {
  const at = argv.findIndex((word) => /^--url(=|$)/.test(word));
  if (at < 0 || !(error instanceof CliError)) return error;
  const url = argv[at]?.split('=', 2)[1] ?? argv[at + 1] ?? '';
  if (error.failure !== 'unreachable' && !isBrokerUrl(url)) return error;
  const { failure, message, suggestions } = error;
  return new CliError(failure, message, { suggestions: [hint, ...suggestions], cause: error });
}

export const RECEIVERS_HEAD = ['ID', 'NAME', 'STATE', 'RETRY', 'WAITING', 'FAILED', 'EVENTS', 'URL'];

export function receiverRow(receiver: Receiver): string[] {
  const { id, name, url, retry, waiting, failed } = receiver;
  const queue = waiting ? String(waiting.events) : '';
  return [id, name, stateOf(receiver), retry, queue, failed ? String(failed) : '', filterText(receiver), url];
}

/** The state of a receiver, such as `paused: it answered 410`. */
function stateOf({ paused, waiting, last }: Receiver): string {
  if (paused) return `paused: ${paused}`;
  if (waiting?.circuit === 'open') return 'down';
  if (!last) return 'not called yet';
  return last.outcome === 'delivered' ? 'works' : last.reason;
}

/** A filter in words, such as `text, call; received; no groups`; `all` without one. */
export function filterText({ filter }: Pick<Receiver, 'filter'>): string {
  const { types, direction, groups, rooms, senders } = filter;
  const parts = [
    ...(types ? [types.join(', ')] : []),
    ...(direction ? [direction] : []),
    ...(groups === undefined ? [] : [groups ? 'only groups' : 'no groups']),
    ...(rooms ? [`in ${rooms.join(', ')}`] : []),
    ...(senders ? [`from ${senders.join(', ')}`] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : 'all';
}

/** One receiver in one line, after a change. */
export function receiverText(receiver: Receiver): string {
  const { id, name, url, retry, paused, waiting } = receiver;
  const parts = [
    `receiver ${id}${name && ` (${name})`}: ${url}`,
    `retry ${retry}`,
    `events ${filterText(receiver)}`,
    ...(paused ? [`paused: ${paused}`] : []),
    ...(waiting ? [waitingText(waiting)] : []),
  ];
  return parts.join(' · ');
}
