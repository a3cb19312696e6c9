/** Names a message of a session in the memory of a process: `clientId messageId`. */
export type SessionMessage = `${string} ${string}`;

export function sessionMessage(clientId: string, messageId: string): SessionMessage {
  return `${clientId} ${messageId}`;
}
