import { appStateConflict } from './app-state-conflict.js';
import { ban } from './ban.js';
import { conflict } from './conflict.js';
import { delay } from './delay.js';
import { disconnect } from './disconnect.js';
import { dropAcks } from './drop-acks.js';
import type { Fault } from './fault.js';
import { garbageFrames } from './garbage-frames.js';
import { ignoreQueries } from './ignore-queries.js';
import { logout } from './logout.js';
import { mediaHostDown } from './media-host-down.js';
import { noPairingCode } from './no-pairing-code.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import { rejectMedia } from './reject-media.js';
import { rejectSends } from './reject-sends.js';
import { restartRequired } from './restart-required.js';
import { serviceUnavailable } from './service-unavailable.js';
import { silence } from './silence.js';

/** Every fault that can be ordered; a new one is a file and a line here. */
export const FAULTS: readonly Fault[] = [
  appStateConflict,
  ban,
  conflict,
  delay,
  disconnect,
  dropAcks,
  garbageFrames,
  ignoreQueries,
  logout,
  mediaHostDown,
  noPairingCode,
  refuseUpgrade,
  rejectMedia,
  rejectSends,
  restartRequired,
  serviceUnavailable,
  silence,
];
