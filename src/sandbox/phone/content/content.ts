import type { proto } from '@whiskeysockets/baileys';
import type Joi from 'joi';
import type { Account } from '../../account.js';
import type { ChangeView, ContentFields, WriteRequest } from '../../api.js';
import type { Chat } from '../../chat.js';
import type { Network } from '../../network.js';
import type { Stanza } from '../../wire/stanza.js';
import type { HeldMessage } from '../held-messages.js';
import type { Phone } from '../phone.js';

/** Content of a message as the control API shows it. */
export interface ContentView extends ContentFields {
  /** The content's key, or a finer word such as a medium's kind. */
  type: string;
  text: string;
}

/** What composing may ask for. */
export interface Writing {
  network: Network;
  /** The writer's. */
  phone: Phone;
  /** The other side of the chat. */
  partner: Chat;
  /** Quote, mentions, forwarded mark and expiry; undefined when there is none of them. */
  contextInfo: proto.IContextInfo | undefined;
}

/** How a message shows on the outside of its encryption. */
export interface StanzaShape {
  /** The stanza's `type`. */
  type: string;
  /** Further attributes of the stanza. */
  attrs?: Record<string, string>;
  /** Elements beside the ciphertext. */
  extras?: Stanza[];
  /** Further attributes of each `<enc>`. */
  enc?: Record<string, string>;
}

/** A message that is ready to be encrypted. */
export interface Composed {
  message: proto.IMessage;
  shape: StanzaShape;
}

/** How a person writes contents of one kind. */
export interface ContentWriter {
  /** Its field in the body of `POST /phones/{number}/messages`. */
  key: keyof WriteRequest;
  schema: Joi.Schema;
  /** Further fields that only go with this content. */
  options?: Record<string, Joi.Schema>;
  /**
   * Undefined when the request has no content of this kind.
   * @throws Refusal when the person cannot write that.
   */
  compose(request: WriteRequest, writing: Writing): Promise<Composed | undefined> | Composed | undefined;
}

/** What a phone may ask for while it reads a message. */
export interface Reading {
  network: Network;
  author: Account;
  /** Elements of the stanza beside the ciphertext. */
  extras: readonly Stanza[];
  /** It may be looked at once. */
  viewOnce: boolean;
}

/** What the list of changes shows beside the ids. */
export type ChangeFields = Pick<ChangeView, 'emoji' | 'text' | 'options'>;

/** A content that changes an earlier message. */
export interface Change {
  type: ChangeView['type'];
  targetId: string;
  /** Changes the target. Undefined when the phone ignores it: the author may not do that, or it makes no sense. */
  apply(target: HeldMessage): ChangeFields | undefined;
}

/** All that phones know of one kind of content. A new kind is one file and a line in `index.ts`. */
export interface PhoneContent {
  write?: ContentWriter;
  /** How it is shown. Undefined when the message, without its wrappers, is not of this kind. */
  read?(message: proto.IMessage, reading: Reading): ContentView | undefined;
  /** What it changes. Undefined when the message, without its wrappers, is not of this kind. */
  change?(message: proto.IMessage, reading: Reading): Change | undefined;
}
