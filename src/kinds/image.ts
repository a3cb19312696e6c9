import type { Kind } from './kind.js';
import { composeFile, isOfType, readMedia } from './media.js';

/** A picture. */
export const image: Kind = {
  name: 'image',
  storedType: 'image',
  file: {
    takes: (mimeType) => isOfType(mimeType, 'image/'),
    compose: (file, { caption }, context) => ({
      image: { url: file.path },
      ...composeFile(file, context),
      ...(caption && { caption }),
    }),
  },
  read: ({ imageMessage }, context) => (imageMessage ? readMedia('image', imageMessage, context) : undefined),
};
