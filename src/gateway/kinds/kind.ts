import type { MessageEventType } from '../../contract/events/catalogue.js';
import type { EventExtras } from '../../contract/events/extras.js';
import type { SendPayload, SendRequest } from '../../contract/sends/send-request.js';
import type { EpochMs } from '../../domain/clock.js';
import type { AnyMessageContent, proto } from './protocol-types.js';

/** A message as the network carries it. */
export type Content = proto.IMessage;

/** A content to send: in the library's short form, or as the protocol's message, which is sent unchanged. */
export type Composed = AnyMessageContent | { raw: Content };

/** The key of an earlier message, from the linked number's point of view. */
export interface MessageKey {
  remoteJid: string;
  id: string;
  fromMe: boolean;
  /** In groups: jid of the author. */
  participant?: string;
}

/** The preview of a link that phones show above a text. */
export interface LinkPreview {
  /** The link as written in the text. */
  url: string;
  title: string;
  /** Empty when the page has none. */
  description: string;
  /** Small JPEG. */
  thumbnail?: Uint8Array;
}

/** Input for composing a content, beside its payload. */
export interface ComposeContext {
  /** Jid of the chat. */
  chat: string;
  now: EpochMs;
  /** Jids of the people that `mentions` names. */
  mentionedJids: string[];
  /** The message that `KindSend.target` names. */
  target?: MessageKey;
  /** The current content of that message, if it is stored. */
  targetContent?: Content;
  /** Preview of the link of `KindSend.link`; absent if it is not wanted, or could not be fetched. */
  preview?: LinkPreview;
}

/** The earlier message that a payload is about. */
export interface Target {
  messageId: string;
  fromMe: boolean;
  /** Milliseconds after its sending during which this send is allowed, if the age of the message is known. */
  withinMs?: number;
  /** The send is refused if the message is unknown, or known to be deleted for everyone. */
  mustBeKnown?: boolean;
}

/** How a kind is sent; each has a route. */
export interface KindSend<Payload extends SendPayload = SendPayload> extends SendRequest<Payload> {
  /** The earlier message that this one is about; its key is then in the context of `compose`. */
  target?(payload: Payload): Target;
  /** The link whose preview is shown. `wanted` is undefined if the payload leaves the choice to the daemon's setting. */
  link?(payload: Payload): { url: string; wanted: boolean | undefined } | undefined;
  compose(payload: Payload, context: ComposeContext): Composed;
  /** Fields of the answer beside `status` and `messageId`. */
  answer?(payload: Payload): Record<string, string>;
}

/** The caller's wishes for a file. */
export interface FileWishes {
  caption: string;
  asVoice: boolean;
  asSticker: boolean;
}

/** A file to send, with its detected properties. */
export interface OutgoingFile {
  /** On this machine's disk. */
  path: string;
  mimeType: string;
  /** Never empty. */
  fileName: string;
  /** Bytes. */
  size: number;
  /** Pixels. */
  width?: number;
  height?: number;
  /** Whole seconds. */
  seconds?: number;
  /** Waveform of a voice note: 64 volumes from 0 to 100. */
  waveform?: Uint8Array;
  /** Small JPEG. */
  thumbnail?: Uint8Array;
  animated?: boolean;
  pageCount?: number;
}

/** How a file becomes a message of a kind. */
export interface KindFile {
  /** True when such a file is sent as this kind; the first in the order of `KINDS` sends it. */
  takes(mimeType: string, wishes: FileWishes): boolean;
  compose(file: OutgoingFile, wishes: FileWishes, context: ComposeContext): Composed;
}

/** A content as an event shows it. */
export interface Reading {
  type: MessageEventType;
  /** Text, caption or rendered text. */
  body: string;
  extra?: EventExtras;
}

/** Input for reading a content. */
interface ReadContext {
  /** The wrapper or the content itself says view-once. */
  viewOnce: boolean;
  /** Reads a nested content of any kind, such as the new text of an edit. */
  read(content: Content): Reading;
}

/** The type of a stored message; these names are older than those of events. */
export type StoredType =
  | 'chat'
  | 'image'
  | 'video'
  | 'audio'
  | 'document'
  | 'sticker'
  | 'contact'
  | 'location'
  | 'poll'
  | 'vote_update'
  | 'interactive'
  | 'interactive_reply';

/** One kind of message. A new kind is one file of this shape and a line in `index.ts`. */
export interface Kind {
  name: string;
  send?: KindSend;
  file?: KindFile;
  /** Reads an unwrapped content (see `unwrap`); undefined if it is not of this kind. */
  read(content: Content, context: ReadContext): Reading | undefined;
  /** Undefined for a kind that changes an earlier message and has no row of its own. */
  storedType: StoredType | undefined;
}
