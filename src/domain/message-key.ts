/** Names a message of a session in the memory of a process: `clientId messageId`. */
export type MessageKey = `${string} ${string}`;

export function messageKey(clientId: string, messageId: string): MessageKey {
  return `${clientId} ${messageId}`;
}
