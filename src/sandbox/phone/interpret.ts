import { proto } from '@whiskeysockets/baileys';
import { openWrappers, unwrap } from '../../kinds/unwrap.js';
import type { Account } from '../account.js';
import type { ChangeView } from '../api.js';
import type { Chat } from '../chat.js';
import { Group } from '../groups/group.js';
import type { Network } from '../network.js';
import type { Stanza } from '../wire/stanza.js';
import type { Change, Reading, StanzaShape } from './content/content.js';
import { readChange, readContent } from './content/index.js';
import { findContextInfo } from './context-info.js';
import type { HeldMessage, Sent } from './held-messages.js';
import type { Phone } from './phone.js';

/** What a phone knows of a message beside its content. */
export interface About {
  messageId: string;
  author: Account;
  /** The other side of the chat. */
  partner: Chat;
  phone: Phone;
  /** Seconds since the epoch. */
  timestamp: number;
  /** Elements of the stanza beside the ciphertext. */
  extras?: readonly Stanza[];
  /** Of what the phone sends itself. */
  shape?: StanzaShape;
}

/** A message of its own, or the change of an earlier one with what is known of it beside. */
export type Interpreted =
  | { message: HeldMessage }
  | { change: Change; head: Omit<ChangeView, 'applied' | 'type' | 'targetId'> & Sent };

/** What a decrypted message is to a phone. */
export function interpret(network: Network, message: proto.IMessage, about: About): Interpreted {
  const { content: visible, viewOnce } = openWrappers(message);
  const reading: Reading = { network, author: about.author, extras: about.extras ?? [], viewOnce };
  const change = readChange(visible, reading);
  const head = { ...headOf(about), source: Buffer.from(proto.Message.encode(message).finish()) };
  return change ? { change, head } : { message: { ...head, ...describe(visible, reading) } };
}

function headOf({ messageId, author, partner, phone, timestamp, shape }: About) {
  const fromMe = author === phone.account;
  const to = fromMe || partner instanceof Group ? partner.chatId : phone.account.number;
  return { messageId, from: author.number, to, fromMe, timestamp, ...(shape && { shape }) };
}

/** A message, without its wrappers, as a phone shows it. */
function describe(visible: proto.IMessage, reading: Reading) {
  const info = findContextInfo(visible);
  const numberOf = (jid: string) => reading.network.registry.byJid(jid)?.number ?? jid;
  return {
    ...readContent(visible, reading),
    ...(info?.stanzaId && { quotedMessageId: info.stanzaId }),
    ...(info?.quotedMessage && { quotedText: readContent(unwrap(info.quotedMessage), reading).text }),
    mentions: (info?.mentionedJid ?? []).map(numberOf),
    forwarded: info?.isForwarded ?? false,
    ...(info?.expiration && { ephemeral: info.expiration }),
    edited: false,
    revoked: false,
    reactions: {},
  };
}
