import type { Kind } from './kind.js';
import { composeFile, isOfType, readMedia } from './media.js';

const WEBP = 'image/webp';

/** A sticker: a small picture without a frame, perhaps moving. It has no caption. */
export const sticker: Kind = {
  name: 'sticker',
  storedType: 'sticker',
  file: {
    takes: (mimeType, { asSticker }) => asSticker && isOfType(mimeType, WEBP),
    compose: (file, _wishes, context) => ({
      sticker: { url: file.path },
      ...composeFile(file, context),
      isAnimated: file.animated ?? false,
    }),
  },
  read({ stickerMessage }, context) {
    if (!stickerMessage) return undefined;
    const { isAnimated, isLottie, mimetype } = stickerMessage;
    const fields = { ...stickerMessage, mimetype: mimetype || WEBP };
    return readMedia('sticker', fields, context, { animated: Boolean(isAnimated || isLottie) });
  },
};
