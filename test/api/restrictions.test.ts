import { expect } from 'chai';
import { extraEventOf, extraEventsIn } from '../support/receiver.js';
import { until } from '../support/until.js';
import { ALICE, BOB, linkSession, reached, startWorld, TOKEN, type World } from '../support/world.js';

const LOCK_MS = 10 * 60_000;
const NONE = {
  clientId: 'acme',
  restricted: false,
  until: '',
  reason: '',
  warning: '',
  newChats: { used: 0, limit: 100 },
};

describe('the restrictions of a linked number', () => {
  let world: World;

  before(async () => {
    world = await startWorld({ settings: { allowPrivateUrls: true } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
    const webhook = { clientId: 'acme', webhookUrl: world.receiver.url, extraEvents: ['account_status'] };
    expect((await world.api.post('/set-webhook', webhook)).status).to.equal(200);
  });
  after(() => world.stop());

  const restrictions = async () => (await world.api.get('/restrictions?clientId=acme')).body;
  const row = async (): Promise<Record<string, unknown>> => {
    const { body } = await world.api.get('/health/clients');
    return Array.isArray(body.clients) ? body.clients[0] : {};
  };

  it('are none at first, and are shown with the number of chats that the number may begin', async () => {
    const { newChats, ...answer } = await restrictions();
    const { newChats: allowed, ...rest } = NONE;
    expect(answer).to.deep.equal(rest);
    expect(newChats).to.include(allowed);
    expect(await row()).to.not.have.property('restriction');
  });

  it('are shown as soon as the network imposes a time lock, and no longer when it ends', async () => {
    const ends = Date.now() + LOCK_MS;
    await world.phones.fault({ kind: 'reachout-lock', number: ALICE.number, ms: LOCK_MS });
    const begun = await extraEventOf(world.receiver, 'account_status', ({ restricted }) => restricted);
    expect(begun).to.include({ event: 'account.status', clientId: 'acme', orgId: '' });
    expect(Date.parse(begun.until)).to.be.closeTo(ends, 60_000);
    expect(begun.reason).to.equal('the network does not let this number begin chats for now (DEFAULT)');
    const { until, reason } = begun;
    expect(await restrictions()).to.deep.include({ restricted: true, until, reason });
    expect((await row()).restriction).to.deep.equal({ until, reason });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const metrics = await (await fetch(`${world.api.url}/metrics`, { headers })).text();
    expect(metrics).to.match(/^switchboard_sessions_restricted\{.*\} 1$/m);

    const before = world.receiver.calls.length;
    await world.phones.clearFaults();
    await world.receiver.find(() =>
      extraEventsIn(world.receiver.calls.slice(before), 'account_status').some(
        ({ restricted }) => !restricted,
      ),
    );
    expect(await restrictions()).to.deep.include({ restricted: false, until: '', reason: '' });
    expect(await row()).to.not.have.property('restriction');
  });

  it('are announced by a warning before they begin', async () => {
    await world.phones.fault({ kind: 'new-chat-warning', number: ALICE.number });
    const warned = await extraEventOf(world.receiver, 'account_status', ({ warning }) => warning !== '');
    expect(warned).to.include({ restricted: false, warning: 'FIRST_WARNING' });
    expect(warned.newChats).to.include({ used: 50, limit: 100 });
    expect(await restrictions()).to.include({ restricted: false, warning: 'FIRST_WARNING' });
    expect(await row())
      .to.include({ warning: 'FIRST_WARNING' })
      .and.not.have.property('restriction');
    await world.phones.fault({ kind: 'new-chat-second-warning', number: ALICE.number });
    const again = await extraEventOf(
      world.receiver,
      'account_status',
      ({ warning }) => warning === 'SECOND_WARNING',
    );
    expect(again).to.include({ restricted: false });
    expect(again.newChats).to.include({ used: 80, limit: 100 });
    expect(await restrictions()).to.include({ restricted: false, warning: 'SECOND_WARNING' });
    await world.phones.clearFaults();
    await until('no warning any more', async () => !('warning' in (await row())));
  });

  it('are requested again after a restart', async () => {
    await world.phones.fault({ kind: 'new-chat-cap', number: ALICE.number });
    const capped = await extraEventOf(
      world.receiver,
      'account_status',
      ({ newChats }) => newChats.used === 100,
    );
    expect(capped.newChats).to.include({ used: 100, limit: 100 });
    expect(capped.reason).to.match(/as many chats as the network permits in this period \(CAPPED\)$/);
    await world.restartDaemon();
    await reached(world, 'acme', 'connected');
    expect(await restrictions()).to.deep.include({ restricted: true, until: capped.until });
  });
});
