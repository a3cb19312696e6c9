import type { SessionStatus } from '../../../domain/session.js';

/** State of the inbox screen; immutable. */
export interface InboxState {
  connection:
    | { state: 'connecting' }
    | { state: 'open' }
    /** Connection lost; the next attempt follows after `delayMs`. The shown data may be stale. */
    | { state: 'reconnecting'; reason: string; delayMs: number };
  /** Sessions, sorted by name. */
  sessions: readonly SessionItem[];
  /** True until the sessions are loaded for the first time. */
  loadingSessions: boolean;
  /** The selected session; undefined if there are none. */
  clientId: string | undefined;
  /** Rooms, newest activity first. */
  rooms: readonly RoomItem[];
  /** True until the rooms are loaded for the first time. */
  loadingRooms: boolean;
  /** The open conversation. */
  conversation: Conversation | undefined;
  /** Messages and files being sent. */
  outgoing: readonly OutgoingItem[];
  /** Outcome of the last action, such as an error or a warning. */
  notice: Notice | undefined;
}

export interface SessionItem {
  clientId: string;
  status: SessionStatus;
  /** Reason of the status; empty if connected. */
  reason: string;
  /** Own jid; empty before pairing. */
  jid: string;
  /** Workspace; empty if there is none: then the session has no rooms. */
  orgId: string;
}

export interface RoomItem {
  chatRoomId: string;
  name: string;
  isGroup: boolean;
  /** Address for messages to this room. */
  to: string;
  /** Phone number (`+…`) of a direct chat that is addressed by LID; empty if unknown. */
  phone: string;
  lastMessage: string;
  lastMessageFromMe: boolean;
  /** The last message, if it has no text and is loaded. */
  last?: MessageItem;
  /** Time of the last message; undefined before the first one. */
  lastMessageAt: Date | undefined;
  unreadCount: number;
}

export interface Conversation {
  chatRoomId: string;
  /** Messages, oldest first. */
  messages: readonly MessageItem[];
  hasOlder: boolean;
  loading: boolean;
  /** Older messages that only the phone may hold; relevant when `hasOlder` is false. */
  onPhone: PhoneHistory;
  /** The oldest message that was unread when the conversation was opened. */
  unreadFrom?: string;
}

/**
 * `unknown`: the phone can be asked; `asking`: it is being asked; `silent`: it did not answer, and can be asked again; `none`: it
 * has no older messages.
 */
export type PhoneHistory = 'unknown' | 'asking' | 'silent' | 'none';

/** Delivery status of an own message. */
export type Tick = 'sent' | 'delivered' | 'read' | 'played' | 'failed';

export interface MessageItem {
  messageId: string;
  /** The stored type of the contract: `chat`, `image`, `poll` … */
  type: string;
  body: string;
  fromMe: boolean;
  /** Name of the author; empty for own messages. */
  author: string;
  sentAt: Date;
  deleted: boolean;
  edited: boolean;
  forwarded: boolean;
  /** Sent by an assistant, according to the `metaData`. */
  fromAi: boolean;
  /** Undefined for messages of others, and if unknown. */
  tick: Tick | undefined;
  quoted: { author: string; body: string } | undefined;
  reactions: readonly { emoji: string; count: number; mine: boolean }[];
  attachment: Attachment | undefined;
  /** Why the content could not be read; then the message has no content. */
  unreadable?: string;
}

export interface Attachment {
  /** `image`, `video`, `audio`, `document` or `sticker`. */
  mediaType: string;
  fileName: string;
  /** Size in bytes; 0 if unknown. */
  size: number;
  /** Permanent link; empty while the file is not stored. */
  url: string;
  /** Duration of a video or an audio file, if known. */
  seconds?: number;
  /** A voice note, recorded in the chat. */
  voice?: boolean;
}

/** A message that a search has found. */
export interface Hit {
  room: RoomItem;
  message: MessageItem;
}

/** A room of a session that is not selected. */
export interface OtherRoom {
  clientId: string;
  room: RoomItem;
}

export interface OutgoingItem {
  id: number;
  chatRoomId: string;
  /** The text, or the file name. */
  label: string;
  /** Bytes of a file. */
  progress: { sent: number; total: number } | undefined;
}

export interface Notice {
  level: 'error' | 'warning' | 'done';
  text: string;
  suggestions: readonly string[];
  /** True if the notice disappears when the daemon is back. */
  untilBack?: true;
  /** Target of a link on the text, on terminals that support links. */
  link?: string;
}

/**
 * Model of the inbox screen: follows the live stream, keeps the state, and runs actions. Actions never throw: they resolve
 * with false, and the error becomes the state's `notice`.
 */
export interface InboxModel {
  readonly state: InboxState;
  /** Calls back after every change. @returns the unsubscribe function */
  subscribe(listener: () => void): () => void;
  /** Ends the live stream and all calls. */
  close(): void;

  selectSession(clientId: string): void;
  /** Opens a conversation, loads its newest messages, and resets its unread count. */
  openRoom(chatRoomId: string): void;
  closeRoom(): void;
  /** Loads the page before the oldest message. */
  loadOlder(): Promise<boolean>;
  /** Asks the phone for messages that are older than all stored ones, and loads what comes. */
  requestOlder(): Promise<boolean>;

  /** Sends a text to the open conversation; `quotedMessageId` makes it a reply. */
  send(text: string, options?: { quotedMessageId?: string }): Promise<boolean>;
  /** Sends a local file to the open conversation. */
  sendFile(path: string, options?: { caption?: string; quotedMessageId?: string }): Promise<boolean>;
  /** Reacts to a message; an empty emoji removes the reaction. */
  react(messageId: string, emoji: string): Promise<boolean>;
  edit(messageId: string, text: string): Promise<boolean>;
  /** Deletes an own message for everyone, others only on the own devices. */
  remove(messageId: string): Promise<boolean>;
  /** Sends the first message to a number (`+…`) or LID and opens the conversation. */
  startChat(to: string, text: string): Promise<boolean>;
  /**
   * Sends read receipts for the newest received messages of the open conversation. Opening a conversation only resets the
   * unread count, without receipts.
   */
  markRead(): Promise<boolean>;
  /** Sets the workspace of a session. */
  keepHistory(clientId: string, orgId: string): Promise<boolean>;

  /** Rooms whose name, number or last message contains the words, ignoring case and accents. */
  findRooms(words: string): readonly RoomItem[];
  /**
   * The newest message of the open conversation before `before` that contains the words; loads older pages until it finds
   * one or reaches the beginning. With `after`, the oldest loaded one after that message.
   */
  findMessage(words: string, options?: { before?: string; after?: string }): Promise<MessageItem | undefined>;
  /** Loads older pages of the open conversation until it has this message. */
  reveal(messageId: string): Promise<boolean>;
  /** Messages of all rooms of the selected session with the words, the newest first; looks at the newest page of each. */
  searchRooms(words: string, signal: AbortSignal): Promise<readonly Hit[]>;
  /** The rooms of the sessions that are not selected. */
  roomsOfOthers(): Promise<readonly OtherRoom[]>;
  /** Selects the session, and opens one of its rooms. */
  openRoomOf(clientId: string, chatRoomId: string): Promise<boolean>;

  /** Opens a stored file on this machine; without a desktop, shows its link. */
  openFile(url: string): Promise<boolean>;
  /** Downloads a stored file into a folder, or to a new file. */
  saveFile(url: string, path: string): Promise<boolean>;

  dismissNotice(): void;
}
