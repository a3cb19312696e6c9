import type { Kind } from './kind.js';
import { composeFile, readMedia } from './media.js';

/** Any file, under its name. */
export const document: Kind = {
  name: 'document',
  storedType: 'document',
  file: {
    takes: () => true,
    compose(file, { caption }, context) {
      const { path, fileName, pageCount } = file;
      const content = {
        document: { url: path },
        ...composeFile(file, context),
        fileName,
        title: fileName,
        ...(pageCount && { pageCount }),
        ...(caption && { caption }),
      };
      return content;
    },
  },
  read: ({ documentMessage }, context) =>
    documentMessage ? readMedia('document', documentMessage, context) : undefined,
};
