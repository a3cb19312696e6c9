import type { Fault } from './fault.js';

export const refuseUpgrade: Fault = {
  kind: 'refuse-upgrade',
  description: 'The WebSocket upgrade is answered with HTTP 503, whoever asks',
  isNumberless: true,
};
