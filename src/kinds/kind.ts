import type { AnyMessageContent, proto } from '@whiskeysockets/baileys';
import type { ObjectSchema } from 'joi';
import type { MessageEventType } from '../events/catalogue.js';
import type { EventExtras } from '../events/extras.js';

/** A message as the network carries it. */
export type Content = proto.IMessage;

/** The fields that every send route takes. */
export interface SendPayload {
  clientId: string;
  to: string;
  quotedMessageId?: string;
  mentions?: string[];
  metaData?: Record<string, unknown>;
}

/** A content that the library has no short form for: it is sent as it stands. */
export interface RawContent {
  raw: Content;
}

/** What a kind composes: the library's short form, or the message itself. */
export type Composed = AnyMessageContent | RawContent;

/** The key of an earlier message, from the linked number's point of view. */
export interface MessageKey {
  remoteJid: string;
  id: string;
  fromMe: boolean;
  /** In groups: jid of who wrote it. */
  participant?: string;
}

/** What a kind may ask for while it composes. */
export interface ComposeContext {
  /** Jid of the chat. */
  chat: string;
  /** Jids of the people that `mentions` names. */
  mentionedJids: string[];
  /** The message that `KindSend.target` names. */
  target?: MessageKey;
  /** What that message says by now, as far as it is kept. */
  targetContent?: Content;
}

/** The earlier message that a payload is about. */
export interface Target {
  messageId: string;
  fromMe: boolean;
  /** Only within so many milliseconds of its sending; refused before anything is sent where its age is known. */
  withinMs?: number;
}

/** How a kind is sent: one route is made of each. */
export interface KindSend<Payload extends SendPayload = SendPayload> {
  /** Route path below the root, with its slash. */
  path: `/${string}`;
  /** One line for the API's documentation. */
  description: string;
  payload: ObjectSchema<Payload>;
  /** The earlier message that this one is about, if it is about one; `compose` then finds its key in the context. */
  target?(payload: Payload): Target;
  compose(payload: Payload, context: ComposeContext): Composed;
  /** What the answer tells beside `status` and `messageId`. */
  answer?(payload: Payload): Record<string, string>;
}

/** What the caller wants of a file that is sent. */
export interface FileWishes {
  caption: string;
  asVoice: boolean;
  asSticker: boolean;
}

/** A file that is ready to be sent, and what was found out about it. */
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
  /** 64 loudnesses from 0 to 100, of a voice note. */
  waveform?: Uint8Array;
  /** Small JPEG. */
  thumbnail?: Uint8Array;
  animated?: boolean;
  pageCount?: number;
}

/** How a file becomes a message of a kind. */
export interface KindFile {
  /** True when such a file is sent as this kind. `KINDS` is asked in its order; the first that takes it sends it. */
  takes(mimeType: string, wishes: FileWishes): boolean;
  compose(file: OutgoingFile, wishes: FileWishes, context: ComposeContext): Composed;
}

/** The per-type objects of the contract's events; at most one of them is there. */
export type EventExtra = EventExtras;

/** What an event says of a message's content. */
export interface Reading {
  type: MessageEventType;
  /** Text, caption or rendered text. */
  body: string;
  extra?: EventExtra;
}

/** What a kind knows while it reads. */
export interface ReadContext {
  /** It may be looked at once: its wrapper says so, or it says so itself. */
  viewOnce: boolean;
  /** Reads a content within the content, such as the new one of an edit, by whatever kind it is of. */
  read(content: Content): Reading;
}

/** Stored messages use older words than events do. */
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

/** All that the gateway knows of one kind of message. A new kind is one file of this shape and a line in `index.ts`. */
export interface Kind {
  name: string;
  send?: KindSend;
  file?: KindFile;
  /** Undefined when the content is not of this kind. It is given without wrappers, see `unwrap`. */
  read(content: Content, context: ReadContext): Reading | undefined;
  /** Undefined when it changes an earlier message and is no row of its own. */
  storedType: StoredType | undefined;
}
