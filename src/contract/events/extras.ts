/** The per-type objects of message events; an event has at most one, which fits its `type`. */
export interface EventExtras {
  linkPreview?: LinkPreviewExtra;
  list?: ListExtra;
  buttons?: ButtonExtra[];
  pin?: PinExtra;
  media?: MediaExtra;
  poll?: PollExtra;
  pollVote?: PollVoteExtra;
  interactive?: InteractiveExtra;
  contact?: ContactExtra;
  location?: LocationExtra;
  reaction?: ReactionExtra;
  edit?: EditExtra;
  revoke?: RevokeExtra;
}

/** The preview of a text's first link, as the sender's client shows it. */
interface LinkPreviewExtra {
  /** The link as written in the text. */
  url: string;
  title: string;
  /** Empty when there is none. */
  description: string;
}

/** A list below a text, from whose rows a person chooses one. */
export interface ListExtra {
  /** The label of the button that opens the list. */
  buttonText: string;
  sections: {
    title: string;
    rows: {
      /** Returned as the `id` of the `interactive_reply`. */
      id: string;
      title: string;
      description: string;
    }[];
  }[];
}

/** A button below a text. A tap returns `id`, or `displayText`, in the `interactive_reply`. */
export interface ButtonExtra {
  type: 'quick_reply' | 'cta_url' | 'cta_call' | 'cta_copy';
  displayText: string;
  /** For `quick_reply` and `cta_copy`. */
  id?: string;
  /** For `cta_url`. */
  url?: string;
  /** For `cta_call`, as the sender wrote it. */
  phoneNumber?: string;
  /** For `cta_copy`. */
  copyCode?: string;
}

/** An earlier message was pinned for everyone in the chat, or unpinned; part of a text event. */
interface PinExtra {
  targetId: string;
  pinned: boolean;
  /** Seconds until the pin ends by itself; 0 for an unpin, or if unknown. */
  duration: number;
}

/** A file. Download and decrypt its bytes, or use the stored copy of the hosted inbox. */
export interface MediaExtra {
  mimeType: string;
  mediaType: string;
  fileName: string;
  /** Bytes. */
  fileSize: number;
  caption: string;
  seconds?: number;
  /** Pixels. */
  width?: number;
  height?: number;
  /** True for a voice note, recorded in the chat. */
  voice?: boolean;
  /** True for animated stickers, and for videos that loop without sound (GIFs). */
  animated?: boolean;
  /** True for view-once media; absent otherwise. */
  viewOnce?: boolean;
  /** Permanent link to the stored file; with the hosted inbox only. */
  downloadUrl?: string;
  download: MediaDownload;
}

/** The network's address of the encrypted file, and its key; binary values in base64. */
export interface MediaDownload {
  url: string;
  directPath: string;
  mediaKey: string;
  fileSha256: string;
  fileEncSha256: string;
  /** Seconds since the epoch. */
  mediaKeyTimestamp: number;
}

interface PollExtra {
  name: string;
  options: string[];
  /** How many options one voter may choose. */
  selectableCount: number;
}

export interface PollVoteExtra {
  pollMessageId: string;
  /** User-part of the voter. */
  voter: string;
  /** The names of the chosen options are known. */
  resolved: boolean;
  selectedOptions: string[];
  /** Hex SHA-256 of each chosen option's name. */
  selectedHashes: string[];
}

export interface InteractiveExtra {
  kind: 'button' | 'list';
  /** The id of the button or row, set by its sender. */
  id: string;
  displayText: string;
  /** The message with the button. */
  targetId: string;
}

export interface ContactCard {
  displayName: string;
  /** With `+` if the card has the country code, otherwise the digits as written; empty if the card has no number. */
  phone: string;
  vcard: string;
}

interface ContactExtra extends ContactCard {
  /** All cards, when several were shared; the first is also in the fields above. */
  contacts?: ContactCard[];
}

export interface LocationExtra {
  /** Degrees. */
  latitude: number;
  longitude: number;
  /** The caption, for a live location. */
  name: string;
  address: string;
  /** The location moves; further events follow. */
  live: boolean;
}

interface ReactionExtra {
  targetId: string;
  targetFromMe: boolean;
  /** Empty when the reaction was removed. */
  emoji: string;
}

interface EditExtra {
  targetId: string;
  body: string;
}

interface RevokeExtra {
  targetId: string;
  /** An admin of the group deleted another person's message. */
  byAdmin: boolean;
}
