import type { proto } from '@whiskeysockets/baileys';
import type {
  ChangeView,
  ContentFields,
  WriteContent,
  WriteRequest,
} from '../../../contract/sandbox/index.js';
import type { Account } from '../../state/account.js';
import type { Chat } from '../../state/directory.js';
import type { Network } from '../../state/network.js';
import type { StatusFeed } from '../../state/status-feed.js';
import type { Stanza } from '../../wire/stanza.js';
import type { PhoneMessage, PhoneMessages, StanzaShape } from '../phone-messages.js';

/** Content of a message as the control API shows it. */
export interface ContentView extends ContentFields {
  /** The content's key, or the kind of a file. */
  type: string;
  text: string;
}

/** The context of composing. */
export interface Writing {
  network: Network;
  author: Account;
  /** The messages that the author's phone holds. */
  messages: PhoneMessages;
  partner: Chat | StatusFeed;
  /** Quote, mentions, forwarded mark and expiry; undefined when there is none of them. */
  contextInfo: proto.IContextInfo | undefined;
}

/** A message that is ready to be encrypted. */
export interface Composed {
  message: proto.IMessage;
  shape: StanzaShape;
}

/** Writes contents of one kind. */
export interface ContentWriter {
  /** Its field in the body of `POST /phones/{number}/messages`; the contract has its schema. */
  key: keyof WriteContent;
  /**
   * Undefined when the request has no content of this kind.
   * @throws Refusal when the person cannot write it
   */
  compose(request: WriteRequest, writing: Writing): Promise<Composed | undefined> | Composed | undefined;
}

/** The context of reading. */
export interface Reading {
  network: Network;
  author: Account;
  /** Elements of the stanza beside the ciphertext. */
  extras: readonly Stanza[];
  viewOnce: boolean;
}

/** A content that changes an earlier message. */
export interface Change {
  type: ChangeView['type'];
  targetId: string;
  /** Changes the target. Undefined when the phone ignores the change: the author may not do it, or it makes no sense. */
  apply(target: PhoneMessage): Pick<ChangeView, 'emoji' | 'text' | 'options' | 'pinned'> | undefined;
}

/** One kind of content: writing, reading and changing. A new kind is one file and a line in `index.ts`. */
export interface PhoneContent {
  write?: ContentWriter;
  /** How it is shown. Undefined when the message, without its wrappers, is not of this kind. */
  read?(message: proto.IMessage, reading: Reading): ContentView | undefined;
  /** What it changes. Undefined when the message, without its wrappers, is not of this kind. */
  change?(message: proto.IMessage, reading: Reading): Change | undefined;
}
