import { Flags } from '@oclif/core';
import { httpUrl } from './flags.js';
import type { WebhookChange } from './wire.js';

const EXTRA_EVENTS = ['message_status', 'session_status'];

/** What receivers of a session's events are told and asked. */
export function receiverFlags() {
  return {
    'webhook-token': Flags.string({
      description: 'bearer token that each call carries',
      env: 'SWITCHBOARD_WEBHOOK_TOKEN',
    }),
    'poll-lookup-url': httpUrl({ description: 'asked for the options of unknown polls', helpValue: 'URL' }),
    'extra-event': Flags.string({
      description: 'also deliver this opt-in event; repeatable',
      options: EXTRA_EVENTS,
      multiple: true,
      multipleNonGreedy: true,
    }),
  };
}

/** The same, with the address. */
export function webhookFlags() {
  return {
    webhook: httpUrl({ description: "where the session's events go", helpValue: 'URL' }),
    ...receiverFlags(),
  };
}

/** What is named by the flags; the rest stays as it is. */
export function webhookOf(flags: {
  webhook?: string;
  'webhook-token'?: string;
  'poll-lookup-url'?: string;
  'extra-event'?: string[];
}): WebhookChange {
  return {
    webhookUrl: flags.webhook,
    webhookToken: flags['webhook-token'],
    pollLookupUrl: flags['poll-lookup-url'],
    extraEvents: flags['extra-event'],
  };
}
