import type { Readable } from 'node:stream';
import type {
  Deletion,
  Forwarding,
  HeldMessage,
  SendAnswer,
  SendMediaAnswer,
  Starring,
} from '../../../contract/index.js';
import type { SendPayload } from '../../../contract/sends/send-request.js';
import type { FileWishes, KindSend } from '../../kinds/kind.js';

/** The request to send a file. */
export interface FilePayload extends SendPayload, FileWishes {
  /** Overrides the detected type; empty when not given. */
  mimeType: string;
  /** Empty when not given. */
  fileName: string;
}

/** A file that the caller uploaded, on this machine's disk until `discard`. */
export interface SpooledFile {
  path: string;
  /** Bytes. */
  size: number;
  /** Hex SHA-256. */
  sha256: string;
  discard(): Promise<void>;
}

/** Where a file comes from. */
export type FileSource = { downloadUrl: string } | { file: SpooledFile };

export interface Sending {
  /**
   * Sends one message of a kind and answers after the network's acknowledgement.
   * @param idempotencyKey the same key within 24 h sends once and returns the first answer.
   * @param gone aborted when the caller hangs up: without a key the send then stops waiting for a connection
   * @throws session_unknown, session_unpaired, recipient_unknown, send_*, idempotency_conflict, store_unavailable; if it
   * changes an earlier message also invalid_request (message of another chat), target_not_own, edit_window_over
   */
  send(
    kind: KindSend,
    payload: SendPayload,
    idempotencyKey?: string,
    gone?: AbortSignal,
  ): Promise<SendAnswer>;
  /**
   * Sends a file, by the first kind that takes its MIME type; a file by URL that is too large as a text with its link.
   * `mediaType` and, by URL, `bytes` are in the answer. An uploaded file is discarded by its caller.
   * @throws as `send`, and media_unfetchable, media_unsupported
   */
  sendFile(
    payload: FilePayload,
    source: FileSource,
    idempotencyKey?: string,
    gone?: AbortSignal,
  ): Promise<SendMediaAnswer>;
  /** Takes a stream to disk. @throws media_too_large; nothing is left behind. */
  spool(clientId: string, stream: Readable): Promise<SpooledFile>;
}

/** Messages that wait until the policy of their session allows them. All throw session_unknown, store_unavailable. */
export interface HeldMessages {
  /** Oldest first. */
  list(clientId: string, page?: { after?: string | undefined; limit?: number }): Promise<HeldMessage[]>;
  /** @throws held_send_unknown, held_send_leaving */
  cancel(clientId: string, messageId: string): Promise<void>;
  /** Number of waiting messages that this process has read. */
  count(clientId: string): number;
}

/** Actions on earlier messages. All throw session_unknown, session_unpaired, recipient_unknown, message_unknown, message_deleted. */
export interface Messages {
  /**
   * Sends a stored message to another chat.
   * @param idempotencyKey as for `Sending.send`
   * @throws as `Sending.send`, and target_not_forwardable
   */
  forward(forwarding: Forwarding, idempotencyKey?: string, gone?: AbortSignal): Promise<SendAnswer>;
  /** Stars or unstars a message on the account's own devices. @throws app_state_rejected, target_author_unknown */
  star(starring: Starring): Promise<void>;
}

/** Actions on a chat other than sending. All throw session_unknown, session_unpaired, recipient_unknown. */
export interface Chats {
  /** @throws send_not_connected */
  setTyping(clientId: string, to: string, composing: boolean): Promise<void>;
  /** Sends read receipts and clears the room's unread count. @throws receipt_rejected */
  markRead(clientId: string, to: string, messageIds: string[]): Promise<{ count: number }>;
  /** @throws message_unknown without a stored message of the chat, app_state_rejected */
  markUnread(clientId: string, to: string): Promise<void>;
  /** Archives a chat on all devices of the account, or brings it back. @throws app_state_rejected */
  archive(clientId: string, to: string, archived: boolean): Promise<void>;
  /** @param until milliseconds since the epoch; 0 ends it, `FOREVER` has no end. @throws app_state_rejected */
  mute(clientId: string, to: string, until: number): Promise<void>;
  /** @throws app_state_rejected */
  pin(clientId: string, to: string, pinned: boolean): Promise<void>;
  /**
   * Sets the timer of a chat for all its members.
   * @param seconds 0 turns it off
   * @throws as a send; group_forbidden, group_unknown
   */
  setDisappearing(clientId: string, to: string, seconds: number): Promise<void>;
  /** @throws message_unknown, invalid_request, send_rejected, app_state_rejected */
  deleteMessage(deletion: Deletion): Promise<void>;
}

/** Typing and presence of others. */
export interface Presence {
  /**
   * Subscribes to a chat for some seconds; the number appears online meanwhile.
   * @returns when it ends: milliseconds since the epoch
   * @throws session_unknown, session_unpaired, send_not_connected, recipient_unknown, invalid_request without the opt-in
   */
  subscribe(clientId: string, to: string, seconds: number): Promise<{ expiresAt: number }>;
}
