import { EMPTY, type IqNamespace } from './iq.js';

const NAMESPACES = ['urn:xmpp:whatsapp:dirty', 'w:stats', 'bot', 'disappearing_mode'];

/** Namespaces whose queries only need an answer, whatever they say. */
export const quiet: IqNamespace[] = NAMESPACES.map((xmlns) => ({ xmlns, answer: () => EMPTY }));
