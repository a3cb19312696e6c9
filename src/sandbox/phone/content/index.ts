import type { proto } from '@whiskeysockets/baileys';
import { buttonReply, buttons, listReply } from './buttons.js';
import { contact, contacts } from './contact.js';
import type { Change, ContentView, ContentWriter, PhoneContent, Reading } from './content.js';
import { edit, encryptedEdit } from './edit.js';
import { list } from './list.js';
import { location } from './location.js';
import { media } from './media.js';
import { pin } from './pin.js';
import { poll, vote } from './poll.js';
import { reaction, revoke } from './reaction.js';
import { raw, text } from './text.js';
import { timer } from './timer.js';

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
  list,
  buttons,
  buttonReply,
  listReply,
  pin,
  timer,
  raw,
];

/** The kinds that a person can write. */
export const WRITERS: readonly ContentWriter[] = CONTENTS.flatMap(({ write }) => write ?? []);

/** Reads an unwrapped message with the first kind that knows it. */
export function readContent(message: proto.IMessage, reading: Reading): ContentView {
  for (const content of CONTENTS) {
    const view = content.read?.(message, reading);
    if (view) return view;
  }
  const fields = Object.keys(message).filter((field) => field !== 'messageContextInfo');
  return { type: 'unknown', text: fields.join(' ') };
}

/** The change in an unwrapped message; undefined for a new message. */
export function readChange(message: proto.IMessage, reading: Reading): Change | undefined {
  for (const content of CONTENTS) {
    const change = content.change?.(message, reading);
    if (change) return change;
  }
  return undefined;
}
