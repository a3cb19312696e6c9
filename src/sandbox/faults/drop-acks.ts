import type { Fault } from './fault.js';

export const dropAcks: Fault = {
  kind: 'drop-acks',
  description: 'Messages are delivered, but the sender never gets the ack',
};
