import { stanza } from '../wire/stanza.js';
import type { Fault } from './fault.js';

export const ban: Fault = {
  kind: 'ban',
  description: 'The number is banned: failure 403 at once and at each login, until the fault is cleared',
  refusesLogin: true,
  strike: (connection) => connection.close(stanza('failure', { reason: '403', location: 'frc' })),
};
