/**
 * How far an own message can come, each further than the one before. A receipt is further than a refusal: it proves that the
 * message came through after all.
 */
export const MESSAGE_STATUSES = ['sent', 'failed', 'delivered', 'read', 'played'] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
