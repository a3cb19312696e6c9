/** The types of the network's protocol that kinds read and compose. */
export type { AnyMessageContent, proto } from '@whiskeysockets/baileys';

/** Types of `protocolMessage` that a person causes; devices exchange all others by themselves. */
export const REVOKE = 0;
export const MESSAGE_EDIT = 14;
/** Sets the timer of a private chat. */
export const EPHEMERAL_SETTING = 3;
