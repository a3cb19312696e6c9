import type { Fault } from './fault.js';

export const disconnect: Fault = {
  kind: 'disconnect',
  description: 'Cuts the connection without a word',
  defaultCount: 1,
  strike: (connection) => connection.cut(),
};
