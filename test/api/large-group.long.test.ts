import { expect } from 'chai';
import { ALICE, linkSession, startWorld, type World } from '../support/world.js';

/** With the linked number. */
const MEMBERS = 500;
const SENDS = 5;

describe('a group of 500 over the wire', function () {
  // five hundred phones read each message
  this.timeout(240_000);
  let world: World;

  before(async () => {
    world = await startWorld();
    await linkSession(world, 'acme');
  });
  after(() => world.stop());

  it('sends no queries after its first message', async () => {
    const people = Array.from(
      { length: MEMBERS - 1 },
      (_, index) => `+1666${String(index).padStart(7, '0')}`,
    );
    for (const number of people) await world.phones.addPhone({ number });
    const group = { subject: 'Everybody', participants: people };
    const { jid, participants } = await world.phones.groups.create(ALICE.number, group);
    expect(participants).to.have.length(MEMBERS);
    const send = async (body: string) => {
      const answer = await world.api.post('/send-message', { clientId: 'acme', to: jid, body });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      return String(answer.body.messageId);
    };
    await send('the first');
    const before = await asked();
    for (let count = 1; count < SENDS; count++) await send(`again ${count}`);
    const last = await send('the last');
    expect(await asked()).to.deep.equal(before);
    const [first, , , latest] = people;
    for (const number of [first, latest]) {
      await world.phones.waitForMessage(String(number), ({ messageId }) => messageId === last);
    }
  });

  /** Queries for groups and for devices so far. */
  async function asked() {
    const { queries } = await world.phones.stats();
    return { groups: queries['w:g2'], devices: queries.usync, keys: queries.encrypt };
  }
});
