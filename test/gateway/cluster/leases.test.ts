import { expect } from 'chai';
import { pino } from 'pino';
import { GatewayError } from '../../../src/domain/errors.js';
import { LeaseKeeper } from '../../../src/gateway/cluster/leases.js';
import { leasesContract } from '../../contracts/store/cluster.js';
import { ManualClock } from '../../support/manual-clock.js';
import { LeaseTable } from './support/tables.js';

const LASTS_MS = 15_000;
/** Milliseconds after which a node no longer uses its lease. */
const USED_MS = LASTS_MS * 0.9;

/** A store whose clock is the test's, and which can be cut off. */
class Leases extends LeaseTable {
  isReachable = true;
  /** Called before the store answers a renewal. */
  onRenew: () => void = () => undefined;

  override async renew(nodeId: string, lastsMs: number) {
    if (!this.isReachable) throw new GatewayError('store_unavailable', 'cut off');
    const held = this.renewNow(nodeId, lastsMs);
    this.onRenew();
    return held;
  }
}

describe('the leases of a node', () => {
  let clock: ManualClock;
  let leases: Leases;
  let lost: string[];
  let logged: string[];
  let keeper: LeaseKeeper;

  function keeperOf(nodeId: string): LeaseKeeper {
    return new LeaseKeeper({
      leases,
      nodeId,
      lastsMs: LASTS_MS,
      clock,
      log: pino({ base: null }, { write: (line) => logged.push(JSON.parse(line).msg) }),
      onLost: (clientId) => lost.push(clientId),
    });
  }

  /** Advances the clocks of node and store, and waits for the due work. */
  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    leases.now += ms;
    await new Promise((resolve) => setImmediate(resolve));
  }

  beforeEach(() => {
    clock = new ManualClock();
    leases = new Leases();
    lost = [];
    logged = [];
    keeper = keeperOf('a');
    keeper.start();
  });
  afterEach(() => keeper.stop());

  it('holds leases as long as they are renewed', async () => {
    expect(await keeper.claim('acme')).to.equal(1);
    for (let renewal = 0; renewal < 10; renewal += 1) await pass(LASTS_MS / 3);
    expect(keeper.holds('acme')).to.equal(true);
    expect(keeper.sessions()).to.deep.equal(['acme']);
    expect(await keeperOf('b').claim('acme')).to.equal(undefined);
    expect(lost).to.deep.equal([]);
  });

  it('drops leases before the store frees them when the node is disconnected', async () => {
    await keeper.claim('acme');
    leases.isReachable = false;
    await pass(USED_MS - 1);
    expect(keeper.holds('acme')).to.equal(true);
    await pass(1);
    expect(keeper.holds('acme')).to.equal(false);
    expect(lost).to.deep.equal(['acme']);
    expect(await keeperOf('b').claim('acme')).to.equal(undefined);
    await pass(LASTS_MS - USED_MS);
    expect(await keeperOf('b').claim('acme')).to.equal(2);
  });

  it('keeps leases through an outage shorter than the lease, and logs it once', async () => {
    await keeper.claim('acme');
    leases.isReachable = false;
    for (let step = 0; step < 8; step += 1) await pass(LASTS_MS / 15);
    leases.isReachable = true;
    for (let step = 0; step < 10; step += 1) await pass(LASTS_MS / 15);
    expect(keeper.holds('acme')).to.equal(true);
    expect(lost).to.deep.equal([]);
    expect(logged).to.deep.equal(['leases cannot be renewed', 'leases are renewed again']);
  });

  it('loses leases while the node sleeps, whatever the store answers afterwards', async () => {
    await keeper.claim('acme');
    // the store has prolonged it, and the answer waits while the process is stopped
    leases.onRenew = () => clock.advance(2 * LASTS_MS);
    await pass(LASTS_MS / 3);
    expect(keeper.holds('acme')).to.equal(false);
    expect(lost).to.deep.equal(['acme']);
  });

  it('releases a lease that the store prolonged after the node had lost it', async () => {
    await keeper.claim('acme');
    leases.onRenew = () => {
      clock.advance(USED_MS);
      leases.onRenew = () => undefined;
    };
    await pass(LASTS_MS / 3);
    expect(lost).to.deep.equal(['acme']);
    for (let renewal = 0; renewal < 3; renewal += 1) await pass(LASTS_MS / 3);
    expect(await keeperOf('b').claim('acme')).to.equal(2);
    await pass(LASTS_MS / 3);
    expect(await leases.holder('acme')).to.include({ nodeId: 'b' });
  });

  it('releases a lease when the answer to its claim came too late', async () => {
    const claim = leases.claim.bind(leases);
    leases.claim = async (...args) => {
      const epoch = await claim(...args);
      clock.advance(USED_MS);
      return epoch;
    };
    expect(await keeper.claim('acme')).to.equal(undefined);
    await pass(LASTS_MS / 3);
    expect(await leases.holder('acme')).to.equal(undefined);
  });

  it('keeps a lease whose claim is answered before a later renewal that did not see it', async () => {
    const claim = leases.claim.bind(leases);
    let answerClaim: () => void = () => undefined;
    leases.claim = async (...args) => {
      await new Promise<void>((resolve) => {
        answerClaim = resolve;
      });
      return claim(...args);
    };
    const claimed = keeper.claim('acme');
    const renew = leases.renew.bind(leases);
    leases.renew = async (...args) => {
      const found = await renew(...args);
      answerClaim();
      await claimed;
      return found;
    };
    await pass(LASTS_MS / 3);
    expect(await claimed).to.equal(1);
    expect(lost).to.deep.equal([]);
    leases.renew = renew;
    for (let renewal = 0; renewal < 6; renewal += 1) await pass(LASTS_MS / 3);
    expect(keeper.holds('acme')).to.equal(true);
  });

  it('loses a lease once another node has it', async () => {
    await keeper.claim('acme');
    // the node's clock stands still
    leases.now += LASTS_MS;
    expect(await keeperOf('b').claim('acme')).to.equal(2);
    await pass(LASTS_MS / 3);
    expect(lost).to.deep.equal(['acme']);
    expect(keeper.holds('acme')).to.equal(false);
  });

  it('frees a lease for others as soon as it is released', async () => {
    await keeper.claim('acme');
    await keeper.release('acme');
    expect(keeper.holds('acme')).to.equal(false);
    expect(await keeperOf('b').claim('acme')).to.equal(2);
    expect(lost).to.deep.equal([]);
  });

  it('keeps a lease that is claimed during a renewal', async () => {
    let answer: () => void = () => undefined;
    const renewing = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const renew = leases.renew.bind(leases);
    leases.renew = async (...args) => {
      const held = await renew(...args);
      await renewing;
      return held;
    };
    await pass(LASTS_MS / 3);
    await pass(1);
    await keeper.claim('acme');
    answer();
    await pass(0);
    expect(keeper.holds('acme')).to.equal(true);
    expect(lost).to.deep.equal([]);
  });
});

describe('the table of leases that the model uses', () => {
  let table: LeaseTable;
  beforeEach(() => {
    table = new LeaseTable();
  });

  leasesContract('in memory', () => ({
    leases: table,
    async outlast(ms) {
      table.now += ms;
    },
    async make(clientId) {
      table.sessions.add(clientId);
    },
  }));
});
