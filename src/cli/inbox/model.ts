import type { SessionStatus } from '../../domain/session.js';

/** Everything that the terminal inbox shows, as one immutable value: each change makes a new one. */
export interface InboxState {
  connection: InboxConnection;
  /** By name. */
  sessions: readonly SessionItem[];
  /** The session whose rooms are shown; undefined while there is none. */
  clientId: string | undefined;
  /** Of that session, the one with the newest activity first. */
  rooms: readonly RoomItem[];
  /** True until the session's rooms have come for the first time. */
  loadingRooms: boolean;
  /** The open conversation. */
  conversation: Conversation | undefined;
  /** The files and messages on their way out. */
  outgoing: readonly OutgoingItem[];
  /** The last thing worth saying: an action that failed, a reply that came with a warning. */
  notice: Notice | undefined;
}

/** The live stream from the daemon. */
export type InboxConnection =
  | { state: 'connecting' }
  | { state: 'open' }
  /** Gone; the next attempt comes after `delayMs`. What is shown may be old. */
  | { state: 'reconnecting'; reason: string; delayMs: number };

export interface SessionItem {
  clientId: string;
  status: SessionStatus;
  /** `reason` of a status that is not `connected`; may be empty. */
  reason: string;
  /** Own jid; empty before it is paired. */
  jid: string;
  /** Without a workspace nothing is kept, and there are no rooms to show. */
  orgId: string;
}

export interface RoomItem {
  chatRoomId: string;
  name: string;
  isGroup: boolean;
  /** What a message to it is addressed with. */
  to: string;
  /** Of a chat of two that is addressed by LID: the phone number, `+…`; empty where it is not known. */
  phone: string;
  lastMessage: string;
  lastMessageFromMe: boolean;
  /** The last message itself, where it has no text and is known. */
  last?: MessageItem;
  /** Undefined before the first message. */
  lastMessageAt: Date | undefined;
  unreadCount: number;
}

export interface Conversation {
  chatRoomId: string;
  /** Oldest first. */
  messages: readonly MessageItem[];
  /** There are older ones to page to. */
  hasOlder: boolean;
  loading: boolean;
}

/** How far an own message has come. */
export type Tick = 'sent' | 'delivered' | 'read' | 'played' | 'failed';

export interface MessageItem {
  messageId: string;
  /** The stored type of the contract: `chat`, `image`, `poll` … */
  type: string;
  body: string;
  fromMe: boolean;
  /** Who wrote it, for people; empty for own messages. */
  author: string;
  sentAt: Date;
  deleted: boolean;
  edited: boolean;
  forwarded: boolean;
  /** By an assistant, as the sender's `metaData` says. */
  fromAi: boolean;
  /** Undefined for messages of others, and where it is not known. */
  tick: Tick | undefined;
  quoted: { author: string; body: string } | undefined;
  /** The emojis, each with how many people reacted so. */
  reactions: readonly { emoji: string; count: number; mine: boolean }[];
  attachment: Attachment | undefined;
}

export interface Attachment {
  /** `image`, `video`, `audio`, `document` or `sticker`. */
  mediaType: string;
  fileName: string;
  /** Bytes; 0 where not known. */
  size: number;
  /** Permanent link; empty while the file is not stored. */
  url: string;
}

export interface OutgoingItem {
  id: number;
  chatRoomId: string;
  /** The text, or the name of the file. */
  label: string;
  /** Of a file: bytes that have gone and in all. */
  progress: { sent: number; total: number } | undefined;
}

export interface Notice {
  level: 'error' | 'warning' | 'done';
  text: string;
  /** What to do next. */
  suggestions: readonly string[];
  /** It is about a daemon that is away, and goes when it is back. */
  untilBack?: true;
}

/**
 * The terminal inbox without its picture: it follows the daemon's live stream, keeps the state, and acts. No action throws:
 * what goes wrong is the state's `notice`, and what was typed is not lost (`Promise<boolean>`: false when it was not done).
 */
export interface InboxModel {
  readonly state: InboxState;
  /** Calls back after every change; the returned function ends it. */
  subscribe(listener: () => void): () => void;
  /** Ends the live stream and whatever is under way. */
  close(): void;

  /** Shows the rooms of a session. */
  selectSession(clientId: string): void;
  /** Opens a conversation, loads its newest messages, and resets its unread count. */
  openRoom(chatRoomId: string): void;
  closeRoom(): void;
  /** Loads the page before the oldest message. */
  loadOlder(): Promise<boolean>;

  /** Writes into the open conversation; `quotedMessageId` makes it a reply. */
  send(text: string, options?: { quotedMessageId?: string }): Promise<boolean>;
  /** Sends a file from this machine into the open conversation. */
  sendFile(path: string, options?: { caption?: string; quotedMessageId?: string }): Promise<boolean>;
  /** An empty emoji takes the reaction back. */
  react(messageId: string, emoji: string): Promise<boolean>;
  edit(messageId: string, text: string): Promise<boolean>;
  /** For everyone when it is an own message, else from this number's own devices only. */
  remove(messageId: string): Promise<boolean>;
  /** Starts a conversation with a number (`+…`) or LID by its first message, and opens it. */
  startChat(to: string, text: string): Promise<boolean>;
  /**
   * Sends read receipts for the newest messages of the open conversation that others wrote. Opening a conversation resets
   * the unread count here and tells nobody.
   */
  markRead(): Promise<boolean>;
  /** Gives a session a workspace, from which on its history is kept. */
  keepHistory(clientId: string, orgId: string): Promise<boolean>;

  /** The rooms whose name, number or last message contains the words, whatever their case and accents. */
  findRooms(words: string): readonly RoomItem[];
  /**
   * The newest message of the open conversation that contains the words and is older than `before`; loads older pages
   * until one is found or the beginning is reached.
   */
  findMessage(words: string, options?: { before?: string }): Promise<MessageItem | undefined>;

  dismissNotice(): void;
}
