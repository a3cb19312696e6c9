/**
 * The content of a message, in the network's form. Opaque: `kinds/` composes and reads contents, the link encodes and
 * decodes them, all other layers only pass them on.
 */
export type MessageContent = object;
