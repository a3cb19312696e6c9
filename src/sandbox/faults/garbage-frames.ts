import { randomBytes } from 'node:crypto';
import type { Fault } from './fault.js';

const FRAME_BYTES = 64;
/** A list of a length that nothing follows: no decoder gets past it. */
const UNDECODABLE = Buffer.from([0, 0xf9, 0xff, 0xff]);

export const garbageFrames: Fault = {
  kind: 'garbage-frames',
  description: 'Sends a well encrypted frame that is no stanza',
  defaultCount: 1,
  strike: (connection) => connection.sendRaw(Buffer.concat([UNDECODABLE, randomBytes(FRAME_BYTES)])),
};
