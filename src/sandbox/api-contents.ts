/** What a message carries beside its text, by its type. */
export interface ContentFields {
  media?: MediaView;
  poll?: PollView;
  location?: LocationView;
  /** The first one, when there are several. */
  contact?: ContactView;
  contacts?: ContactView[];
  buttonReply?: ButtonReplyContent;
  listReply?: ListReplyContent;
  /** Of type `timer`: seconds after which later messages of the chat disappear; 0 when they stay. */
  timer?: number;
  linkPreview?: LinkPreviewView;
  /** Of type `list`. */
  list?: ListView;
  /** Of types `buttons` and `list`. */
  bodyText?: string;
  footerText?: string;
  buttons?: ButtonView[];
  /** Whether a phone shows the buttons or the list; false when the stanza lacks the `<biz>` element for them. */
  rendered?: boolean;
}

export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** A file as the phone got it from the media host. */
export interface MediaView {
  mimeType: string;
  /** Bytes, decrypted. */
  size: number;
  /** Of the decrypted bytes, hex; empty when the phone could not get them. */
  sha256: string;
  /** Why the phone could not get the file. */
  error?: string;
  fileName?: string;
  caption?: string;
  seconds?: number;
  width?: number;
  height?: number;
  pageCount?: number;
  /** How many values the waveform has. */
  waveform?: number;
  /** Bytes of the preview picture. */
  thumbnail?: number;
  voice: boolean;
  animated: boolean;
  viewOnce: boolean;
}

export interface PollView {
  name: string;
  options: string[];
  /** How many options one may choose; 0: any number. */
  selectableCount: number;
  /** Number of who voted → chosen options; hex SHA-256 where no option fits. */
  votes: Record<string, string[]>;
}

export interface LocationView {
  latitude: number;
  longitude: number;
  name: string;
  address: string;
  live: boolean;
}

export interface ContactView {
  displayName: string;
  /** E.164 with `+`; empty when the card has none. */
  phone: string;
  vcard: string;
}

/** A button, in the words of the gateway's API. */
export interface ButtonView {
  type: string;
  displayText: string;
  id?: string;
  url?: string;
  phoneNumber?: string;
  copyCode?: string;
}

/** Content of what a person writes: exactly one field, `linkPreview` aside. */
export interface WriteContent {
  text?: string;
  /** Beside `text` only. */
  linkPreview?: LinkPreviewContent;
  media?: MediaContent;
  poll?: { name: string; options: string[]; selectableCount?: number };
  /** No options: the vote is taken back. */
  vote?: { pollMessageId: string; options: string[] };
  /** An empty emoji takes the reaction back. */
  reaction?: { messageId: string; emoji: string };
  edit?: EditContent & {
    /** Inside the wrapper that some phones put around edits. */
    wrapped?: boolean;
  };
  revoke?: { messageId: string };
  pin?: {
    messageId: string;
    /** False unpins it. */
    pinned?: boolean;
    /** Seconds; a week by default. */
    duration?: number;
  };
  /** Sets the timer of a private chat, in seconds; 0 turns it off. */
  timer?: number;
  location?: { latitude: number; longitude: number; name?: string; address?: string; live?: boolean };
  contact?: ContactContent;
  /** Several cards in one message. */
  contacts?: ContactContent[];
  buttonReply?: ButtonReplyContent & {
    /** The protocol message of the tap; default `interactive`, as phones send for native buttons. */
    as?: 'interactive' | 'buttons' | 'template';
  };
  listReply?: ListReplyContent & {
    /** The protocol message of the choice; default `list`, as phones send for legacy lists. */
    as?: 'list' | 'interactive';
  };
  /** An edit that only those can read who hold the message. */
  encryptedEdit?: EditContent;
  /** Any message of the protocol: an encoded `proto.Message`, base64. */
  raw?: string;
}

/** A file: its bytes are in exactly one of `base64`, `size` and `file`. */
export interface MediaContent {
  kind: MediaKind;
  mimeType: string;
  base64?: string;
  /** So many random bytes. */
  size?: number;
  /** SHA-256 in hex of a file that was given to `POST /files`, or that a phone holds. */
  file?: string;
  fileName?: string;
  caption?: string;
  /** A voice note. */
  voice?: boolean;
  /** May be looked at once. */
  viewOnce?: boolean;
  /** A sticker that moves, a video that plays like a GIF. */
  animated?: boolean;
  seconds?: number;
  width?: number;
  height?: number;
  pageCount?: number;
}

export interface EditContent {
  messageId: string;
  text: string;
}

export interface ContactContent {
  displayName: string;
  /** E.164 with `+`. */
  phone: string;
}

/** A tap on a button. */
export interface ButtonReplyContent {
  /** The message with the button. */
  messageId: string;
  id: string;
  displayText: string;
}

/** A choice from a list. */
export interface ListReplyContent {
  /** The message with the list. */
  messageId: string;
  id: string;
  title: string;
}

/** A list of rows, in the words of the gateway's API. */
export interface ListView {
  title: string;
  buttonText: string;
  sections: { title: string; rows: { id: string; title: string; description: string }[] }[];
}

export interface LinkPreviewView extends LinkPreviewContent {
  /** Bytes of the preview picture; absent when there is none. */
  thumbnail?: number;
}

export interface LinkPreviewContent {
  /** The link in the text. */
  matchedText: string;
  title: string;
  description?: string;
}

/**
 * `damaged`: a ciphertext that nobody can decrypt, until it is encrypted again; `damaged-for-good`: also then.
 * `unavailable` and its kinds: no ciphertext. `plaintext`: the content, not encrypted.
 */
export const DEVICE_COPIES = [
  'damaged',
  'damaged-for-good',
  'unavailable',
  'unavailable-view-once',
  'unavailable-bot',
  'unavailable-hosted',
  'plaintext',
] as const;
export type DeviceCopy = (typeof DEVICE_COPIES)[number];
