import type { proto } from '@whiskeysockets/baileys';
import { buttonReply } from './button-reply.js';
import { buttons } from './buttons.js';
import { contact, contacts } from './contact.js';
import type { Change, ContentView, ContentWriter, PhoneContent, Reading } from './content.js';
import { edit } from './edit.js';
import { encryptedEdit } from './encrypted-edit.js';
import { listReply } from './list-reply.js';
import { location } from './location.js';
import { media } from './media.js';
import { poll } from './poll.js';
import { raw } from './raw.js';
import { reaction } from './reaction.js';
import { revoke } from './revoke.js';
import { text } from './text.js';
import { vote } from './vote.js';

/** Every kind of content that phones know. */
const CONTENTS: readonly PhoneContent[] = [
  text,
  media,
  poll,
  vote,
  reaction,
  edit,
  encryptedEdit,
  revoke,
  location,
  contact,
  contacts,
  buttons,
  buttonReply,
  listReply,
  raw,
];

/** The kinds that a person can write. */
export const WRITERS: readonly ContentWriter[] = CONTENTS.flatMap(({ write }) => write ?? []);

/** Shows a message, unwrapped, by the first kind that knows it. */
export function readContent(message: proto.IMessage, reading: Reading): ContentView {
  for (const content of CONTENTS) {
    const view = content.read?.(message, reading);
    if (view) return view;
  }
  const fields = Object.keys(message).filter((field) => field !== 'messageContextInfo');
  return { type: 'unknown', text: fields.join(' ') };
}

/** What a message, unwrapped, changes; undefined when it is a message of its own. */
export function readChange(message: proto.IMessage, reading: Reading): Change | undefined {
  for (const content of CONTENTS) {
    const change = content.change?.(message, reading);
    if (change) return change;
  }
  return undefined;
}
