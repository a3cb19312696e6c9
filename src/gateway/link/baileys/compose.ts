import { randomBytes } from 'node:crypto';
import {
  type AnyMessageContent,
  type BinaryNode,
  type CacheStore,
  generateWAMessage,
  generateWAMessageFromContent,
  isLidUser,
  jidNormalizedUser,
  type MessageGenerationOptionsFromContent,
  normalizeMessageContent,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { StatusAudience } from '../../../domain/status-audience.js';
import type { MessageContent, OutgoingMessage } from '../link.js';
import { handleIn } from './channel-posts.js';
import type { FileToSend, FileUploads, Uploader } from './media/upload.js';
import { field } from './reasons.js';

const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const;

/**
 * Turns the content that a kind composed into the message; uploads its file.
 * @param now milliseconds since the epoch
 * @throws GatewayError `send_rejected` when a file cannot be uploaded
 */
export async function compose(
  sock: WASocket,
  uploader: FileUploads,
  message: OutgoingMessage,
  now: number,
): Promise<MessageContent> {
  const { to, content } = message;
  if ('encoded' in content && content.encoded instanceof Uint8Array)
    return proto.Message.decode(content.encoded);
  const options = generationOptions(sock, message);
  if ('raw' in content && content.raw instanceof Object) {
    return contentOf(generateWAMessageFromContent(to, content.raw, options), message);
  }
  if (!isShortForm(content)) throw new TypeError('the library has no short form of this content');
  const file = fileIn(content);
  if (!file) {
    const made = await generateWAMessage(to, content, { ...options, upload: neverUpload });
    return contentOf(made, message);
  }
  const mediaCache = await uploaded(uploader, file, now);
  const made = await generateWAMessage(to, content, { ...options, upload: neverUpload, mediaCache });
  // normalises fields that still have the kind's types, such as base64 text for bytes
  return proto.Message.decode(proto.Message.encode(contentOf(made, message)).finish());
}

/**
 * Composes a post of a channel: its file is not encrypted, and it has no secret for reactions.
 * @returns also the handle of its file, if it has one
 * @throws GatewayError as `compose`
 */
export async function composePost(
  sock: WASocket,
  uploader: Uploader,
  message: OutgoingMessage,
  now: number,
): Promise<{ content: MessageContent; handle: string | undefined }> {
  const { content } = message;
  const encoded = 'encoded' in content && content.encoded instanceof Uint8Array ? content.encoded : undefined;
  let handle = encoded && handleIn(encoded);
  const uploads: FileUploads = {
    async upload(file) {
      const uploaded = await uploader.uploadPlain(file);
      handle = uploaded.handle;
      return uploaded.file;
    },
  };
  const made: proto.IMessage = await compose(sock, uploads, message, now);
  const { messageContextInfo: _, ...post } = made;
  return { content: post, handle };
}

/** The library's short forms of content that kinds compose. */
const SHORT_FORMS: readonly string[] = [
  ...MEDIA_TYPES,
  'text',
  'poll',
  'contacts',
  'location',
  'react',
  'delete',
];

function isShortForm(content: object): content is AnyMessageContent {
  return SHORT_FORMS.some((name) => name in content);
}

function generationOptions(
  { authState: { creds } }: WASocket,
  { to, messageId, quoted }: OutgoingMessage,
): MessageGenerationOptionsFromContent {
  return {
    messageId,
    userJid: jidNormalizedUser((isLidUser(to) && creds.me?.lid) || creds.me?.id),
    ...(quoted && {
      quoted: {
        key: { remoteJid: to, id: quoted.messageId, fromMe: quoted.fromMe, participant: quoted.participant },
        message: quoted.content,
      },
    }),
  };
}

function contentOf(
  { message }: { message?: MessageContent | null },
  { quoted }: OutgoingMessage,
): MessageContent {
  const content = message ?? {};
  // if the author of the quoted message is unknown, the library would name the group as its author
  if (quoted && !quoted.participant && !quoted.fromMe) withoutQuotedAuthor(content);
  return content;
}

function withoutQuotedAuthor(content: MessageContent): void {
  for (const part of Object.values(normalizeMessageContent(content) ?? {})) {
    const info = field(part, 'contextInfo');
    if (info instanceof Object && 'participant' in info) info.participant = null;
  }
}

function fileIn(content: object): FileToSend | undefined {
  for (const mediaType of MEDIA_TYPES) {
    const path = field(field(content, mediaType), 'url');
    if (typeof path === 'string') return { mediaType, path };
  }
  return undefined;
}

/**
 * Uploads the file, and returns it as the library's cache of uploads. The library's own upload keeps a copy on the disk,
 * crashes the process when that is full, and does not report the error of each host.
 */
async function uploaded(uploader: FileUploads, file: FileToSend, now: number): Promise<CacheStore> {
  const place = await uploader.upload(file);
  const ofKey = 'mediaKey' in place && { mediaKeyTimestamp: Math.floor(now / 1000) };
  const message = proto.Message.fromObject({ [`${file.mediaType}Message`]: { ...place, ...ofKey } });
  const files = new Map();
  files.set(`${file.mediaType}:${file.path}`, proto.Message.encode(message).finish());
  return {
    get: (key) => files.get(key),
    set: () => undefined,
    del: () => undefined,
    flushAll: () => undefined,
  };
}

function neverUpload(): never {
  throw new Error('the file is uploaded before the library makes its message');
}

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
/** Values of a stanza's `edit`. */
const EDITED = '1';
const PINNED = '2';
const REVOKED_OWN = '7';
const REVOKED_BY_ADMIN = '8';
const DECISION_BYTES = 20;

/** Attributes and elements of a stanza beside the message itself. */
interface StanzaExtras {
  additionalAttributes?: BinaryNode['attrs'];
  additionalNodes?: BinaryNode[];
}

/**
 * The attributes and elements that the library's `sendMessage` would add to the stanza, and what the library lacks: the element for
 * buttons, which phones show only with it, and the number of a recipient who is named by LID, which the official client adds
 * (zapo `node/builders/message.ts`).
 *
 * @param now milliseconds since the epoch
 * @param number jid of the recipient's number, in private chats that are named by LID
 */
export function stanzaExtras(message: MessageContent, now: number, number?: string): StanzaExtras {
  const extras = extrasOf(message, now);
  if (!number) return extras;
  return { ...extras, additionalAttributes: { ...extras.additionalAttributes, peer_recipient_pn: number } };
}

function extrasOf(message: MessageContent, now: number): StanzaExtras {
  const content = normalizeMessageContent(message);
  const { key, type } = content?.protocolMessage ?? {};
  // private chats have no admins: there the network silently refuses a revocation by an admin
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

/**
 * The element that tells the network by which setting the people of a status were chosen; the deletion of a status has none
 * (whatsapp-rust `status_carries_privacy_meta`).
 */
export function statusNodes(message: MessageContent, { setting }: StatusAudience): BinaryNode[] {
  const isDeletion = normalizeMessageContent(message)?.protocolMessage?.type === REVOKE;
  return isDeletion ? [] : [{ tag: 'meta', attrs: { status_setting: setting } }];
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
