import { expect } from 'chai';
import { systemClock, wait } from '../../src/domain/clock.js';
import { arrivalOf } from '../../src/local/drill/http-receiver.js';
import { compare } from '../../src/local/drill/ledger.js';
import type { Observations, Written } from '../../src/local/drill/observations.js';
import { kafkaRig, type SinkRig } from '../gateway/delivery/support/sink-rigs.js';
import { Chance } from '../support/chance.js';
import { newerNode } from '../support/newer-node.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, startKillableWorld, type World } from '../support/world.js';

/** Faults of each kind: the broker is down, the daemon is killed, or both. */
const ROUNDS = Number(process.env.KAFKA_ROUNDS ?? 1);
/** Milliseconds between two messages of a person. */
const PACE_MS = 150;
const PATIENCE_MS = 120_000 + ROUNDS * 120_000;
const LATE_AFTER_MS = 60_000;

describe('a session with Kafka as receiver, under kills of the daemon and with the broker down', function () {
  this.timeout(PATIENCE_MS);
  const chance = new Chance();
  const written: Written[] = [];
  let world: World;
  let kafka: SinkRig;

  before(async () => {
    kafka = await kafkaRig();
    const brokers = { process: { execPath: newerNode() } };
    world = await startKillableWorld({ leaseSeconds: 5, overrides: { brokers } });
    await world.phones.addPhone(CAROL);
    const settings = { clientId: 'acme', url: kafka.url, schedule: { pauses: [1] } };
    expect((await world.api.post('/receivers', settings)).status).to.equal(200);
  });
  after(async () => {
    await world.stop();
    await kafka.stop();
  });

  /** Writes until the signal aborts. */
  const write = async (person: string, signal: AbortSignal) => {
    for (let count = 0; !signal.aborted; count++) {
      const token = `${person} ${count}`;
      const at = Date.now();
      const { messageId } = await world.phones.write(person, { to: ALICE.number, text: token });
      const about = { way: 'received', sessions: ['acme'], outcome: 'accepted', phones: [] } as const;
      written.push({ ...about, token, at, lane: person, messageId, answeredAt: Date.now() });
      await wait(systemClock, PACE_MS, signal);
    }
  };
  const seen = async (): Promise<Observations> => {
    const arrivals = (await kafka.read()).flatMap(({ headers, body }) => {
      const about = { deliveryId: headers['x-sn-delivery'] ?? '', processed: true, at: Date.now() };
      return arrivalOf(body, about) ?? [];
    });
    // this session keeps no history: the ledger is about the broker
    const history = written.map(({ token, messageId = '' }) => ({ token, messageId }));
    return {
      written,
      phones: new Map(),
      history: new Map([['acme', history]]),
      waiting: new Set(),
      receivers: [{ name: 'kafka', ordered: true, mayGiveUp: false, arrivals, failed: new Map() }],
      faults: [],
    };
  };
  const findings = async () => compare(await seen(), LATE_AFTER_MS).filter(({ breach }) => breach !== 'late');

  it(`gets every event, under one id each, in the order of its chat (seed ${chance.seed})`, async () => {
    const ended = new AbortController();
    const traffic = Promise.all([BOB, CAROL].map(({ number }) => write(number, ended.signal)));
    for (let round = 0; round < ROUNDS; round++) {
      for (const fault of chance.shuffled(['broker', 'daemon', 'both'])) {
        const before = written.length;
        const [calm, broken] = [chance.between(2, 10), chance.between(10, 20)];
        await until('traffic', async () => written.length > before + calm);
        if (fault !== 'daemon') await kafka.down();
        if (fault !== 'broker') await world.killDaemon();
        await until('traffic', async () => written.length > before + calm + broken);
        if (fault !== 'broker') await world.startDaemon();
        if (fault !== 'daemon') await kafka.up();
      }
    }
    ended.abort();
    await traffic;
    await world.connected();
    await until('all events', async () => (await findings()).every(({ breach }) => breach !== 'lost'));
    expect(await findings()).to.deep.equal([]);
    expect(written.length).to.be.above(ROUNDS * 3 * 12);
  });
});
