import { EXTRA_EVENT_TYPES, MESSAGE_EVENT_TYPES } from '../events/catalogue.js';
import type { SampleFields } from '../events/sample.js';
import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';
import type { TestEventAnswer } from './wire.js';

export type EventType = (typeof EVENT_TYPES)[number];

/** Every type of event, as the catalogue has them. */
export const EVENT_TYPES = [...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES] as const;

/** What each stands for. */
export const MEANINGS: Readonly<Record<EventType, string>> = {
  text: 'somebody wrote a text',
  image: 'a picture came, with a caption',
  video: 'a film came, with a caption',
  audio: 'a voice message came',
  document: 'a file came, with a caption',
  sticker: 'a sticker came',
  poll_creation: 'somebody asked a poll',
  vote_update: 'somebody voted in a poll',
  interactive_reply: 'a button was tapped',
  contact: 'a contact card was shared',
  location: 'a place was shared',
  reaction: 'somebody reacted to an earlier message',
  edit: 'an earlier message was edited',
  revoke: 'an earlier message was deleted for everyone',
  message_status: 'an own message was delivered (opt-in)',
  session_status: 'the status of the session changed (opt-in)',
};

/** What came of a made-up event. */
export interface Triggered extends TestEventAnswer {
  type: EventType;
}

export interface TriggerWish {
  clientId: string;
  /** What of the event is not as usual. */
  fields: SampleFields;
}

/** Names of the fields that may be set. */
export const FIELDS = ['body', 'messageId', 'remoteName', 'remotePhone', 'pushName'] as const;

/** Sends one made-up event to the webhook of a session, and waits for how it ended. @throws CliError */
export async function trigger(
  client: DaemonClient,
  type: EventType,
  { clientId, fields }: TriggerWish,
): Promise<Triggered> {
  try {
    return { type, ...(await client.sendTestEvent(clientId, type, fields)) };
  } catch (error) {
    throw explained(error, clientId);
  }
}

/** `name=text`, as typed, as fields of an event. @throws CliError `usage` */
export function readFields(body: string | undefined, pairs: readonly string[]): SampleFields {
  const fields: Record<string, string> = body === undefined ? {} : { body };
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0));
    if (!FIELDS.some((field) => field === name)) {
      throw new CliError('usage', `${pair} sets no field of an event: name=text`, {
        suggestions: [`the names are ${FIELDS.join(', ')}`],
      });
    }
    fields[name] = pair.slice(at + 1);
  }
  return fields;
}

function explained(error: unknown, clientId: string): unknown {
  if (!(error instanceof CliError) || error.failure !== 'conflict') return error;
  return new CliError('conflict', error.message, {
    suggestions: [
      `receive its events here: switchboard listen --session ${clientId}`,
      `or set its webhook: switchboard sessions webhook ${clientId} https://example.com/hook`,
    ],
    cause: error,
  });
}
