import { EMPTY, type IqNamespace } from './iq.js';

/** Keep-alive. */
export const ping: IqNamespace = { xmlns: 'w:p', isOpen: true, answer: () => EMPTY };
