/**
 * Loaded with `npm run test:late`: what sockets and files deliver comes late by random moments, in its order. It finds tests
 * and code that rely on something being early enough.
 */
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Half of the deliveries are not late, the others up to this many milliseconds. */
const LATE_MS = 12;
/** Larger pieces are parts of files, whose tests would take minutes. */
const LARGE_BYTES = 4_096;

const lateness = () => (Math.random() < 0.5 ? 0 : Math.random() * LATE_MS);

/** The late deliveries of each socket. */
const queues = new WeakMap<Socket, Promise<void>>();
const { push } = Socket.prototype;

Socket.prototype.push = function (this: Socket, chunk: unknown, encoding?: BufferEncoding): boolean {
  const queue = queues.get(this);
  const isLarge = Buffer.isBuffer(chunk) && chunk.length > LARGE_BYTES;
  const ms = isLarge ? 0 : lateness();
  if (!queue && ms === 0) return push.call(this, chunk, encoding);
  const deliver = async () => {
    await queue;
    if (ms > 0) await wait(ms);
    if (this.destroyed) return;
    push.call(this, chunk, encoding);
    // at its end a socket is read once more, so that it notices the end
    if (chunk === null) this.read(0);
  };
  queues.set(this, deliver());
  // nothing more is read until this is delivered and the reader wants more
  return false;
};

const { readFile, writeFile, rename, rm } = files;
const late =
  <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    const result = await work(...args);
    await wait(lateness());
    return result;
  };
Object.assign(files, {
  readFile: late(readFile),
  writeFile: late(writeFile),
  rename: late(rename),
  rm: late(rm),
});
syncBuiltinESMExports();
