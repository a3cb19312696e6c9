import { expect } from 'chai';
import { Inbound } from '../support/inbound.js';
import { answering, eventIn, silent } from '../support/receiver.js';
import { until } from '../support/until.js';
import { ALICE, startKillableWorld, type World } from '../support/world.js';

const PATIENCE_MS = 120_000;
const EVENTS = 5;
const NOTHING = {
  failedDeliveries: 0,
  waitingDeliveries: 0,
  unannounced: 0,
  unacknowledgedSends: 0,
  heldSends: 0,
};

describe('a session that was exported and whose daemon is killed', function () {
  this.timeout(PATIENCE_MS);
  let world: World;
  let inbound: Inbound;

  before(async () => {
    world = await startKillableWorld({ leaseSeconds: 8 });
    inbound = new Inbound(world);
  });
  after(() => world.stop());

  const unfinished = async () => {
    const { clientId, ...counts } = (await world.api.get('/unfinished?clientId=acme')).body;
    expect(clientId).to.equal('acme');
    return counts;
  };

  it('announces the messages that it had received before, and counts them until then', async () => {
    expect(await unfinished()).to.deep.equal(NOTHING);
    world.receiver.respond(silent);
    const written: string[] = [];
    for (let n = 0; n < EVENTS; n++) written.push(await inbound.write(`before the export ${n}`));
    await until('the messages in the journal', async () => (await unfinished()).unannounced === EVENTS);
    const { status, body } = await world.api.post('/export', { clientId: 'acme' });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.staying).to.deep.equal({ ...NOTHING, unannounced: EVENTS });
    await world.killDaemon();
    world.receiver.respond(answering(200));
    await world.startDaemon();
    await until('the session', async () => (await world.api.get('/unfinished?clientId=acme')).status === 200);
    await until('the end of the work', async () => (await unfinished()).unannounced === 0);
    for (const messageId of written) {
      const calls = world.receiver.calls.filter((call) => eventIn(call)?.messageId === messageId);
      expect(new Set(calls.map(({ headers }) => headers['x-sn-delivery'])).size, messageId).to.equal(1);
      expect(calls.at(-1)?.headers['x-sn-attempt'], messageId).to.equal('1');
    }
    const { devices } = await world.phones.phone(ALICE.number);
    expect(devices.map(({ connected }) => connected)).to.deep.equal([false]);
  });
});
