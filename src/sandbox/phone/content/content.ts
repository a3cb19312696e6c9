import type { proto } from '@whiskeysockets/baileys';
import type Joi from 'joi';
import type { WriteContent } from '../../api.js';

/** Content fields of a message as the control API shows them. */
export interface ContentView {
  /** The content's key, or a finer word such as a medium's kind. */
  type: string;
  text: string;
}

/** One kind of content that a person can write and a phone can show. A new kind is one file and a line in `index.ts`. */
export interface PhoneContent {
  /** Its field in the body of `POST /phones/{number}/messages`. */
  key: keyof WriteContent;
  schema: Joi.Schema;
  /** The stanza's `type`. */
  stanzaType: string;
  /**
   * `contextInfo` carries quote, mentions and the forwarded mark.
   * @returns undefined when the request has no content of this kind.
   */
  compose(request: WriteContent, contextInfo: proto.IContextInfo | undefined): proto.IMessage | undefined;
  /** Undefined when the message is not of this kind. */
  read(message: proto.IMessage): ContentView | undefined;
}
