import { expect } from 'chai';
import { eventIn } from '../support/inbound.js';
import { ALICE, linkSession, startWorld, WEBHOOK_TOKEN, type World } from '../support/world.js';

const SENDERS = Array.from({ length: 8 }, (_, n) => `+155500001${n}0`);
const textsOf = (number: string) => Array.from({ length: 8 }, (_, n) => `${number} writes ${n}`);

describe('the first messages of new senders, over the wire', () => {
  let world: World;

  before(async () => {
    world = await startWorld();
    await linkSession(world, 'acme');
    await world.api.post('/set-webhook', {
      ...{ clientId: 'acme', webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN, retry: 'durable' },
    });
    for (const number of SENDERS) await world.phones.addPhone({ number, name: number });
  });
  after(() => world.stop());

  it('reach a receiver with durable retries in the order in which each sender wrote them', async () => {
    await Promise.all(
      SENDERS.map(async (number) => {
        for (const text of textsOf(number)) await world.phones.write(number, { to: ALICE.number, text });
      }),
    );
    await world.receiver.received(SENDERS.flatMap(textsOf).length);
    const bodies = world.receiver.calls.map((call) => eventIn(call).body);
    for (const number of SENDERS) {
      expect(bodies.filter((body) => body.startsWith(number))).to.deep.equal(textsOf(number));
    }
  });
});
