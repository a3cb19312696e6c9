import { expect } from 'chai';
import { SandboxRefusal } from '../../src/client/sandbox/client.js';
import { until } from '../support/until.js';
import { ALICE, BOB, SandboxWorld } from './support/world.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

describe('Sandbox: the clock', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.openKept());
  afterEach(() => world.close());

  const post = async (body: unknown) => {
    const answer = await fetch(`${world.sandbox.url}/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const written = async (text: string) => {
    const { messageId } = await world.client.write(ALICE, { to: BOB, text });
    const { timestamp } = await world.client.waitForMessage(BOB, (held) => held.messageId === messageId);
    return timestamp * 1_000;
  };

  it("shows the machine's time until it is moved, and dates messages by its own", async () => {
    const before = await world.client.clock();
    expect(before.ahead).to.equal(0);
    expect(before.now).to.be.closeTo(Date.now(), HOUR_MS);
    const moved = await world.client.advanceClock('3d');
    expect(moved.ahead).to.equal(3 * DAY_MS);
    expect(moved.now - before.now).to.be.within(3 * DAY_MS, 3 * DAY_MS + HOUR_MS);
    expect(await written('later')).to.be.closeTo(moved.now, HOUR_MS);
    expect((await world.client.advanceClock('90s')).ahead).to.equal(3 * DAY_MS + 90_000);
  });

  it('takes one time with its unit, forward only, five years at most in all', async () => {
    const form = '"advance" must be a time such as 30s, 5m, 2h or 3d';
    const wrong: [unknown, string][] = [
      [{}, '"advance" is required'],
      [{ advance: 3_000 }, '"advance" needs a unit: 30s, 5m, 2h or 3d'],
      [{ advance: '3' }, form],
      [{ advance: '-3d' }, form],
      [{ advance: '0s' }, form],
      [{ advance: '3 weeks' }, form],
      [{ advance: '1826d' }, '"advance" may take the clock 1825d ahead at most'],
      [{ advance: '3d', back: true }, '"back" is not allowed'],
    ];
    for (const [body, error] of wrong) {
      const code = error.includes('ahead at most') ? 'clock_too_far' : 'invalid_request';
      expect(await post(body)).to.deep.equal({ status: 400, body: { error, code } });
    }
    expect((await world.client.clock()).ahead).to.equal(0);
    expect((await post({ advance: '1825d' })).status).to.equal(200);
    expect((await post({ advance: '1s' })).status).to.equal(400);
  });

  it('never goes back, not even after a restart', async () => {
    const { now } = await world.client.advanceClock('12h');
    await world.restart();
    const after = await world.client.clock();
    expect(after.ahead).to.equal(12 * HOUR_MS);
    expect(after.now).to.be.at.least(now);
    expect(await written('after the restart')).to.be.at.least(now - 1_000);
  });

  it('cuts no connection, and lets clients log in years later', async () => {
    const alice = await world.linked(ALICE);
    await world.client.advanceClock('1800d');
    await world.client.write(BOB, { to: ALICE, text: 'still there?' });
    await alice.text('still there?');
    expect((await world.client.stats()).dropped).to.equal(0);
    await alice.stop();
    await alice.connect();
  });

  it('ends a temporary ban', async () => {
    const alice = await world.linked(ALICE);
    const closed = alice.closed();
    await world.client.fault({ kind: 'temporary-ban', number: ALICE, ms: 2 * DAY_MS });
    expect(await closed).to.equal(402);
    await world.client.advanceClock('1d');
    alice.start();
    expect(await alice.closed()).to.equal(402);
    await world.client.advanceClock('1d');
    await alice.connect();
  });

  it('takes restrictions of up to 90 days, and other faults of up to ten minutes', async () => {
    await world.client.fault({ kind: 'reachout-lock', number: ALICE, ms: 90 * DAY_MS });
    const refused = await world.client.fault({ kind: 'delay', ms: 600_001 }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(SandboxRefusal);
    expect(refused).to.have.property('message', '"ms" must be at most 600000 with delay');
  });

  it('handles delayed stanzas as soon as their time has come', async () => {
    const alice = await world.linked(ALICE);
    await world.client.fault({ kind: 'delay', number: ALICE, ms: 600_000 });
    let isAnswered = false;
    const ping = { tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } };
    const answered = alice.socket.query(ping).then(() => {
      isAnswered = true;
    });
    await until('an answer', async () => {
      await world.client.advanceClock('10m');
      return isAnswered;
    });
    await answered;
  });
});
