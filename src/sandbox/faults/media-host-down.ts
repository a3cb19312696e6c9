import type { Fault } from './fault.js';

export const mediaHostDown: Fault = {
  kind: 'media-host-down',
  description: 'Uploads to the first media host are answered with HTTP 503; the second one takes them',
};
