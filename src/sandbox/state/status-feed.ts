import { STATUS_JID } from '../wire/stanza.js';

/** Where people post statuses: the chat `status@broadcast`, which phones show apart from their chats. */
export class StatusFeed {
  readonly chatId = STATUS_JID;
}

export const STATUS_FEED = new StatusFeed();

/** Seconds for which phones show a status (Baileys `STATUS_EXPIRY_SECONDS`). */
export const STATUS_LIFE_S = 24 * 60 * 60;

/** Phones show statuses apart from the messages of chats. */
export function isStatus({ to }: { to: string }): boolean {
  return to === STATUS_JID;
}
