import type { Fault } from './fault.js';

export const delay: Fault = {
  kind: 'delay',
  description: 'Whatever a client sends is looked at `ms` milliseconds late',
  takesTime: true,
};
