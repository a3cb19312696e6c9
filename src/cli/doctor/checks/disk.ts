import { statfs } from 'node:fs/promises';
import { fine, type GeneralCheck, skipped, wrong } from '../check.js';
import { exists } from '../files.js';

const MEGABYTE = 1024 * 1024;

/** Is there room where the data is kept? */
export const disk: GeneralCheck = {
  id: 'disk',
  needs: ['data-dir'],
  async look({ options: { dataDir, limits } }) {
    if (!(await exists(dataDir))) return skipped('there is no data directory');
    const { bavail, bsize, blocks } = await statfs(dataDir);
    const free = bavail * bsize;
    const facts = { freeBytes: free, totalBytes: blocks * bsize };
    const detail = `${Math.floor(free / MEGABYTE)} MB are free at ${dataDir}`;
    if (free < limits.fullBytes) {
      const advice = 'make room now: messages that cannot be written down are not taken from the network';
      return wrong('disk-full', detail, advice, facts);
    }
    if (free < limits.nearlyFullBytes) {
      const advice = 'make room soon; old messages and their files go with: switchboard store prune';
      return wrong('disk-nearly-full', detail, advice, facts);
    }
    return fine(detail, facts);
  },
};
