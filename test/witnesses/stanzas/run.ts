import type { PayloadView } from '../../../src/client/sandbox/client.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { startWorld } from '../../support/world.js';
import { WitnessProgram } from '../witness.js';
import { ACTS, type Scene } from './acts.js';
import { BaileysClient } from './baileys-client.js';
import type { ComparedClient, Target } from './client.js';
import { type ActRecord, type Difference, differencesOf } from './compare.js';
import { GatewayClient } from './gateway-client.js';
import { Recorder } from './recorder.js';
import { RustClient } from './rust-client.js';
import { Shaper } from './shape.js';
import { verdictOf } from './verdicts.js';
import { WhatsmeowClient } from './whatsmeow-client.js';

const NOTHING: Target = { id: '', text: '' };
const UNJUDGED = '**no verdict yet**';
const DEVICE_DATA = 'device data at registration and login';

type ByClient = Map<string, { facts: string[]; order: string[] }>;

/**
 * Lets each client do the same on one sandbox network, and prints what they send differently as a table.
 * @returns how many differences have no verdict yet
 */
export async function compareStanzas(): Promise<number> {
  const world = await startWorld();
  const [go, rust] = [await WitnessProgram.build('whatsmeow'), await WitnessProgram.build('whatsapp-rust')];
  const { path: folder, remove } = await makeTempDir();
  const network = { phones: world.phones, sandbox: world.sandbox, folder };
  const clients: ComparedClient[] = [
    new WhatsmeowClient(go, network, '+15551000001'),
    new RustClient(rust, network, '+15551000004'),
    new BaileysClient(network, '+15551000002'),
    new GatewayClient(world, '+15551000003'),
  ];
  const records = new Map<string, ByClient>(
    [DEVICE_DATA, ...Object.keys(ACTS)].map((act) => [act, new Map()]),
  );
  const recorder = await Recorder.start(world.phones);
  try {
    for (const [index, client] of clients.entries())
      await actAll(client, index, { world, recorder, records });
  } finally {
    recorder.stop();
    await Promise.all(clients.map((client) => client.stop()));
    await world.stop();
    await Promise.all([go.remove(), rust.remove(), remove()]);
  }
  return print(
    [...records].map(([act, done]) => ({ act, clients: done })),
    clients.map(({ name }) => name),
  );
}

interface Comparison {
  world: Awaited<ReturnType<typeof startWorld>>;
  recorder: Recorder;
  records: Map<string, ByClient>;
}

async function actAll(
  client: ComparedClient,
  index: number,
  { world, recorder, records }: Comparison,
): Promise<void> {
  const { phones } = world;
  const person = (role: number) =>
    phones.addPhone({ number: `+155520000${index}${role}`, name: `Person ${role}` });
  const [friend, stranger, member] = [await person(1), await person(2), await person(3)];
  const scene: Scene = { phones, friend, stranger, member, received: NOTHING, sent: NOTHING, group: '' };
  const roles = new Map([[client.number.slice(1), 'me']]);
  for (const [role, { number, lid }] of Object.entries({ friend, stranger, member })) {
    roles.set(number.slice(1), role);
    roles.set(lid.split('@')[0] ?? '', `${role}-lid`);
  }
  for (const [act, work] of Object.entries(ACTS)) {
    process.stderr.write(`${client.name}: ${act}\n`);
    let isKnown = true;
    const stanzas = await recorder.during(client.number, async () => {
      const done = work(client, scene);
      isKnown = done !== undefined;
      await done;
    });
    if (!isKnown) continue;
    const own = (await phones.phones()).find(({ number }) => number === client.number);
    if (own) roles.set(own.lid.split('@')[0] ?? '', 'me-lid');
    if (scene.group) roles.set(scene.group.split('@')[0] ?? '', 'group');
    const shaper = new Shaper(roles);
    records.get(act)?.set(client.name, { facts: shaper.facts(stanzas), order: shaper.order(stanzas) });
  }
  const { registration, login } = await phones.device(client.number, 1);
  const facts = [...payloadFacts('registration', registration), ...payloadFacts('login', login)];
  records.get(DEVICE_DATA)?.set(client.name, { facts: facts.sort(), order: [] });
}

/** Fields of the payloads with their values. */
function payloadFacts(path: string, value: PayloadView | unknown): string[] {
  if (typeof value !== 'object' || value === null)
    return value === undefined ? [] : [`${path}=${String(value).slice(0, 60)}`];
  return Object.entries(value).flatMap(([name, inner]) => payloadFacts(`${path}.${name}`, inner));
}

/** Prints a row for each difference, with all acts in which it shows. @returns how many have no verdict */
function print(records: ActRecord[], names: string[]): number {
  const rows = new Map<string, { acts: string[]; difference: Difference; said: string }>();
  for (const difference of records.flatMap(differencesOf)) {
    const verdict = verdictOf(difference);
    const said = verdict ? `${verdict.verdict}: ${verdict.why}` : UNJUDGED;
    const key = [difference.fact, ...difference.has, said].join('|');
    const row = rows.get(key) ?? { acts: [], difference, said };
    row.acts.push(difference.act);
    rows.set(key, row);
  }
  const mark = ({ has, lacks }: Difference, name: string) =>
    has.includes(name) ? 'yes' : lacks.includes(name) ? 'no' : '–';
  const lines = [...rows.values()].map(({ acts, difference, said }) => {
    const cells = [
      acts.join(', '),
      `\`${difference.fact}\``,
      ...names.map((name) => mark(difference, name)),
      said,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = ['act', 'what some send', ...names, 'verdict'];
  process.stdout.write(
    `${[`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...lines].join('\n')}\n`,
  );
  return [...rows.values()].filter(({ said }) => said === UNJUDGED).length;
}
