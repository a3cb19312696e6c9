import { setMaxListeners } from 'node:events';
import { expect } from 'chai';
import { systemClock, wait } from '../../src/domain/clock.js';
import { Chance } from '../support/chance.js';
import { eventIn } from '../support/inbound.js';
import { ALICE, linkSession, startWorld, WEBHOOK_TOKEN, type World } from '../support/world.js';

/** Seconds for which the link flaps: the gate takes a sample, and a whole run a minute. */
const SECONDS = Number(process.env.SWITCHBOARD_FLAP_SECONDS ?? 8);
/** Milliseconds between two cuts, as in the round of faults in which an order was changed. */
const EVERY_MS = 500;
const PAUSE_MS = [50, 250] as const;
const PEOPLE = Array.from({ length: 6 }, (_, n) => `+155500001${n}0`);
const PATIENCE_MS = 120_000 + SECONDS * 5_000;

describe('a link that flaps twice a second', function () {
  this.timeout(PATIENCE_MS);
  const chance = new Chance();
  let world: World;
  let group: string;

  before(async () => {
    world = await startWorld();
    await linkSession(world, 'acme');
    const webhook = { webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN, retry: 'durable' };
    await world.api.post('/set-webhook', { clientId: 'acme', ...webhook });
    await world.api.post('/set-enable-group-ai', { clientId: 'acme', enabled: true });
    for (const number of PEOPLE) await world.phones.addPhone({ number, name: number });
    const [owner = '', ...others] = PEOPLE;
    const participants = [ALICE.number, ...others];
    ({ jid: group } = await world.phones.groups.create(owner, { subject: 'Team', participants }));
  });
  after(() => world.stop());

  it(`keeps the order of each author in each chat, and loses and duplicates nothing (seed ${chance.seed})`, async () => {
    const ended = new AbortController();
    setMaxListeners(0, ended.signal);
    const written = new Map<string, string[]>();
    const write = async (number: string, to: string) => {
      const lane = `${number} to ${to}`;
      const texts: string[] = [];
      written.set(lane, texts);
      while (!ended.signal.aborted) {
        const text = `${lane} ${texts.length}`;
        texts.push(text);
        await world.phones.write(number, { to, text });
        await wait(systemClock, chance.between(...PAUSE_MS), ended.signal);
      }
    };
    const lanes = PEOPLE.flatMap((number) => [write(number, ALICE.number), write(number, group)]);
    for (let cuts = 0; cuts < (SECONDS * 1_000) / EVERY_MS; cuts++) {
      await world.phones.fault({ kind: 'disconnect' });
      await wait(systemClock, EVERY_MS);
    }
    ended.abort();
    await Promise.all(lanes);
    await world.receiver.received([...written.values()].flat().length);
    const bodies = world.receiver.calls.map((call) => eventIn(call).body);
    for (const [lane, texts] of written) {
      expect(bodies.filter((body) => body.startsWith(`${lane} `))).to.deep.equal(texts);
    }
  });
});
