import { proto } from '@whiskeysockets/baileys';
import type { Network } from '../network.js';
import { withText } from './content/edit.js';
import type { HeldMessage } from './held-messages.js';
import type { Phone } from './phone.js';
import { keyOf } from './targets.js';

const { Status, StubType } = proto.WebMessageInfo;

/** A message that the phone holds, as it stands in a history: with everything that changed it since. */
export function pastMessage(network: Network, phone: Phone, held: HeldMessage): proto.IWebMessageInfo {
  const author = network.registry.byNumber(held.from);
  const key = keyOf(network, held);
  return {
    key,
    ...(key.participant && { participant: key.participant }),
    messageTimestamp: held.timestamp,
    ...(held.fromMe ? { status: statusOf(phone, held) } : { pushName: author?.record.name ?? '' }),
    ...(held.revoked ? { messageStubType: StubType.REVOKE } : { message: contentOf(held) }),
    reactions: Object.entries(held.reactions).map(([number, text]) =>
      reaction(network, phone, held, number, text),
    ),
  };
}

function contentOf(held: HeldMessage): proto.IMessage {
  const message = proto.Message.decode(held.source);
  const edited = held.edited ? withText(held, held.text) : undefined;
  return edited ? { ...edited, messageContextInfo: message.messageContextInfo ?? null } : message;
}

function statusOf(phone: Phone, held: HeldMessage): proto.WebMessageInfo.Status {
  const states = Object.values(phone.held.view(held).receipts);
  if (states.includes('played')) return Status.PLAYED;
  if (states.includes('read')) return Status.READ;
  return states.includes('delivered') ? Status.DELIVERY_ACK : Status.SERVER_ACK;
}

function reaction(
  network: Network,
  phone: Phone,
  held: HeldMessage,
  number: string,
  text: string,
): proto.IReaction {
  const { id: _, ...chat } = keyOf(network, held);
  const fromMe = number === phone.account.number;
  return { key: { ...chat, fromMe }, text, senderTimestampMs: held.timestamp * 1_000 };
}
