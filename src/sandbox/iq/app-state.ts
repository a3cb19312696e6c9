import { child, childrenOf, stanza } from '../wire/stanza.js';
import type { IqNamespace } from './iq.js';

/** Collections of settings that an account's devices share: all are empty, and stay at the version they are asked for. */
export const appState: IqNamespace = {
  xmlns: 'w:sync:app:state',
  answer({ iq }) {
    const collections = childrenOf(child(iq, 'sync')).map(({ attrs }) =>
      stanza('collection', { name: attrs.name, version: attrs.version ?? '0', has_more_patches: 'false' }),
    );
    return { content: [stanza('sync', {}, collections)] };
  },
};
