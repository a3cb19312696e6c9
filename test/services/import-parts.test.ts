import { expect } from 'chai';
import { GatewayError } from '../../src/domain/errors.js';
import { ImportRig, type PlayedPart, past, saying } from './support/import-rig.js';

describe('the import of parts of the past', () => {
  let rig: ImportRig;
  beforeEach(async () => {
    rig = await ImportRig.start();
  });
  afterEach(() => rig.stop());

  describe('of a part', () => {
    it('that cannot be fetched now tries again, a few times, and leaves it for the next start', async () => {
      let tries = 0;
      await rig.announce(
        'J1',
        failing('media_unfetchable', () => tries++),
      );
      for (const pauseMs of [1_000, 5_000, 30_000, 120_000]) {
        await rig.clock.scheduled(pauseMs);
        rig.clock.advance(pauseMs);
      }
      await rig.imports.idle();
      expect(tries).to.equal(5);
      expect(await rig.open()).to.deep.equal(['J1']);
    });

    it('that can be fetched after all takes it in', async () => {
      let tries = 0;
      const good = saying({ people: [], messages: [past('M1')] });
      const bad = failing('media_unfetchable', () => undefined);
      await rig.announce('J1', { batches: (signal) => (tries++ === 0 ? bad : good).batches(signal) });
      await rig.clock.scheduled(1_000);
      rig.clock.advance(1_000);
      await rig.imports.idle();
      expect(await rig.bodies()).to.deep.equal(['M1']);
      expect(await rig.open()).to.deep.equal([]);
    });

    for (const what of ['media_gone', 'nonsense'] as const) {
      it(`that never can be read (${what}) goes on with the next`, async () => {
        await rig.announce(
          'J1',
          failing(what, () => undefined),
        );
        await rig.announce('J2', saying({ people: [], messages: [past('M1')] }));
        await rig.imports.idle();
        expect(await rig.bodies()).to.deep.equal(['M1']);
        expect(await rig.open()).to.deep.equal([]);
      });
    }

    it('is left to the next owner of its session when this one may not write any more', async () => {
      rig.recorder.add = () => Promise.reject(new GatewayError('session_elsewhere', 'another node has it'));
      await rig.announce('J1', saying({ people: [], messages: [past('M1')] }));
      await rig.imports.idle();
      expect(await rig.open()).to.deep.equal(['J1']);
    });

    it('that is announced again meanwhile takes it in once', async () => {
      let reads = 0;
      const part = saying({ people: [], messages: [past('M1')] });
      await rig.announce('J1', {
        batches(signal) {
          reads += 1;
          rig.imports.take({ clientId: 'acme', record: rig.record }, 'J1');
          return part.batches(signal);
        },
      });
      await rig.imports.idle();
      expect(reads).to.equal(1);
    });

    it('reads nothing of another account, or without a workspace', async () => {
      const read = () => {
        throw new Error('it was read');
      };
      await rig.announce('J1', { account: { pn: '15550000009' }, batches: read });
      await rig.imports.idle();
      rig.record.orgId = '';
      await rig.announce('J2', { batches: read });
      await rig.imports.idle();
      expect(await rig.open()).to.deep.equal([]);
      expect(await rig.store.history.rooms('acme')).to.deep.equal([]);
    });

    it('stops when the workspace is taken away', async () => {
      await rig.announce('J1', {
        async *batches() {
          yield { people: [], messages: [past('M1')] };
          rig.record.orgId = '';
          yield { people: [], messages: [past('M2')] };
        },
      });
      await rig.imports.idle();
      expect(await rig.bodies()).to.deep.equal(['M1']);
      expect(await rig.open()).to.deep.equal([]);
    });

    it('begins again with it after a stop in the middle', async () => {
      const messages = [past('M1'), past('M2')];
      let stopped: Promise<void> | undefined;
      await rig.announce('J1', {
        async *batches() {
          yield { people: [], messages: messages.slice(0, 1) };
          stopped = rig.imports.stop();
          yield { people: [], messages: messages.slice(1) };
        },
      });
      while (!stopped) await new Promise(setImmediate);
      await stopped;
      expect(await rig.bodies()).to.deep.equal(['M1']);
      expect(await rig.open()).to.deep.equal(['J1']);
      rig.restart();
      await rig.journal('J1', saying({ people: [], messages }));
      rig.resume('J1');
      await rig.imports.idle();
      expect(await rig.bodies()).to.have.members(['M1', 'M2']);
      expect(await rig.open()).to.deep.equal([]);
    });
  });

  it('reads a few parts at a time, of however many sessions, and those of one session in their order', async () => {
    const order: string[] = [];
    let reading = 0;
    let most = 0;
    const watched = (name: string): PlayedPart => ({
      async *batches() {
        most = Math.max(most, ++reading);
        order.push(name);
        await new Promise(setImmediate);
        yield { people: [], messages: [] };
        reading -= 1;
      },
    });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const session = { ...rig.record, clientId: name };
      await rig.store.sessions.create(session);
      for (const id of [`${name}1`, `${name}2`]) await rig.announce(id, watched(id), session);
    }
    await rig.imports.idle();
    expect(order).to.have.length(10);
    expect(most).to.equal(2);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      expect(order.indexOf(`${name}1`)).to.be.lessThan(order.indexOf(`${name}2`));
    }
  });

  it('lets others have their turn between two messages', async () => {
    const messages = Array.from({ length: 100 }, (_, index) => past(`M${index}`));
    let turns = 0;
    let done = false;
    const count = () => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    await rig.announce('J1', saying({ people: [], messages }));
    setImmediate(count);
    await rig.imports.idle();
    done = true;
    expect(turns).to.be.at.least(messages.length);
  });
});

function failing(what: 'media_gone' | 'media_unfetchable' | 'nonsense', onTry: () => void): PlayedPart {
  return {
    // biome-ignore lint/correctness/useYield: it fails before there is anything
    async *batches() {
      onTry();
      throw what === 'nonsense' ? new Error('it is no history') : new GatewayError(what, 'not there');
    },
  };
}
