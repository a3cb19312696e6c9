import { unwrap } from '../../domain/wrappers.js';
import type { Content } from './kind.js';
import { MESSAGE_EDIT } from './protocol-types.js';

/** Content with a second layer of encryption, by the secret of the message that it is about. */
export interface Sealed {
  what: 'vote' | 'edit' | 'reaction';
  targetId: string;
}

/**
 * The secret that later votes, edits and reactions are encrypted with; undefined when the message has none. The secret
 * is beside a wrapper or within it.
 */
export function messageSecret(content: Content): Uint8Array | undefined {
  const contexts = [content.messageContextInfo, unwrap(content).messageContextInfo];
  return contexts.flatMap((context) => context?.messageSecret ?? []).find((secret) => secret.length > 0);
}

/** The encrypted part of a content; undefined for a plain content. */
export function sealedPart(content: Content): Sealed | undefined {
  const { pollUpdateMessage, secretEncryptedMessage, encReactionMessage } = unwrap(content);
  const targetId = keyOf(content)?.id ?? '';
  if (pollUpdateMessage) return { what: 'vote', targetId };
  if (secretEncryptedMessage) return { what: 'edit', targetId };
  return encReactionMessage ? { what: 'reaction', targetId } : undefined;
}

/** A decrypted content in the form of an unencrypted one, with the target of the sealed content. */
export function aboutTarget(opened: Content, sealed: Content, targetFromMe: boolean): Content {
  const key = { ...keyOf(sealed), fromMe: targetFromMe };
  if (sealedPart(sealed)?.what === 'reaction') return { reactionMessage: { ...opened.reactionMessage, key } };
  const edit = unwrap(opened).protocolMessage ?? { editedMessage: opened };
  return { protocolMessage: { ...edit, type: MESSAGE_EDIT, key } };
}

/** The key of the message that a sealed content is about. */
function keyOf(content: Content) {
  const { pollUpdateMessage, secretEncryptedMessage, encReactionMessage } = unwrap(content);
  return (
    pollUpdateMessage?.pollCreationMessageKey ??
    secretEncryptedMessage?.targetMessageKey ??
    encReactionMessage?.targetMessageKey
  );
}
