import { openWrappers } from '../../domain/wrappers.js';
import { contact } from './contact.js';
import { edit } from './edit.js';
import { interactive } from './interactive.js';
import { interactiveReply } from './interactive-reply.js';
import type { Content, FileWishes, Kind, KindFile, KindSend, Reading } from './kind.js';
import { list } from './list.js';
import { location } from './location.js';
import { MEDIA_KINDS } from './media.js';
import { pin } from './pin.js';
import { pollCreation } from './poll-creation.js';
import { reaction } from './reaction.js';
import { revoke } from './revoke.js';
import { text } from './text.js';
import { readUnknown } from './unknown.js';
import { voteUpdate } from './vote-update.js';

/**
 * All kinds of messages. The first kind that knows a content reads it, and the first that takes a file sends it: a document
 * takes any.
 */
export const KINDS: readonly Kind[] = [
  text,
  ...MEDIA_KINDS,
  pollCreation,
  voteUpdate,
  list,
  interactive,
  interactiveReply,
  contact,
  location,
  reaction,
  edit,
  revoke,
  pin,
];

/** The kinds that have a send route. */
export function sendableKinds(kinds: readonly Kind[] = KINDS): KindSend[] {
  return kinds.flatMap((kind) => kind.send ?? []);
}

/** The kind as which a file is sent; undefined when none takes it. */
export function kindOfFile(
  mimeType: string,
  wishes: FileWishes,
  kinds: readonly Kind[] = KINDS,
): { name: string; file: KindFile } | undefined {
  for (const { name, file } of kinds) if (file?.takes(mimeType, wishes)) return { name, file };
  return undefined;
}

/** Reads a content with the first kind that knows it; `kind` is undefined for the fallback. */
export function readContent(
  content: Content,
  kinds: readonly Kind[] = KINDS,
): { kind?: Kind; reading: Reading } {
  const { content: inner, viewOnce } = openWrappers(content);
  const read = (within: Content) => readContent(within, kinds).reading;
  for (const kind of kinds) {
    const reading = kind.read(inner, { viewOnce, read });
    if (reading) return { kind, reading };
  }
  return { reading: readUnknown(inner) };
}
