import { stanza } from '../wire/stanza.js';
import type { Fault } from './fault.js';

export const conflict: Fault = {
  kind: 'conflict',
  description: 'Another client took the link (stream error, conflict replaced)',
  defaultCount: 1,
  strike: (connection, network) => {
    network.stats.conflicts++;
    connection.close(stanza('stream:error', {}, [stanza('conflict', { type: 'replaced' })]));
  },
};
