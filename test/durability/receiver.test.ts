import { expect } from 'chai';
import { eventIn, Inbound } from '../support/inbound.js';
import { answering } from '../support/receiver.js';
import { BOB, linkSession, startWorld, type World } from '../support/world.js';

const WHILE_DOWN = 20;

interface Kept {
  id: string;
  messageId: string;
}

describe('a receiver that is down for a while', () => {
  let world: World;
  let inbound: Inbound;
  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
    inbound = new Inbound(world);
  });
  after(() => world.stop());

  const failed = async (): Promise<Kept[]> => {
    const { body } = await world.api.get('/failed-deliveries?clientId=acme');
    return JSON.parse(JSON.stringify(body.failedDeliveries));
  };

  it('gets the events before and after, and the missed ones are stored as failed', async () => {
    await inbound.write('before');
    await inbound.arrived();
    world.receiver.respond(answering(503));
    const missed: string[] = [];
    for (let index = 0; index < WHILE_DOWN; index++) missed.push(await inbound.write(`missed ${index}`));
    await world.tail.until(
      ({ kind }) => kind === 'dropped',
      async () => world.tail.entries.filter(({ kind }) => kind === 'dropped').length === WHILE_DOWN,
    );
    world.receiver.respond(answering(200));
    await world.restartDaemon();
    await inbound.write('after');
    await inbound.arrived();
    expect((await failed()).map(({ messageId }) => messageId)).to.have.members(missed);
  });

  it('gets the missed events when they are sent again by hand', async () => {
    const kept = await failed();
    const before = world.receiver.calls.length;
    for (const { id } of kept) {
      const { body } = await world.api.post(`/failed-deliveries/${id}/resend`);
      expect(body).to.include({ delivered: true });
    }
    const resent = world.receiver.calls.slice(before).map((call) => eventIn(call).messageId);
    expect(resent).to.have.members(kept.map(({ messageId }) => messageId));
    expect(await failed()).to.deep.equal([]);
  });

  it('leaves nothing in the journal', async () => {
    await world.stopDaemon();
    expect(await world.inspect((store) => store.journal.countOpen())).to.equal(0);
    await world.startDaemon();
  });
});
