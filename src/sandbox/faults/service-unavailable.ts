import { stanza } from '../wire/stanza.js';
import type { Fault } from './fault.js';

export const serviceUnavailable: Fault = {
  kind: 'service-unavailable',
  description: 'Stream error 503 while connected, failure 503 at login',
  defaultCount: 1,
  refusesLogin: true,
  strike: (connection) =>
    connection.close(
      connection.companion
        ? stanza('stream:error', { code: '503' })
        : stanza('failure', { reason: '503', location: 'frc' }),
    ),
};
