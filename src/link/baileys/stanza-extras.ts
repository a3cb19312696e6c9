import { randomBytes } from 'node:crypto';
import { type BinaryNode, normalizeMessageContent, proto } from '@whiskeysockets/baileys';
import type { MessageContent } from '../link.js';

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
/** Values of a stanza's `edit`. */
const EDITED = '1';
const PINNED = '2';
const REVOKED_OWN = '7';
const REVOKED_BY_ADMIN = '8';
const DECISION_BYTES = 20;

/** What a stanza carries beside the message itself. */
export interface StanzaExtras {
  additionalAttributes?: BinaryNode['attrs'];
  additionalNodes?: BinaryNode[];
}

/**
 * What some contents need in their stanza, as the library's own `sendMessage` adds it, and what it does not know of:
 * phones show buttons only with the element that WhatsApp's own business clients add.
 *
 * @param now milliseconds since the epoch
 */
export function stanzaExtras(message: MessageContent, now: number): StanzaExtras {
  const content = normalizeMessageContent(message);
  const { key, type } = content?.protocolMessage ?? {};
  // outside of groups there are no admins: the network refuses it there, and nobody is told that it was revoked
  if (type === REVOKE) return edit(key?.fromMe ? REVOKED_OWN : REVOKED_BY_ADMIN);
  if (type === MESSAGE_EDIT) return edit(EDITED);
  if (content?.pinInChatMessage) return edit(PINNED);
  if (content?.pollCreationMessage || content?.pollCreationMessageV2 || content?.pollCreationMessageV3) {
    return { additionalNodes: [{ tag: 'meta', attrs: { polltype: 'creation' } }] };
  }
  if (content?.eventMessage) {
    return { additionalNodes: [{ tag: 'meta', attrs: { event_type: 'creation' } }] };
  }
  if (content?.interactiveMessage?.nativeFlowMessage) return { additionalNodes: [nativeFlow(now)] };
  return {};
}

function edit(value: string): StanzaExtras {
  return { additionalAttributes: { edit: value } };
}

function nativeFlow(now: number): BinaryNode {
  const flow = { tag: 'native_flow', attrs: { v: '9', name: 'mixed' } };
  const decision = randomBytes(DECISION_BYTES).toString('hex');
  return {
    tag: 'biz',
    attrs: {
      actual_actors: '2',
      host_storage: '2',
      privacy_mode_ts: String(Math.floor(now / 1000)),
    },
    content: [
      { tag: 'interactive', attrs: { type: 'native_flow', v: '1' }, content: [flow] },
      { tag: 'quality_control', attrs: { source_type: 'third_party', decision_id: decision } },
    ],
  };
}
