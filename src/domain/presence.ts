/** The states of a person in a chat: the activity there, or whether the person is online. */
export const PRESENCE_STATES = ['composing', 'recording', 'paused', 'available', 'unavailable'] as const;
export type PresenceState = (typeof PRESENCE_STATES)[number];
