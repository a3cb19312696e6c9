import { stanza } from '../wire/stanza.js';
import type { Fault } from './fault.js';

export const restartRequired: Fault = {
  kind: 'restart-required',
  description: 'Asks the client to connect again (stream error 515)',
  defaultCount: 1,
  strike: (connection) => connection.close(stanza('stream:error', { code: '515' })),
};
