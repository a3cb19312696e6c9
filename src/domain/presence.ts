/** The states of a person in a chat: what the person does there, or whether the person is online at all. */
export const PRESENCE_STATES = ['composing', 'recording', 'paused', 'available', 'unavailable'] as const;
export type PresenceState = (typeof PRESENCE_STATES)[number];
