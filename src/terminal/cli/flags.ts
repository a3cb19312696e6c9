import { Args, Flags } from '@oclif/core';
import { EXTRA_EVENT_TYPES, type ExtraEventType } from '../../contract/events/catalogue.js';
import { CliError } from './errors.js';

export const httpUrl = Flags.custom<string>({
  parse: async (value) => requireHttpUrl(value),
});

/** Words for arguments that mean the same in every request: commands take names in place of addresses. */
export const FIELD_WORDS = {
  clientId: 'name of the session: letters and digits',
  to: 'recipient: name, +phone, LID digits or jid (group: …@g.us)',
  jid: 'name, +phone, LID digits or the jid of a person',
  groupJid: 'name or jid of the group: <id>@g.us',
  channelJid: 'jid of the channel, <id>@newsletter, or its link',
  invite: 'link of the invite, or the code at its end',
  messageId: 'id of the message',
  participants: 'person: name, +phone, LID digits or jid; one or more',
} as const;

export const RECEIVER_WORDS = 'id of the receiver, from receivers list';

/** A flag that several kinds of messages accept. */
export interface MessageFlag {
  name: string;
  /** What the help shows for its value. */
  value?: string;
  words: string;
}

/** By field of the request. */
export const MESSAGE_FLAGS = {
  quotedMessageId: { name: 'quote', value: 'ID', words: 'id of the message to reply to' },
  mentions: {
    name: 'mention',
    value: 'USER',
    words: 'person to mention, as digits of a phone number or LID; repeatable',
  },
  metaData: { name: 'meta', value: 'JSON', words: 'JSON object to return in the message.sent event' },
  whenAllowed: {
    name: 'whenAllowed',
    words: 'if the policy refuses the message for a time, keep it and send it later',
  },
} as const satisfies Record<string, MessageFlag>;

export function clientIdArg() {
  return Args.string({
    required: true,
    description: FIELD_WORDS.clientId,
  });
}

export function sandboxUrlFlag() {
  return httpUrl({
    description: 'URL of the sandbox network',
    env: 'SWITCHBOARD_SANDBOX_URL',
    default: 'http://127.0.0.1:3001',
    helpGroup: 'SANDBOX',
  });
}

export function numberArg(description: string) {
  return Args.string({ required: true, description });
}

/** @throws CliError `usage` */
export function requireHttpUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new CliError('usage', `${value} is not an absolute http:// or https:// URL`);
}

export const phoneNumber = Flags.custom<string>({
  helpValue: 'NUMBER',
  parse: async (value) => requirePhone(value),
});

/** Characters that people write between digits. */
const SEPARATORS = /[\s().-]/g;
/** Form of numbers that the API accepts. */
const PHONE = /^\+?([1-9][0-9]{4,14})$/;

/** @returns the digits @throws CliError `usage` */
export function requirePhone(value: string): string {
  const [, digits] = PHONE.exec(value.replace(SEPARATORS, '')) ?? [];
  if (digits !== undefined) return digits;
  throw new CliError('usage', `${value} is not a phone number`, {
    suggestions: ['give 5 to 15 digits with the country code, such as +15550000001'],
  });
}

const HOUR_MS = 60 * 60_000;
const UNITS: Readonly<Record<string, number>> = {
  h: HOUR_MS,
  d: 24 * HOUR_MS,
  w: 7 * 24 * HOUR_MS,
  y: 365 * 24 * HOUR_MS,
};
const FORM = /^([1-9][0-9]{0,5})([hdwy])$/;

export interface Age {
  /** The age as typed, such as `90d`. */
  text: string;
  ms: number;
}

/** Hours, days, weeks or years: `36h`, `90d`, `12w`, `2y`. */
export const age = Flags.custom<Age>({
  helpValue: 'AGE',
  parse: async (text) => parseAge(text),
});

/** @throws CliError `usage` */
export function parseAge(text: string): Age {
  const [, count, unit] = FORM.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (Number.isNaN(ms)) {
    throw new CliError('usage', `${text} is not an age such as 90d (units: h, d, w, y)`);
  }
  return { text, ms };
}

export function groupArgs() {
  return {
    clientId: clientIdArg(),
    groupJid: Args.string({ required: true, description: FIELD_WORDS.groupJid }),
  };
}

export function roomArgs() {
  return {
    clientId: clientIdArg(),
    room: Args.string({
      required: true,
      description: '+phone, LID digits, jid, chatRoomId, or a part of the name',
    }),
  };
}

export function receiverFlags() {
  return {
    'webhook-token': Flags.string({
      description: 'bearer token and signing key of the webhook calls',
      env: 'SWITCHBOARD_WEBHOOK_TOKEN',
    }),
    'poll-lookup-url': httpUrl({
      description: 'URL that returns the options of unknown polls',
      helpValue: 'URL',
    }),
    'extra-event': Flags.option({
      description: 'opt-in event to deliver; repeatable',
      options: EXTRA_EVENT_TYPES,
      multiple: true,
      multipleNonGreedy: true,
    })(),
  };
}

export function proxyFlags() {
  return {
    proxy: Flags.string({
      description: 'http, https or socks5 URL of the proxy for all connections of the session',
      helpValue: 'URL',
      env: 'SWITCHBOARD_SESSION_PROXY',
    }),
  };
}

export function webhookFlags() {
  return {
    webhook: httpUrl({ description: "URL that receives the session's events", helpValue: 'URL' }),
    ...receiverFlags(),
  };
}

/** The webhook settings of the flags; absent flags change nothing. */
export function webhookOf(flags: {
  webhook?: string;
  'webhook-token'?: string;
  'poll-lookup-url'?: string;
  'extra-event'?: ExtraEventType[];
}) {
  return {
    webhookUrl: flags.webhook,
    webhookToken: flags['webhook-token'],
    pollLookupUrl: flags['poll-lookup-url'],
    extraEvents: flags['extra-event'],
  };
}
