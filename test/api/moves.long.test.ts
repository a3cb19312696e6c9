import { expect } from 'chai';
import { Chance } from '../support/chance.js';
import { eventIn, type TestReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';
import { linkSession, startWorld, WEBHOOK_TOKEN, type World } from '../support/world.js';

/** Moves of all sessions together. */
const MOVES = Number(process.env.SESSION_MOVES ?? 24);
const SESSIONS = 4;
/** Messages of one session that may be on their way: so many wait at the network while nobody is connected. */
const WINDOW = 30;
/** Announced messages of a session, at most, from its arrival to its next move. */
const MAX_STAY = 25;
const PATIENCE_MS = 20 * 60_000;

/** Counts by message how often its event was announced. A further attempt is no further announcement. */
class Announced {
  readonly #receivers: readonly TestReceiver[];
  readonly #read: number[];
  /** By message: the calls, each as receiver, delivery id and attempt. */
  readonly calls = new Map<string, string[]>();
  readonly #bySession = new Map<string, number>();

  constructor(receivers: readonly TestReceiver[]) {
    this.#receivers = receivers;
    this.#read = receivers.map(() => 0);
  }

  read(): this {
    for (const [index, { calls }] of this.#receivers.entries()) {
      for (const call of calls.slice(this.#read[index])) {
        const event = eventIn(call);
        if (!event) continue;
        const { 'x-sn-delivery': id, 'x-sn-attempt': attempt } = call.headers;
        const known = this.calls.get(event.messageId) ?? [];
        this.calls.set(event.messageId, [...known, `${index} ${id} ${attempt}`]);
        this.#bySession.set(event.clientId, this.of(event.clientId) + 1);
      }
      this.#read[index] = calls.length;
    }
    return this;
  }

  /** True if one daemon has announced the message, once. */
  isOnce(messageId: string): boolean {
    const calls = this.calls.get(messageId) ?? [];
    const daemons = new Set(calls.map((call) => call.slice(0, call.indexOf(' '))));
    return daemons.size === 1 && calls.filter((call) => call.endsWith(' 1')).length <= 1;
  }

  of(clientId: string): number {
    return this.#bySession.get(clientId) ?? 0;
  }

  /** Resolves when something holds, now or after a call to come. */
  async until(holds: () => boolean): Promise<void> {
    while (!this.read() || !holds())
      await Promise.race(this.#receivers.map((receiver) => receiver.received(receiver.calls.length + 1)));
  }
}

describe('sessions that move between two Switchboards at random instants, under traffic', () => {
  const chance = new Chance();
  let worlds: readonly [World, World];
  let announced: Announced;
  /** Message ids by session. */
  const written = new Map<string, Set<string>>();
  const isDone = new Set<string>();

  const numbers = Array.from({ length: SESSIONS }, (_, index) => ({
    clientId: `session${index}`,
    own: `+1555000${index}100`,
    peer: `+1555000${index}200`,
  }));
  type Numbers = (typeof numbers)[number];

  before(async function () {
    this.timeout(PATIENCE_MS);
    const first = await startWorld();
    const second = await startWorld({ settings: { network: `sandbox+${first.sandbox.wsUrl}` } });
    worlds = [first, second];
    announced = new Announced(worlds.map(({ receiver }) => receiver));
    for (const { clientId, own, peer } of numbers) {
      await first.phones.addPhone({ number: peer, name: `Peer of ${clientId}` });
      await linkSession(first, clientId, { number: own, name: clientId });
      written.set(clientId, new Set());
    }
  });
  after(async () => {
    await worlds[1].stop();
    await worlds[0].stop();
  });

  const ask = async (world: World, path: string, body: object) => {
    const answer = await world.api.post(path, body);
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).to.equal(200);
    return JSON.parse(JSON.stringify(answer.body));
  };

  /** Stops a session at one daemon, and takes it to the other one. */
  async function move(clientId: string, from: World, to: World): Promise<void> {
    const { jid, credentials } = await ask(from, '/export', { clientId });
    let after: object | undefined;
    let received: object[] = [];
    for (let begin = true; begin || after; begin = false) {
      const page = await ask(from, '/export-keys', { clientId, ...(after && { after }) });
      await ask(to, '/adopt', { clientId, ...(begin && { begin }), keys: page.keys });
      after = page.next;
      received = page.received ?? [];
    }
    const webhook = { webhookUrl: to.receiver.url, webhookToken: WEBHOOK_TOKEN };
    await ask(to, '/adopt', { clientId, received, ...webhook });
    await ask(to, '/adopt', { clientId, credentials });
    await until('the end of the work at the old daemon', async () => {
      const { body } = await from.api.get(`/unfinished?clientId=${clientId}`);
      const { failedDeliveries, waitingDeliveries, unannounced } = body;
      expect([failedDeliveries, waitingDeliveries]).to.deep.equal([0, 0]);
      return unannounced === 0;
    });
    await ask(from, '/give-back', { clientId, jid });
  }

  async function writeTo({ clientId, own, peer }: Numbers): Promise<void> {
    const ids = written.get(clientId) ?? new Set();
    const missing = () => [...ids].filter((id) => !announced.calls.has(id)).length;
    for (let n = 0; !isDone.has(clientId); n++) {
      await announced.until(() => missing() < WINDOW || isDone.has(clientId));
      const [author, to] = chance.between(1, 5) === 1 ? [own, peer] : [peer, own];
      ids.add((await worlds[0].phones.write(author, { to, text: `${clientId} ${n}` })).messageId);
    }
  }

  async function wander({ clientId }: Numbers): Promise<void> {
    for (let n = 0; n < MOVES / SESSIONS; n++) {
      const [from, to] = n % 2 === 0 ? worlds : [worlds[1], worlds[0]];
      const stay = announced.of(clientId) + chance.between(0, MAX_STAY);
      await announced.until(() => announced.of(clientId) >= stay);
      await move(clientId, from, to);
    }
    isDone.add(clientId);
  }

  it(`announces every message exactly once, over ${MOVES} moves (seed ${chance.seed})`, async () => {
    await Promise.all(numbers.flatMap((one) => [writeTo(one), wander(one)]));
    const all = [...written.values()].flatMap((ids) => [...ids]);
    await announced.until(() => all.every((id) => announced.calls.has(id)));
    const wrong = all.flatMap((id) => (announced.isOnce(id) ? [] : [{ id, calls: announced.calls.get(id) }]));
    expect(wrong, `of ${all.length} messages`).to.deep.equal([]);
    expect(await worlds[0].phones.stats()).to.deep.include({ conflicts: 0, retryReceipts: {} });
  }).timeout(PATIENCE_MS);
});
