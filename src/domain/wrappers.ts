import type { proto } from '@whiskeysockets/baileys';

type Content = proto.IMessage;

/** Contents that only wrap another message. */
const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'lottieStickerMessage',
  'editedMessage',
  'groupMentionedMessage',
  'botInvokeMessage',
  'botTaskMessage',
  'botForwardedMessage',
  'associatedChildMessage',
  'eventCoverImage',
  'pollCreationOptionImageMessage',
  'pollCreationMessageV4',
  'questionMessage',
  'questionReplyMessage',
  'groupStatusMessage',
  'groupStatusMessageV2',
  'commentMessage',
  'deviceSentMessage',
] as const;

/** Wrappers of a content that may be viewed once. */
const VIEW_ONCE: ReadonlySet<string> = new Set([
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
]);

const MAX_DEPTH = 5;

/** The content without its wrappers (disappearing, view-once, captioned document, device-sent copy and the like). */
export function unwrap(content: Content): Content {
  return openWrappers(content).content;
}

/** The content without its wrappers; `viewOnce` when a wrapper or the content itself says so. */
export function openWrappers(content: Content): { content: Content; viewOnce: boolean } {
  let inner = content;
  let viewOnce = false;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const wrapper = WRAPPERS.find((name) => inner[name]?.message);
    const next = wrapper && inner[wrapper]?.message;
    if (!next) break;
    viewOnce ||= VIEW_ONCE.has(wrapper);
    inner = next;
  }
  return { content: inner, viewOnce: viewOnce || saysViewOnce(inner) };
}

/** Pictures, videos and voice notes have a flag of their own. */
function saysViewOnce(content: Content): boolean {
  return Object.values(content).some(
    (part) => part && typeof part === 'object' && 'viewOnce' in part && part.viewOnce === true,
  );
}
