import { IqError, type IqNamespace } from './iq.js';

/** Nobody has a profile picture. */
export const profilePicture: IqNamespace = {
  xmlns: 'w:profile:picture',
  answer: () => {
    throw new IqError(404, 'item-not-found');
  },
};
