import { stanza } from '../wire/stanza.js';
import type { IqNamespace } from './iq.js';

/** Nobody is blocked. */
export const blocklist: IqNamespace = {
  xmlns: 'blocklist',
  answer: () => ({ content: [stanza('list', {}, [])] }),
};
