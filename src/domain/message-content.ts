/**
 * What a message says, in the network's form. Opaque: `kinds/` composes and reads contents, the link encodes and decodes
 * them, everything between only passes them on.
 */
export type MessageContent = object;
