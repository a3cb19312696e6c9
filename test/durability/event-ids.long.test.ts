import { expect } from 'chai';
import type { WriteRequest } from '../../src/client/sandbox/client.js';
import {
  answering,
  eventIn,
  type ReceivedCall,
  startReceiver,
  type TestReceiver,
} from '../support/receiver.js';
import { until } from '../support/until.js';
import { ALICE, BOB, startKillableWorld, WEBHOOK_TOKEN, type World } from '../support/world.js';

/** Longer than the second in which a message is written down. */
const LATE_MS = 1_200;

/** What is announced, and the write at which the daemon dies once it is: nothing of it is closed then. */
interface Announced {
  what: string;
  closes: 'journal' | 'finish';
  /** Resolves with the id of the message that it is about. */
  prepare?(world: World): Promise<string>;
  /** Resolves with the message's id. */
  act(world: World, target: string): Promise<string>;
}

const written = (what: string, from: string, to: string, wish: Partial<WriteRequest>): Announced => ({
  what,
  closes: 'journal',
  act: async ({ phones }) => (await phones.write(from, { to, ...wish })).messageId,
});

/** A message of Bob, and what he does about it. */
const about = (what: string, wish: (messageId: string) => Partial<WriteRequest>): Announced => ({
  what,
  closes: 'journal',
  async prepare(world) {
    const text = `target of ${what}`;
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text });
    await world.receiver.find((call) => eventIn(call)?.messageId === messageId);
    return messageId;
  },
  act: async ({ phones }, target) =>
    (await phones.write(BOB.number, { to: ALICE.number, ...wish(target) })).messageId,
});

const ANNOUNCED: readonly Announced[] = [
  written('a received message', BOB.number, ALICE.number, { text: 'received' }),
  written('an own message from the phone', ALICE.number, BOB.number, { text: 'from the phone' }),
  written('a message that cannot be read', BOB.number, ALICE.number, {
    ...{ text: 'seen once', deviceCopy: 'unavailable-view-once' },
  }),
  about('a reaction', (messageId) => ({ reaction: { messageId, emoji: '👍' } })),
  about('an edit', (messageId) => ({ edit: { messageId, text: 'edited' } })),
  about('a deletion', (messageId) => ({ revoke: { messageId } })),
  {
    what: 'a message that the API sent',
    closes: 'finish',
    async act(world) {
      await world.phones.fault({ kind: 'delay', ms: LATE_MS, number: ALICE.number });
      const text = `sent ${Date.now()}`;
      void world.api
        .post('/send-message', { clientId: 'acme', to: BOB.number, body: text })
        .catch(() => undefined);
      const { messageId } = await world.phones.waitForMessage(BOB.number, (message) => message.text === text);
      return messageId;
    },
  },
];

async function openJournal(world: World): Promise<number> {
  const { body } = await world.api.get('/health/clients');
  return JSON.parse(JSON.stringify(body)).clients[0]?.openJournal ?? Number.NaN;
}

/** For each value how the calls about a message differ in it. */
function factsOf(calls: readonly ReceivedCall[], messageId: string) {
  const about = calls.filter((call) => eventIn(call)?.messageId === messageId);
  return {
    calls: about.length,
    ids: [...new Set(about.map(({ headers }) => headers['x-sn-delivery']))],
    times: [...new Set(about.map((call) => eventIn(call)?.timestamp))],
  };
}

describe('an event that is announced again because the daemon was killed', function () {
  this.timeout(120_000);
  let world: World;
  let second: TestReceiver;

  before(async () => {
    world = await startKillableWorld({ leaseSeconds: 2 });
    second = await startReceiver();
    await world.api.post('/receivers', { clientId: 'acme', url: second.url, retry: 'durable' });
    await world.api.post('/set-retention', { clientId: 'acme', keepEvents: 1 });
    // what a new link still writes must be over before a write is its last one
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'first' });
    await until('the first event', async () => factsOf(second.calls, messageId).calls > 0);
  });
  after(async () => {
    await world.stop();
    await second.stop();
  });
  beforeEach(() => {
    world.receiver.respond(answering(200));
  });
  afterEach(() => world.phones.clearFaults());

  const setWebhook = (retry: 'contract' | 'durable') =>
    world.api.post('/set-webhook', {
      ...{ clientId: 'acme', webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN, retry },
      extraEvents: ['message_unreadable'],
    });
  /** Ids of the kept events of a message. */
  const keptOf = async (messageId: string) => {
    const { body } = await world.api.get('/kept-events?clientId=acme&limit=200');
    const { keptEvents }: { keptEvents: { id: string; messageId: string }[] } = JSON.parse(
      JSON.stringify(body),
    );
    return keptEvents.filter((event) => event.messageId === messageId).map(({ id }) => id);
  };

  for (const retry of ['contract', 'durable'] as const) {
    for (const { what, closes, prepare, act } of ANNOUNCED) {
      it(`keeps its id and its time: ${what}, to a webhook with ${retry} retries and to another receiver`, async () => {
        await world.connected();
        await until('the closed journal', async () => (await openJournal(world)) === 0);
        await setWebhook(retry);
        const target = (await prepare?.(world)) ?? '';
        await until('the closed journal', async () => (await openJournal(world)) === 0);
        await world.dieAt({ when: 'before', write: closes });
        const messageId = await act(world, target);
        await world.died();
        await world.phones.clearFaults();
        await world.startDaemon();
        await world.connected();
        await until('the closed journal', async () => (await openJournal(world)) === 0);
        await until('both receivers', async () => {
          const calls = [world.receiver, second].map((one) => factsOf(one.calls, messageId).calls);
          // with durable retries the queue may know the event, and deliver it once
          const isAgain = retry === 'durable' || (calls[0] ?? 0) > 1;
          return isAgain && calls.every((count) => count > 0);
        });
        for (const receiver of [world.receiver, second]) {
          const { ids, times } = factsOf(receiver.calls, messageId);
          expect(ids, 'ids').to.have.lengthOf(1);
          expect(times, 'times').to.have.lengthOf(1);
        }
        expect(await keptOf(messageId)).to.deep.equal(factsOf(world.receiver.calls, messageId).ids);
      });
    }
  }

  it('keeps its id when the daemon is killed between two attempts at a webhook with the contract’s retries', async () => {
    await world.connected();
    await setWebhook('contract');
    const killed = new Promise<void>((resolve, reject) => {
      world.receiver.respond((response, call) => {
        response.statusCode = 503;
        response.end();
        if (eventIn(call)?.body !== 'between attempts') return;
        world.receiver.respond(answering(503));
        world.killDaemon().then(resolve, reject);
      });
    });
    const { messageId } = await world.phones.write(BOB.number, {
      to: ALICE.number,
      text: 'between attempts',
    });
    await killed;
    world.receiver.respond(answering(200));
    const before = factsOf(world.receiver.calls, messageId).calls;
    await world.startDaemon();
    await until('the event', async () => factsOf(world.receiver.calls, messageId).calls > before);
    expect(factsOf(world.receiver.calls, messageId).ids).to.have.lengthOf(1);
  });

  it('is named by a replay, which has its own id', async () => {
    await world.connected();
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'to be replayed' });
    await until('the event', async () => factsOf(world.receiver.calls, messageId).calls === 1);
    const [id] = factsOf(world.receiver.calls, messageId).ids;
    await until('the kept event', async () => (await keptOf(messageId)).length === 1);
    const { body, status } = await world.api.post('/replay', { clientId: 'acme', ids: [id] });
    expect(status, JSON.stringify(body)).to.equal(200);
    await until('the replay', async () => factsOf(world.receiver.calls, messageId).calls === 2);
    const calls = world.receiver.calls.filter((call) => eventIn(call)?.messageId === messageId);
    expect(calls.map(({ headers }) => headers['x-sn-replayed'])).to.deep.equal([undefined, id]);
    expect(calls[1]?.headers['x-sn-delivery']).to.not.equal(id);
  });
});
