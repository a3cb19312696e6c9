import type { Fault } from './fault.js';

export const ignoreQueries: Fault = {
  kind: 'ignore-queries',
  description: 'Device queries (usync) are never answered',
};
