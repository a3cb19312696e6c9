import type { AnyMessageContent, proto } from '@whiskeysockets/baileys';
import type { ObjectSchema } from 'joi';
import type { MessageEventType } from '../events/catalogue.js';
import type { EventExtras } from '../events/extras.js';

/** A message as the network carries it. */
export type Content = proto.IMessage;

/** The fields that every send route takes. */
export interface SendPayload {
  clientId: string;
  to: string;
  quotedMessageId?: string;
  mentions?: string[];
  metaData?: Record<string, unknown>;
}

/** What a kind may ask for while it composes. */
export interface ComposeContext {
  /** Jids of the people that `mentions` names. */
  mentionedJids: string[];
}

/** How a kind is sent: one route is made of each. */
export interface KindSend<Payload extends SendPayload = SendPayload> {
  /** Route path below the root, with its slash. */
  path: `/${string}`;
  /** One line for the API's documentation. */
  description: string;
  payload: ObjectSchema<Payload>;
  compose(payload: Payload, context: ComposeContext): AnyMessageContent;
}

/** The per-type objects of the contract's events; at most one of them is there. */
export type EventExtra = EventExtras;

/** What an event says of a message's content. */
export interface Reading {
  type: MessageEventType;
  /** Text, caption or rendered text. */
  body: string;
  extra?: EventExtra;
}

/** Stored messages use older words than events do. */
export type StoredType =
  | 'chat'
  | 'image'
  | 'video'
  | 'audio'
  | 'document'
  | 'sticker'
  | 'contact'
  | 'location'
  | 'poll'
  | 'vote_update'
  | 'interactive'
  | 'interactive_reply';

/** All that the gateway knows of one kind of message. A new kind is one file of this shape and a line in `index.ts`. */
export interface Kind {
  name: string;
  send?: KindSend;
  /** Undefined when the content is not of this kind. It is given without wrappers, see `unwrap`. */
  read(content: Content): Reading | undefined;
  storedType: StoredType;
}
