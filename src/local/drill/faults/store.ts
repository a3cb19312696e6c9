import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../lab.js';
import type { TcpProxy } from '../tcp-proxy.js';
import type { FaultKind, Mend } from './fault.js';

/** The write-ahead log of a daemon on SQLite, in its data folder. */
const WRITE_AHEAD_LOG = 'switchboard.db-wal';
/** Bytes of a frame of the log: its header and a page, of which a power cut may leave a part. */
const FRAME_BYTES = 24 + 4_096;

const relays = (lab: Lab): TcpProxy[] => lab.nodes.flatMap(({ storeWire }) => storeWire ?? []);
const relayOf = (lab: Lab, draw: number): TcpProxy[] => {
  const { storeWire } = lab.node(draw);
  return storeWire ? [storeWire] : [];
};

function breakAll(wires: readonly TcpProxy[], how: 'cut' | 'freeze'): Mend {
  for (const wire of wires) wire[how]();
  return async () => {
    for (const wire of wires) wire.restore();
  };
}

/** Faults of the store. */
export const STORE_FAULTS: readonly FaultKind[] = [
  {
    name: 'store-cut',
    summary: 'cuts all connections to MongoDB and refuses new ones',
    lasts: [1, 15],
    needs: ['mongodb', 'store-relay'],
    break: async (lab) => breakAll(relays(lab), 'cut'),
  },
  {
    name: 'store-silent',
    summary: 'keeps all connections to MongoDB but passes nothing on',
    lasts: [1, 15],
    needs: ['mongodb', 'store-relay'],
    break: async (lab) => breakAll(relays(lab), 'freeze'),
  },
  {
    name: 'store-cut-for-one',
    summary: 'cuts MongoDB off for one of several daemons',
    lasts: [5, 30],
    needs: ['mongodb', 'store-relay', 'several-nodes'],
    break: async (lab, { draw }) => breakAll(relayOf(lab, draw), 'cut'),
  },
  {
    name: 'store-silent-for-one',
    summary: 'lets MongoDB be silent for one of several daemons',
    lasts: [5, 30],
    needs: ['mongodb', 'store-relay', 'several-nodes'],
    break: async (lab, { draw }) => breakAll(relayOf(lab, draw), 'freeze'),
  },
  {
    name: 'disk-full',
    summary:
      'lets every write to a file fail, by a file-size limit of 0 on the running daemon (RLIMIT_FSIZE)',
    lasts: [1, 10],
    needs: ['sqlite', 'prlimit'],
    async break(lab, { draw }) {
      const node = lab.node(draw);
      await node.refuseFiles(true);
      return () => node.refuseFiles(false);
    },
  },
  {
    name: 'torn-log',
    summary:
      "kills the daemon and adds a torn frame to SQLite's write-ahead log, as a power cut may leave it",
    lasts: [0.2, 2],
    needs: ['sqlite'],
    async break(lab, { draw }) {
      const node = lab.node(draw);
      await node.kill();
      await appendFile(join(node.dataDir, WRITE_AHEAD_LOG), randomBytes(1 + (draw % (2 * FRAME_BYTES))));
      return () => node.start();
    },
  },
];
