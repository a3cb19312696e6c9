import { proto } from '@whiskeysockets/baileys';
import { unwrap } from '../../kinds/unwrap.js';
import type { WriteRequest } from '../api.js';
import { jidIn } from '../chat.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import type { HeldMessage } from './held-messages.js';
import type { Phone } from './phone.js';
import { chatOf } from './targets.js';

/** The context (quote, mentions, forwarded mark) of a message, wherever its kind keeps it. */
export function findContextInfo(message: proto.IMessage): proto.IContextInfo | undefined {
  for (const part of Object.values(message)) {
    if (part && typeof part === 'object' && 'contextInfo' in part && part.contextInfo)
      return part.contextInfo;
  }
  return undefined;
}

/**
 * The context that a request asks for; undefined when it asks for none.
 * @throws Refusal 404 when the phone does not hold the quoted message, or nobody has a mentioned number.
 */
export function composeContext(
  network: Network,
  phone: Phone,
  { to, quotedMessageId, mentions = [], forwarded, ephemeral }: WriteRequest,
): proto.IContextInfo | undefined {
  const info: proto.IContextInfo = {
    ...(quotedMessageId !== undefined && quote(network, phone, quotedMessageId)),
    ...(mentions.length > 0 && { mentionedJid: mentions.map((number) => named(network, to, number)) }),
    ...(forwarded && { isForwarded: true, forwardingScore: 1 }),
    ...(ephemeral !== undefined && { expiration: ephemeral }),
  };
  return Object.keys(info).length > 0 ? info : undefined;
}

/** The context that quotes a held message. @throws Refusal 404 when it is not held. */
export function quote(network: Network, phone: Phone, messageId: string): proto.IContextInfo {
  const quoted = phone.held.get(messageId);
  if (!quoted) throw new Refusal(404, `the phone holds no message ${messageId}`);
  return {
    stanzaId: messageId,
    participant: named(network, chatOf(quoted), quoted.from),
    quotedMessage: preview(quoted),
  };
}

/** What a quote shows of a message: neither its secret nor what it quotes itself. */
function preview(quoted: HeldMessage): proto.IMessage {
  if (quoted.revoked || (quoted.edited && quoted.type === 'text')) return { conversation: quoted.text };
  const { messageContextInfo: _, ...message } = unwrap(proto.Message.decode(quoted.source));
  const shown = proto.Message.fromObject(message);
  const info = findContextInfo(shown);
  if (info) Object.assign(info, { quotedMessage: null, stanzaId: null, participant: null });
  return shown;
}

/** How a person is named in a chat. */
function named(network: Network, chatId: string, number: string): string {
  return jidIn(network.requireChat(chatId), network.registry.require(number), network.addressing);
}
