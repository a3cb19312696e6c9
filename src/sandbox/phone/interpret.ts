import { proto } from '@whiskeysockets/baileys';
import type { ChangeView } from '../../contract/sandbox/index.js';
import { openWrappers, unwrap } from '../../domain/wrappers.js';
import { Account } from '../state/account.js';
import type { Chat } from '../state/directory.js';
import type { Network } from '../state/network.js';
import type { StatusFeed } from '../state/status-feed.js';
import type { Stanza } from '../wire/stanza.js';
import type { Change, Reading } from './content/content.js';
import { readChange, readContent } from './content/index.js';
import type { PhoneMessage, Sent, StanzaShape } from './phone-messages.js';
import { findContextInfo } from './targets.js';

/** The context of a message. */
interface About {
  messageId: string;
  author: Account;
  partner: Chat | StatusFeed;
  /** The owner of the phone. */
  owner: Account;
  /** Seconds since the epoch. */
  timestamp: number;
  /** Elements of the stanza beside the ciphertext. */
  extras?: readonly Stanza[];
  /** Of the phone's own messages. */
  shape?: StanzaShape;
}

/** A new message, or a change of an earlier message. */
export type Interpreted =
  | { message: PhoneMessage }
  | { change: Change; head: Omit<ChangeView, 'applied' | 'type' | 'targetId'> & Sent };

/** Reads a decrypted message. */
export function interpret(network: Network, message: proto.IMessage, about: About): Interpreted {
  const { content: visible, viewOnce } = openWrappers(message);
  const reading: Reading = { network, author: about.author, extras: about.extras ?? [], viewOnce };
  const change = readChange(visible, reading);
  const head = { ...headOf(about), source: Buffer.from(proto.Message.encode(message).finish()) };
  return change ? { change, head } : { message: { ...head, ...describe(visible, reading) } };
}

function headOf({ messageId, author, partner, owner, timestamp, shape }: About) {
  const fromMe = author === owner;
  const to = fromMe || !(partner instanceof Account) ? partner.chatId : owner.number;
  return { messageId, from: author.number, to, fromMe, timestamp, ...(shape && { shape }) };
}

/** An unwrapped message as a phone shows it. */
function describe(visible: proto.IMessage, reading: Reading) {
  const info = findContextInfo(visible);
  const numberOf = (jid: string) => reading.network.directory.byJid(jid)?.number ?? jid;
  return {
    ...readContent(visible, reading),
    ...(info?.stanzaId && { quotedMessageId: info.stanzaId }),
    ...(info?.stanzaId && info.participant && { quotedAuthor: numberOf(info.participant) }),
    ...(info?.quotedMessage && { quotedText: readContent(unwrap(info.quotedMessage), reading).text }),
    mentions: (info?.mentionedJid ?? []).map(numberOf),
    forwarded: info?.isForwarded ?? false,
    ...(info?.forwardingScore && { forwardingScore: info.forwardingScore }),
    ...(info?.expiration && { ephemeral: info.expiration }),
    edited: false,
    revoked: false,
    reactions: {},
  };
}
