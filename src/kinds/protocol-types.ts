/** Types of `protocolMessage` that a person causes; all others are housekeeping between devices. */
export const REVOKE = 0;
export const MESSAGE_EDIT = 14;
