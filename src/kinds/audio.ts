import type { Kind } from './kind.js';
import { composeFile, isOfType, readMedia } from './media.js';

/** A sound; a voice note when it was recorded in the chat, or shall look so. It has no caption. */
export const audio: Kind = {
  name: 'audio',
  storedType: 'audio',
  file: {
    takes: (mimeType) => isOfType(mimeType, 'audio/'),
    compose(file, { asVoice }, context) {
      const { path, seconds, waveform } = file;
      return {
        audio: { url: path },
        ...composeFile(file, context),
        ptt: asVoice,
        ...(seconds && { seconds }),
        ...(asVoice && waveform && { waveform }),
      };
    },
  },
  read({ audioMessage }, context) {
    if (!audioMessage) return undefined;
    return readMedia('audio', audioMessage, context, { voice: audioMessage.ptt === true });
  },
};
