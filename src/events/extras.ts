/** The per-type objects of message events: at most one of them is in an event, and it fits the event's `type`. */
export interface EventExtras {
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

/** A file. Its bytes are not in the event: fetch and decrypt them, or take the stored copy of the hosted inbox. */
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
  /** Of audio: a voice note, recorded in the chat. */
  voice?: boolean;
  /** Of stickers, and of videos that loop without sound. */
  animated?: boolean;
  /** It may be looked at once; left out otherwise. */
  viewOnce?: boolean;
  /** Permanent link to the stored file; with the hosted inbox only. */
  downloadUrl?: string;
  download: MediaDownload;
}

/** Where the network keeps the encrypted file, and what decrypts it; binary values in base64. */
export interface MediaDownload {
  url: string;
  directPath: string;
  mediaKey: string;
  fileSha256: string;
  fileEncSha256: string;
  /** Seconds since the epoch. */
  mediaKeyTimestamp: number;
}

export interface PollExtra {
  name: string;
  options: string[];
  /** How many options one voter may choose. */
  selectableCount: number;
}

export interface PollVoteExtra {
  pollMessageId: string;
  /** User-part of who voted. */
  voter: string;
  /** The names of the chosen options are known. */
  resolved: boolean;
  selectedOptions: string[];
  /** Hex SHA-256 of each chosen option's name. */
  selectedHashes: string[];
}

export interface InteractiveExtra {
  kind: 'button' | 'list';
  /** The id that the button or row was given when it was sent. */
  id: string;
  displayText: string;
  /** Message that held the button. */
  targetId: string;
}

export interface ContactCard {
  displayName: string;
  /** With `+` where the card tells the country; digits as they were written otherwise; empty when it has none. */
  phone: string;
  vcard: string;
}

export interface ContactExtra extends ContactCard {
  /** All of them, when several were shared; the first is also in the fields above. */
  contacts?: ContactCard[];
}

export interface LocationExtra {
  /** Degrees. */
  latitude: number;
  longitude: number;
  /** Of a live location what its sender wrote to it. */
  name: string;
  address: string;
  /** It moves: further events follow. */
  live: boolean;
}

export interface ReactionExtra {
  targetId: string;
  targetFromMe: boolean;
  /** Empty when the reaction was removed. */
  emoji: string;
}

export interface EditExtra {
  targetId: string;
  body: string;
}

export interface RevokeExtra {
  targetId: string;
  /** An admin of the group deleted somebody else's message. */
  byAdmin: boolean;
}
