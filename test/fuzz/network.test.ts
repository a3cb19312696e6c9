import { expect } from 'chai';
import type { DestinationStream } from 'pino';
import { createLog } from '../../src/log.js';
import { ALICE, BOB, CAROL, linkSession, reached } from '../support/pairing.js';
import { startWorld, type World } from '../support/world.js';
import { usedHeap } from './support/memory.js';
import { announceSeed, FUZZ, Prng } from './support/prng.js';
import { makeFrame, type Parties } from './support/stanzas.js';

/** Frames that are sent without a look at how it goes. */
const BURST = 100;
/** Bytes that may stay behind after the first tenth: caches of the library and of the phones, all bounded. */
const MAX_GROWTH = 96 * 1024 * 1024;
/** The documented end of a link in whose library something went wrong; it comes back. */
const LIBRARY_FAULT = 'the link failed inside its library';
const DELIVERY_MS = 30_000;

describe('a session under random stanzas from the network', function () {
  this.timeout(180_000);
  let world: World;
  let parties: Parties;
  const lines: string[] = [];

  before(async () => {
    const destination: DestinationStream = { write: (line) => lines.push(line) };
    world = await startWorld({
      overrides: { log: createLog({ level: 'error', pretty: false, destination }) },
    });
    await linkSession(world, 'bystander', ALICE);
    await linkSession(world, 'fuzzed', CAROL);
    await world.phones.addPhone(BOB);
    const [me, friend] = [await world.phones.phone(CAROL.number), await world.phones.phone(BOB.number)];
    parties = { me: [me.lid, me.jid], friend: [friend.lid, friend.jid] };
  });
  after(() => world.stop());

  const health = async (clientId: string) => {
    const { body } = await world.api.get('/health/clients');
    const rows = Array.isArray(body.clients) ? body.clients : [];
    return rows.find((row) => row.clientId === clientId);
  };

  /** A message gets in, and one gets out. */
  async function prove(clientId: string, number: string, round: string): Promise<void> {
    const text = `${clientId} ${round}`;
    const { messageId } = await world.phones.write(BOB.number, { to: number, text });
    await world.receiver.find(({ body }) => body.includes(messageId) && body.includes(text));
    const sent = await world.api.post('/send-message', { clientId, to: BOB.number, body: text });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const arrived = await world.phones.waitForMessage(
      BOB.number,
      (held) => held.messageId === sent.body.messageId,
      DELIVERY_MS,
    );
    expect(arrived.text).to.equal(text);
  }

  async function burst(from: number, until: number): Promise<void> {
    for (let index = from; index < until; index++) {
      const frame = makeFrame(Prng.forCase(FUZZ.seed, index), parties);
      while (world.sandbox.inject(CAROL.number, frame) === 0) await comeBack();
    }
  }

  /** Resolves when the fuzzed device is connected, maybe already. */
  async function comeBack(): Promise<void> {
    const { number } = CAROL;
    await world.phones.waitFor(
      (event) => event.type === 'device' && event.number === number && event.change === 'connected',
      DELIVERY_MS,
      async () => {
        const device = (await world.phones.phone(number)).devices.find(({ connected }) => connected);
        return device && { type: 'device', number, device, change: 'connected' };
      },
    );
  }

  it(`survives ${FUZZ.cases} of them, and nobody else notices`, async () => {
    announceSeed('network');
    const before = await health('bystander');
    let baseline = 0;
    for (let index = 0; index < FUZZ.cases; index += BURST) {
      await burst(index, Math.min(index + BURST, FUZZ.cases));
      const round = String(index);
      if (index % (BURST * 5) === 0)
        await Promise.all([prove('fuzzed', CAROL.number, round), prove('bystander', ALICE.number, round)]);
      if (index === Math.floor(FUZZ.cases / 10 / BURST) * BURST) baseline = usedHeap();
    }
    await reached(world, 'fuzzed', 'connected');
    await prove('fuzzed', CAROL.number, 'at the end');
    expect(lines.filter((line) => !line.includes(LIBRARY_FAULT))).to.deep.equal([]);
    expect(await health('fuzzed')).to.include({ status: 'connected', connected: true });
    expect(await health('bystander')).to.include({ status: 'connected', reconnects: before.reconnects });
    expect(usedHeap() - baseline).to.be.below(MAX_GROWTH);
  });
});
