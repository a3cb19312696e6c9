import { proto } from '@whiskeysockets/baileys';
import type { ContentFields } from '../../../contract/sandbox/index.js';
import { Refusal } from '../../wire/refusals.js';
import type { PhoneMessage } from '../phone-messages.js';
import { keyOf, mayRevoke, requireTarget } from '../targets.js';
import type { PhoneContent } from './content.js';

/** An emoji on somebody's message. */
export const reaction: PhoneContent = {
  write: {
    key: 'reaction',
    compose({ reaction: made }, writing) {
      if (!made) return undefined;
      const target = requireTarget(writing, made.messageId);
      const key = keyOf(writing.network, target);
      const senderTimestampMs = writing.network.clock.now();
      return {
        message: { reactionMessage: { key, text: made.emoji, senderTimestampMs } },
        shape: { type: 'reaction', enc: { 'decrypt-fail': 'hide' } },
      };
    },
  },
  change({ reactionMessage }, { author }) {
    const targetId = reactionMessage?.key?.id;
    if (!targetId) return undefined;
    return {
      type: 'reaction',
      targetId,
      apply(target) {
        if (target.revoked) return undefined;
        const emoji = reactionMessage.text ?? '';
        const { [author.number]: _, ...others } = target.reactions;
        target.reactions = emoji ? { ...others, [author.number]: emoji } : others;
        return { emoji };
      },
    };
  },
};

const { Type } = proto.Message.ProtocolMessage;
const EDIT_BY_AUTHOR = '7';
const EDIT_BY_ADMIN = '8';

/** A message is deleted for everybody. */
export const revoke: PhoneContent = {
  write: {
    key: 'revoke',
    compose({ revoke: made }, writing) {
      if (!made) return undefined;
      const target = requireTarget(writing, made.messageId);
      if (!mayRevoke(writing.network, writing.author, target))
        throw new Refusal('message_not_own', `the message ${made.messageId} is somebody else's`);
      return {
        message: { protocolMessage: { type: Type.REVOKE, key: keyOf(writing.network, target) } },
        shape: { type: 'text', attrs: { edit: target.fromMe ? EDIT_BY_AUTHOR : EDIT_BY_ADMIN } },
      };
    },
  },
  change({ protocolMessage }, { network, author }) {
    const targetId = protocolMessage?.key?.id;
    if (protocolMessage?.type !== Type.REVOKE || !targetId) return undefined;
    return {
      type: 'revoke',
      targetId,
      apply: (target) => (mayRevoke(network, author, target) ? empty(target) : undefined),
    };
  },
};

/** Empties a deleted message. */
function empty(target: PhoneMessage): Record<string, never> {
  const content: ContentFields = target;
  for (const field of CONTENT_FIELDS) delete content[field];
  delete target.history;
  delete target.quotedText;
  Object.assign(target, { text: '', revoked: true, reactions: {}, mentions: [] });
  return {};
}

const CONTENT_FIELDS = [
  'media',
  'poll',
  'location',
  'contact',
  'contacts',
  'buttonReply',
  'listReply',
  'linkPreview',
  'list',
  'bodyText',
  'footerText',
  'buttons',
  'rendered',
  'backgroundColor',
  'font',
] as const satisfies (keyof ContentFields)[];
