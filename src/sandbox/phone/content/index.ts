import type { proto } from '@whiskeysockets/baileys';
import type { ContentView, PhoneContent } from './content.js';
import { text } from './text.js';

/** Every kind of content that phones know. */
export const CONTENTS: readonly PhoneContent[] = [text];

/** Shows a message, unwrapped, by the first kind that knows it. */
export function readContent(message: proto.IMessage): ContentView {
  for (const content of CONTENTS) {
    const view = content.read(message);
    if (view) return view;
  }
  return { type: 'unknown', text: Object.keys(message).join(' ') };
}
