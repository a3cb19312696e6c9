import type { Readable } from 'node:stream';
import type { ChatRoom, MediaFile, StoredMessage } from '../../../contract/index.js';
import type { ByteRange } from '../../store/store.js';

/** The requested messages of a room. */
export interface MessagePage {
  limit: number;
  /** Id of a message: only older ones are returned. */
  before?: string;
  /** Include the status of own messages. */
  status?: boolean;
}

/** The hosted history, as it is read. A room's id names its session. */
export interface Inbox {
  /** Newest activity first. @throws session_unknown */
  rooms(clientId: string): Promise<ChatRoom[]>;
  /**
   * The newest messages of a room, oldest first; with `before` those older than that message.
   * @throws room_unknown, message_unknown for `before`
   */
  messages(chatRoomId: string, page: MessagePage): Promise<StoredMessage[]>;
  /** The permanent link to a message's file. @throws room_unknown, message_unknown, file_unknown without a file */
  mediaUrl(chatRoomId: string, messageId: string): Promise<string>;
  /** Sets the unread count to 0, without read receipts. @throws room_unknown */
  markRead(chatRoomId: string): Promise<void>;
}

/** A stored file for download. */
export interface StoredFile {
  id: string;
  /** MIME type that the sender declared. */
  mimeType: string;
  /** Never empty, without folders and control characters. */
  fileName: string;
  /** Bytes. */
  fileSize: number;
  /** SHA-256 of the bytes, in hex. */
  sha256: string;
}

/** Files of the hosted inbox, by their unguessable ids. All throw file_unknown. */
export interface Library {
  /**
   * Waits for a file that is still being stored, for at most 60 s.
   * @param signal ends the waiting
   * @throws file_not_ready
   */
  find(id: string, signal: AbortSignal): Promise<StoredFile>;
  /** The bytes of a file, or a range within them. The caller reads the stream to its end or destroys it. */
  open(id: string, range?: ByteRange): Promise<Readable>;
  /**
   * One page of a session's files, newest first; none for an orgId that is not the session's.
   * @param page from 1
   * @throws session_unknown
   */
  list(
    clientId: string,
    orgId: string,
    page: { page: number; limit: number },
  ): Promise<{ files: MediaFile[]; total: number }>;
  /** The session of the file, and its permanent link. */
  urlOf(id: string): Promise<{ clientId: string; url: string }>;
}
