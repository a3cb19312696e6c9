import type { Content } from './kind.js';

/** Contents that only wrap another message: what is inside is what the person wrote. */
const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'lottieStickerMessage',
] as const;

const MAX_DEPTH = 5;

/** The content without its wrappers (disappearing, view-once, captioned document, device-sent copy). */
export function unwrap(content: Content): Content {
  let inner = content;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const next = wrapped(inner);
    if (!next) break;
    inner = next;
  }
  return inner;
}

function wrapped(content: Content): Content | undefined {
  for (const name of WRAPPERS) {
    const message = content[name]?.message;
    if (message) return message;
  }
  return content.deviceSentMessage?.message ?? undefined;
}
