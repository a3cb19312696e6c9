import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { TailEntry } from '../../src/contract/events/stream-entry.js';
import { Chance } from '../support/chance.js';
import { ALICE, linkSession, startWorld, type World } from '../support/world.js';

const SENDS = 100;
const IN_FLIGHT = 16;
const CUTS = 5;
/** Milliseconds to the network, in each direction. */
const LATENCY_MS = 50;
/** Milliseconds for all sends together. */
const TIME_LIMIT_MS = 10_000;
/** The same on a machine that has much other work: more than this number of processes wait for each core. */
const BUSY_TIME_LIMIT_MS = 30_000;
const BUSY = 1;
const PEOPLE = Array.from({ length: 10 }, (_, index) => ({
  number: `+1555000020${index}`,
  name: `Person ${index}`,
}));

describe('the send route, while links are cut', () => {
  const chance = new Chance();
  let world: World;
  before(async () => {
    // in its own process the daemon has a relay to the network, and its real pauses between attempts to connect
    world = await startWorld({ process: true });
    for (const person of PEOPLE) await world.phones.addPhone(person);
    await linkSession(world, 'acme', ALICE);
    world.wire.slow(LATENCY_MS);
  });
  after(() => world.stop());

  /** Resolves when the session is connected after so many lost links. */
  async function connectedAgain(losses: number): Promise<void> {
    const isStatus = (entry: TailEntry) => entry.kind === 'event' && entry.event.type === 'session_status';
    await world.tail.until(isStatus, async () => {
      const { body } = await world.api.get('/health/clients');
      const [session] = Array.isArray(body.clients) ? body.clients : [];
      return session.status === 'connected' && session.reconnects >= losses;
    });
  }

  it(`delivers each message once and soon, with at most one refusal (seed ${chance.seed})`, async () => {
    const answers: { body: string; to: string; status: number; error: unknown }[] = [];
    let next = 0;
    const begin = performance.now();
    const sendAll = async () => {
      while (next < SENDS) {
        const index = next++;
        const body = `text ${index}`;
        const to = PEOPLE[index % PEOPLE.length]?.number ?? '';
        const answer = await world.api.post('/send-message', { clientId: 'acme', to, body });
        answers.push({ body, to, status: answer.status, error: answer.body.error });
      }
    };
    const cutAll = async () => {
      for (let cut = 0; cut < CUTS; cut++) {
        await connectedAgain(cut);
        await pause(chance.between(0, 300));
        world.wire.cut();
        world.wire.restore();
      }
    };
    const senders = Array.from({ length: IN_FLIGHT }, sendAll);
    const cuts = cutAll();
    await Promise.all(senders);
    const tookMs = performance.now() - begin;
    await cuts;

    const refused = answers.filter(({ status }) => status !== 200);
    const summary = `${Math.round(tookMs)} ms, refused ${JSON.stringify(refused)}`;
    expect(refused, summary).to.have.length.at.most(1);
    const isBusy = (loadavg()[0] ?? 0) > BUSY * availableParallelism();
    expect(tookMs, summary).to.be.below(isBusy ? BUSY_TIME_LIMIT_MS : TIME_LIMIT_MS);
    for (const { number } of PEOPLE) {
      const texts = (await world.phones.messages(number)).map(({ text }) => text);
      const accepted = answers.filter(({ to, status }) => to === number && status === 200);
      expect(texts, summary).to.include.members(accepted.map(({ body }) => body));
      expect(new Set(texts).size, summary).to.equal(texts.length);
    }
  });
});
