import { randomBytes } from 'node:crypto';
import { Terminal } from '../support/terminal.js';
import type { FillerRole } from './roles/filler.js';
import { CLIENT_ID } from './support/inbox-fill.js';
import type { Lab } from './support/lab.js';
import { absolute, type Comparison } from './support/report.js';
import { Worker } from './support/worker.js';

const ROOMS = 100;
/** In one room; the others have one each. All of them are loaded into the screen. */
const MESSAGES = 10_000;
const SIZE = { columns: 130, rows: 36 };
const KEYS = 200;
/** Keys before those that count, so that the code is compiled. */
const WARM_UP = 50;
const AT_MOST_MS = 50;
const METHOD = `the compiled inbox in tmux at ${SIZE.columns}×${SIZE.rows}, with a daemon on SQLite in a process of its own; from the command to tmux that presses the key to the end of the frame that tmux received; p95 of ${KEYS} keys, each pressed when the screen rests.`;

interface Part {
  name: string;
  /** Brings the inbox to the place, from the place of the part before. */
  begin(terminal: Terminal): Promise<unknown>;
  /** The n-th key; each changes the screen. */
  key(n: number): string;
}

const PARTS: readonly Part[] = [
  {
    name: 'next room, of 100',
    begin: (terminal) => terminal.until((screen) => screen.includes(`Rooms ${ROOMS}`)),
    key: (n) => (n % 90 < 45 ? 'j' : 'k'),
  },
  {
    name: 'go to a room by name, of 100',
    async begin(terminal) {
      await terminal.press('C-k');
      await terminal.until((screen) => screen.includes('Go to'));
    },
    key: (n) => (n % 2 === 0 ? 'c' : 'BSpace'),
  },
  {
    name: 'next message, of 10,000 loaded',
    async begin(terminal) {
      await terminal.press('Customer 0', 'Enter');
      await terminal.until((screen) => screen.includes('message 9999 of room 0'));
      await loadAll(terminal);
    },
    key: (n) => (n % 100 < 50 ? 'j' : 'k'),
  },
  {
    name: 'next page, of 10,000 loaded',
    begin: () => Promise.resolve(),
    key: (n) => (n % 100 < 50 ? 'NPage' : 'PPage'),
  },
  {
    name: 'a letter of a message, 10,000 loaded',
    async begin(terminal) {
      await terminal.press('i');
      await terminal.until((screen) => screen.includes('Enter send'));
    },
    key: (n) => (n % 60 < 30 ? 'x' : 'BSpace'),
  },
];

/** How long the inbox takes from a key to the new picture, with 100 rooms and 10,000 messages. */
export async function screen(lab: Lab): Promise<Comparison[]> {
  const gateway = await lab.gateway(async (dataDir) => {
    const encryptionKey = randomBytes(32).toString('hex');
    const filler = new Worker<FillerRole>('filler');
    const messagesIn = [MESSAGES, ...Array<number>(ROOMS - 1).fill(1)];
    const filling = { messagesIn, readRooms: messagesIn.map((_, room) => room) };
    await filler.ask('fill', { place: { url: 'sqlite', dataDir, encryptionKey }, filling });
    await filler.stop();
    return { store: 'sqlite', encryptionKey };
  });
  const env = { ...gateway.environment, COLORTERM: 'truecolor' };
  const terminal = await Terminal.run(['inbox', '--session', CLIENT_ID], { ...SIZE, env });
  try {
    return await measured(terminal);
  } finally {
    await terminal.close();
  }
}

async function measured(terminal: Terminal): Promise<Comparison[]> {
  const results: Comparison[] = [];
  for (const { name, begin, key } of PARTS) {
    await begin(terminal);
    const times: number[] = [];
    for (let n = 0; n < WARM_UP + KEYS; n++) {
      const ms = await terminal.painted(key(n));
      if (n >= WARM_UP) times.push(ms);
    }
    results.push(
      absolute(
        { name: `key to picture: ${name}`, unit: 'ms, p95', target: { atMost: AT_MOST_MS }, method: METHOD },
        percentile(times, 0.95),
      ),
    );
  }
  return results;
}

/** Loads page after page, up to the first message. */
async function loadAll(terminal: Terminal): Promise<void> {
  for (let shown = ''; !shown.includes('message 0 of room 0,'); ) {
    await terminal.press('g');
    shown = await terminal.until((screen) => !screen.includes('loading…'));
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}
