import { type TextPayload, textSend } from '../../contract/sends/text.js';
import type { Content, Kind, KindSend, LinkPreview } from './kind.js';

const send: KindSend<TextPayload> = {
  ...textSend,
  link({ body, linkPreview: wanted }) {
    const url = firstLink(body);
    return url === undefined ? undefined : { url, wanted };
  },
  compose: ({ body }, { mentionedJids, preview }) => ({
    text: body,
    ...(mentionedJids.length > 0 && { mentions: mentionedJids }),
    // undefined would make the library look for a preview itself
    linkPreview: preview ? composePreview(preview) : null,
  }),
};

/** The first absolute http(s) address of a text, without the punctuation that ends a sentence or a bracket. */
function firstLink(body: string): string | undefined {
  const word = body.split(/\s+/).find((part) => /^[("'<]*https?:\/\/[^/]/i.test(part));
  const url = word?.replace(/^[("'<]+/, '').replace(/[)"'>.,;:!?]+$/, '');
  return url && URL.canParse(url) ? url : undefined;
}

/** The preview in the form of the library. */
function composePreview({ url, title, description, thumbnail }: LinkPreview) {
  return {
    'canonical-url': url,
    'matched-text': url,
    title,
    ...(description && { description }),
    ...(thumbnail && { jpegThumbnail: Buffer.from(thumbnail) }),
  };
}

/** Text, plain or extended (with a link preview, a quote, mentions or formatting). */
export const text: Kind = {
  name: 'text',
  send,
  storedType: 'chat',
  read({ conversation, extendedTextMessage: extended }) {
    const body = conversation || extended?.text || extended?.matchedText || extended?.title;
    if (!body) return undefined;
    const linkPreview = previewIn(extended);
    return { type: 'text', body, ...(linkPreview && { extra: { linkPreview } }) };
  },
};

function previewIn(extended: Content['extendedTextMessage']) {
  const { matchedText, title, description } = extended ?? {};
  if (!matchedText || !(title || description)) return undefined;
  return { url: matchedText, title: title ?? '', description: description ?? '' };
}
