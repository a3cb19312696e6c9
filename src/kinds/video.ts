import type { Kind } from './kind.js';
import { composeFile, isOfType, readMedia } from './media.js';

/** A film, a short one that loops without sound (which phones make of GIFs), or a round one that was recorded in the chat. */
export const video: Kind = {
  name: 'video',
  storedType: 'video',
  file: {
    takes: (mimeType) => isOfType(mimeType, 'video/'),
    compose(file, { caption }, context) {
      const { path, seconds } = file;
      return {
        video: { url: path },
        ...composeFile(file, context),
        ...(seconds && { seconds }),
        ...(caption && { caption }),
      };
    },
  },
  read({ videoMessage, ptvMessage }, context) {
    const film = videoMessage ?? ptvMessage;
    return film ? readMedia('video', film, context, film.gifPlayback ? { animated: true } : {}) : undefined;
  },
};
