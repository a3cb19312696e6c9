import { unlink } from '../routing/devices.js';
import type { Fault } from './fault.js';

export const logout: Fault = {
  kind: 'logout',
  description: 'The phone removes the device (stream error 401), which stays unlinked',
  defaultCount: 1,
  strike: (connection, network) => {
    if (connection.companion) unlink(network, connection.companion);
  },
};
