import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/compiled.js';
import { Terminal } from '../support/terminal.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, linkSession, startWorld, TOKEN, type World } from '../support/world.js';
import { screenSvg } from './svg.js';

/** Draws the pictures of the screens for the documentation, from a real terminal with a real daemon. */
const SIZE = { columns: 110, rows: 32 };
const DAVE = { number: '+15550000004', name: 'Dave' };
const ERIN = { number: '+15550000005', name: 'Erin' };
const THEMES = ['dark', 'light'] as const;
const TARGET = 'docs/tour';

interface Stop {
  name: string;
  title: string;
  argv: readonly string[];
  /** Keys, each after the screen has this text. */
  keys: readonly (readonly [text: string, ...keys: string[]])[];
  /** The picture is taken when the screen has this text. */
  until: string;
}

const STOPS: readonly Stop[] = [
  {
    name: 'inbox',
    title: 'The inbox in the terminal: sessions, rooms and a conversation',
    argv: ['inbox', '--session', 'shop'],
    keys: [['See you', 'Enter']],
    until: '─ Today ─',
  },
  {
    name: 'switcher',
    title: 'Ctrl+K goes to a room by name',
    argv: ['inbox', '--session', 'shop'],
    keys: [
      ['See you', 'C-k'],
      ['Go to', 'ca'],
    ],
    until: '> ca',
  },
  {
    name: 'fleet',
    title: 'The fleet: all sessions and nodes, live',
    argv: ['fleet'],
    keys: [],
    until: '⊘ restricted',
  },
  {
    name: 'fleet-all',
    title: 'The fleets of all contexts on one screen, one of them without an answer',
    argv: ['fleet', '--all'],
    keys: [['⊘ restricted', 'k']],
    until: '! 1 of 2 live',
  },
];

/** The context whose daemon does not answer: nothing listens on this port. */
const AWAY = 'http://127.0.0.1:9';
const LOCK_MS = 600_000;

await mochaGlobalSetup();
const world = await startWorld();
try {
  await fill(world);
  await mkdir(TARGET, { recursive: true });
  for (const theme of THEMES) for (const stop of STOPS) await picture(world, stop, theme);
} finally {
  await world.stop();
  await mochaGlobalTeardown();
}

async function fill({ phones, api }: World): Promise<void> {
  for (const person of [BOB, CAROL]) await phones.addPhone(person);
  await linkSession(world, 'shop', ALICE);
  await linkSession(world, 'depot', DAVE);
  await linkSession(world, 'returns', ERIN);
  await phones.fault({ kind: 'reachout-lock', number: DAVE.number, ms: LOCK_MS });
  await phones.unlink(ERIN.number);
  await api.post('/set-org-id', { clientId: 'shop', orgId: 'shop' });
  const say = async (from: string, text: string) => {
    await phones.write(from, { to: ALICE.number, text });
  };
  const answer = (to: string, body: string) => api.post('/send-message', { clientId: 'shop', to, body });
  await say(CAROL.number, 'Order 1042 has arrived, thank you! 🎉');
  // messages have whole seconds: in one second the two rooms would have no fixed order
  await wait(1_000);
  await say(BOB.number, 'Good morning! Is the blue jacket still available in size M?');
  await answer(BOB.number, 'Yes, two are left. I can put one aside for you until Saturday.');
  await say(BOB.number, 'That would be great 👍');
  await answer(BOB.number, 'Done. We are open until six.');
  await say(BOB.number, 'Perfect. See you tomorrow!');
  await until('the rooms in their order', async () => {
    const { body } = await api.get('/chatrooms?clientId=shop');
    const rooms = Array.isArray(body.chatRooms) ? body.chatRooms : [];
    return rooms.length === 2 && String(rooms[0]?.lastMessage).startsWith('Perfect');
  });
}

async function picture({ daemon }: World, stop: Stop, theme: (typeof THEMES)[number]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-tour-'));
  await mkdir(join(folder, 'switchboard'));
  await writeFile(join(folder, 'switchboard', 'screens.json'), JSON.stringify({ theme }));
  const contexts = { europe: { url: daemon.url, token: TOKEN }, asia: { url: AWAY, token: TOKEN } };
  await writeFile(join(folder, 'switchboard', 'contexts.json'), JSON.stringify({ contexts }));
  const env = {
    SWITCHBOARD_URL: daemon.url,
    SWITCHBOARD_TOKEN: TOKEN,
    XDG_CONFIG_HOME: folder,
    COLORTERM: 'truecolor',
  };
  const terminal = await Terminal.run(stop.argv, { ...SIZE, env });
  try {
    for (const [text, ...keys] of stop.keys) {
      await terminal.until((screen) => screen.includes(text));
      await terminal.press(...keys);
    }
    await terminal.until((screen) => screen.includes(stop.until));
    const svg = screenSvg(await terminal.styledScreen(), { ...SIZE, theme, title: stop.title });
    await writeFile(join(TARGET, `${stop.name}-${theme}.svg`), svg);
  } finally {
    await terminal.close();
    await rm(folder, { recursive: true });
  }
}
