import type { QuotedMessage, Referral } from '../../contract/events/envelope.js';
import { parseJid } from '../../domain/address.js';
import { unwrap } from '../../domain/wrappers.js';
import { isSilent } from './content.js';
import type { Content } from './kind.js';
import type { proto } from './protocol-types.js';

/** Quote, ad, mentions and the forwarded flag of a content of any kind. */
interface MessageContext {
  /** The quoted message. */
  quoted?: QuotedMessage;
  /** The ad that led the author here. */
  referral?: Referral;
  /** Mentioned people, as user-parts. */
  mentions: string[];
  isForwarded: boolean;
}

/** Reads the context of a content, or for an edit of the new content. @param read turns the quoted content into its type and body */
export function readContext(
  content: Content,
  read: (quoted: Content) => { type: string; body: string },
): MessageContext {
  const info = contextInfoOf(content);
  const context: MessageContext = {
    mentions: (info?.mentionedJid ?? []).flatMap((jid) => parseJid(jid)?.user ?? []),
    isForwarded: Boolean(info?.isForwarded || info?.forwardingScore),
  };
  const referral = referralIn(info ?? {});
  if (referral) context.referral = referral;
  if (info?.stanzaId) {
    const author = parseJid(info.participant);
    // some clients name the group if they do not know the author
    const participant = author?.kind === 'group' ? undefined : author?.user;
    const { quotedMessage } = info;
    // a quote is empty if its author does not have the quoted message
    const isShown = quotedMessage && !isSilent(quotedMessage);
    const shown = isShown ? read(quotedMessage) : { type: 'text', body: '' };
    context.quoted = {
      messageId: info.stanzaId,
      ...(participant && { participant }),
      body: shown.body,
      type: shown.type,
    };
  }
  return context;
}

/** `ExternalAdReplyInfo.MediaType` of the protocol. */
const AD_MEDIA: ReadonlyMap<unknown, Referral['mediaType']> = new Map([
  [1, 'image'],
  [2, 'video'],
]);

/**
 * The click-to-WhatsApp ad in a context; undefined if there is none. Previews that bots make of links use the same
 * field, and links to a chat (`wa.me`) an entry point of their own: neither is an ad.
 */
function referralIn(info: proto.IContextInfo): Referral | undefined {
  const { conversionSource, entryPointConversionSource, entryPointConversionApp } = info;
  const ad = info.externalAdReply ?? {};
  const isAd = ad.ctwaClid || ad.sourceType || entryPointConversionSource?.startsWith('ctwa');
  if (!isAd && !conversionSource) return undefined;
  return {
    sourceUrl: ad.sourceUrl ?? '',
    sourceId: ad.sourceId ?? '',
    sourceType: ad.sourceType ?? '',
    title: ad.title ?? '',
    body: ad.body ?? '',
    mediaType: AD_MEDIA.get(ad.mediaType) ?? '',
    mediaUrl: ad.mediaUrl ?? '',
    thumbnailUrl: ad.thumbnailUrl ?? '',
    ctwaClid: ad.ctwaClid ?? '',
    ref: ad.ref ?? '',
    sourceApp: ad.sourceApp ?? '',
    entryPointConversionSource: entryPointConversionSource ?? '',
    entryPointConversionApp: entryPointConversionApp ?? '',
    conversionSource: conversionSource ?? '',
  };
}

/** The phone number, as user-part, by which a content names the author of its quote; undefined if it uses the LID. */
export function quotedNumberIn(content: Content): string | undefined {
  const address = parseJid(contextInfoOf(content)?.participant);
  return address?.kind === 'pn' ? address.user : undefined;
}

/** The context of mentions in a content to send; empty without mentions. */
export function mentioning(jids: string[]): { contextInfo?: proto.IContextInfo } {
  return jids.length > 0 ? { contextInfo: { mentionedJid: jids } } : {};
}

/** Whether a content has a copy of the message that it quotes. */
export function hasQuoted(content: Content): boolean {
  return Boolean(contextInfoOf(content)?.quotedMessage);
}

/** Removes the copy of the quoted message from a content, in place; the id of the quoted message stays. */
export function withoutQuoted(content: Content): Content {
  const info = contextInfoOf(content);
  if (info) info.quotedMessage = null;
  return content;
}

function contextInfoOf(content: Content): proto.IContextInfo | undefined {
  const inner = unwrap(content);
  const edited = inner.protocolMessage?.editedMessage;
  return findContextInfo(edited ? unwrap(edited) : inner);
}

/** Each kind keeps the context in its own message object, under the same field name. */
function findContextInfo(content: Content): proto.IContextInfo | undefined {
  for (const part of Object.values(content)) {
    if (part && typeof part === 'object' && 'contextInfo' in part && part.contextInfo) {
      return part.contextInfo;
    }
  }
  return undefined;
}
