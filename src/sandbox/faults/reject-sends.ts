import type { Fault } from './fault.js';

export const rejectSends: Fault = {
  kind: 'reject-sends',
  description: 'Messages are answered with a negative ack (479) and go nowhere',
};
