import type { Fault } from './fault.js';

export const silence: Fault = {
  kind: 'silence',
  description: 'The connection stays open, but the network neither listens nor answers on it any more',
  defaultCount: 1,
  strike: (connection) => connection.mute(),
};
