/**
 * Emitted when an own message comes further, to sessions that asked for it in `extraEvents`, and to every tail:
 * `sent` once the network has it, `delivered` and `read` for each device or member that says so, `failed` when the
 * network refused it after all. Match it by `messageId`; the order is not guaranteed.
 */
export interface MessageStatusEvent {
  event: 'message.status';
  type: 'message_status';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  messageId: string;
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed';
  /** User-part of who received or read it; empty when it is the network itself. */
  by: string;
  /** The network's error code of a failed message; empty otherwise. */
  code: string;
}
