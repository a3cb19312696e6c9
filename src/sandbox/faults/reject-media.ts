import type { Fault } from './fault.js';

export const rejectMedia: Fault = {
  kind: 'reject-media',
  description: 'Uploads of media are answered with HTTP 500',
};
