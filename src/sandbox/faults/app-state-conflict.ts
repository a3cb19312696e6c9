import type { Fault } from './fault.js';

export const appStateConflict: Fault = {
  kind: 'app-state-conflict',
  description: 'The phone changes a shared setting just before a device does, whose upload is refused (409)',
  defaultCount: 1,
};
