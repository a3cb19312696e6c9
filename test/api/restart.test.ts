import { expect } from 'chai';
import { ALICE, BOB, linkSession, reached } from '../support/pairing.js';
import { answering, silent } from '../support/receiver.js';
import { startWorld, type World } from '../support/world.js';

describe('stops and restarts', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ overrides: { stopGraceMs: 100 } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
  });
  after(() => world.stop());

  const say = async (text: string) =>
    (await world.phones.write(BOB.number, { to: ALICE.number, text })).messageId;
  const callsWith = (text: string) => world.receiver.calls.filter(({ body }) => body.includes(text));

  it('announce again at the next start what the receiver had not taken when the daemon stopped', async () => {
    world.receiver.respond(silent);
    const messageId = await say('in flight at the stop');
    await world.receiver.find(({ body }) => body.includes(messageId));
    await world.stopDaemon();
    world.receiver.respond(answering(200));
    const before = callsWith(messageId).length;
    const calls = world.receiver.calls.length;
    await world.startDaemon();
    await world.receiver.received(calls + 1);
    expect(callsWith(messageId)).to.have.length(before + 1);
    expect((await world.api.get('/failed-deliveries')).body).to.deep.equal({ failedDeliveries: [] });
    await reached(world, 'acme', 'connected');
  });

  it('deliver fifty messages that were written while the daemon was down, each once', async () => {
    await world.stopDaemon();
    const ids = await Promise.all(Array.from({ length: 50 }, (_, index) => say(`while away ${index}`)));
    await world.startDaemon();
    for (const id of ids) await world.receiver.find(({ body }) => body.includes(id));
    for (const id of ids) expect(callsWith(id), id).to.have.length(1);
  });

  it('bring several sessions back, and leave nothing of a deleted one', async () => {
    for (const index of [1, 2, 3]) {
      await linkSession(world, `s${index}`, { number: `+1555000010${index}`, name: `S${index}` });
    }
    await world.api.post('/disconnect', { clientId: 's2' });
    await world.restartDaemon();
    for (const clientId of ['acme', 's1', 's3']) await reached(world, clientId, 'connected');
    expect((await world.api.get('/qr?clientId=s2')).status).to.equal(404);
  });

  it('need no new pairing for the linked phone', async () => {
    expect((await world.phones.phone(ALICE.number)).devices).to.have.length(1);
    expect(await world.phones.stats()).to.include({ conflicts: 0 });
  });
});
