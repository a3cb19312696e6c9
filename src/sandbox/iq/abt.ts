import { stanza } from '../wire/stanza.js';
import type { IqNamespace } from './iq.js';

/** Switches of experiments: none is on. */
export const abt: IqNamespace = {
  xmlns: 'abt',
  answer: () => ({ content: [stanza('props', { hash: 'sandbox' })] }),
};
