import type { Fault } from './fault.js';

export const noPairingCode: Fault = {
  kind: 'no-pairing-code',
  description: 'A device that wants to be linked by code is refused (429)',
};
