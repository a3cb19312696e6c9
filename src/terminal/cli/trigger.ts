import { EVENT_TYPES, type EventType } from '../../contract/events/catalogue.js';
import type { SampleFields } from '../../contract/events/sample.js';
import type { TestEventAnswer } from '../../contract/index.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';

export { EVENT_TYPES, type EventType };

export const MEANINGS: Readonly<Record<EventType, string>> = {
  text: 'a text message',
  image: 'an image with a caption',
  video: 'a video with a caption',
  audio: 'a voice message',
  document: 'a document with a caption',
  sticker: 'a sticker',
  poll_creation: 'a new poll',
  vote_update: 'a vote in a poll',
  interactive_reply: 'a tap on a button',
  contact: 'a contact card',
  location: 'a location',
  reaction: 'a reaction to an earlier message',
  edit: 'an edit of an earlier message',
  revoke: 'an earlier message deleted for everyone',
  message_status: 'delivery of an own message (opt-in)',
  session_status: 'a changed session status (opt-in)',
  call: 'a missed call (opt-in)',
  presence: 'a person that types (opt-in)',
  group_update: 'a new member of a group (opt-in)',
  message_unreadable: 'a message that could not be read (opt-in)',
  account_status: 'a restriction of the linked number (opt-in)',
  identity_change: 'a new security code of a person (opt-in)',
  channel_post: 'a post of a channel (opt-in)',
  status_post: 'a status of a contact (opt-in)',
};

export interface Triggered extends TestEventAnswer {
  type: EventType;
}

export const FIELDS = ['body', 'messageId', 'remoteName', 'remotePhone', 'pushName'] as const;

/** Sends one sample event to a session's webhook and waits for the outcome. @throws CliError */
export async function trigger(
  client: DaemonClient,
  type: EventType,
  { clientId, fields }: { clientId: string; fields: SampleFields },
): Promise<Triggered> {
  try {
    return {
      type,
      ...(await client.sendTestEvent({
        clientId,
        type,
        fields: Object.keys(fields).length > 0 ? fields : undefined,
      })),
    };
  } catch (error) {
    throw explained(error, clientId);
  }
}

/** Parses `name=text` pairs. @throws CliError `usage` */
export function readFields(body: string | undefined, pairs: readonly string[]): SampleFields {
  const fields: Record<string, string> = body === undefined ? {} : { body };
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0));
    if (!FIELDS.some((field) => field === name)) {
      throw new CliError('usage', `${pair} is not a field of an event: use name=text`, {
        suggestions: [`names: ${FIELDS.join(', ')}`],
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
      `receive its events on this machine: switchboard listen --session ${clientId}`,
      `or set its webhook: switchboard sessions webhook ${clientId} https://example.com/hook`,
    ],
    cause: error,
  });
}
