import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { knownKeys } from '../../../../src/gateway/store/sealing/known-keys.js';
import type { KeyStore } from '../../../../src/gateway/store/store.js';
import { Chance } from '../../../support/chance.js';

const ROUNDS = 300;
const AT_ONCE = 12;

/** Keys of one session, in memory. Each call takes effect some turns of the event loop after it began, and ends later still. */
class SlowKeys implements Pick<KeyStore, 'get' | 'commit' | 'clear'> {
  /** All values that a key had, the last one last; undefined while it does not exist. */
  readonly past = new Map<string, (string | undefined)[]>();
  reads = 0;
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  credentials = async () => undefined;
  page = async () => [];

  valuesOf(id: string): (string | undefined)[] {
    const values = this.past.get(id) ?? [undefined];
    this.past.set(id, values);
    return values;
  }

  async get(_clientId: string, _type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    this.reads += 1;
    await this.#turns();
    const found = ids.flatMap((id) => {
      const value = this.valuesOf(id).at(-1);
      return value === undefined ? [] : [[id, Buffer.from(value)] as const];
    });
    await this.#turns();
    return new Map(found);
  }

  async commit(...[, { keys = [] }]: Parameters<KeyStore['commit']>): Promise<void> {
    await this.#turns();
    if (this.#chance.between(1, 5) === 1) throw new Error('the store refuses this commit');
    for (const { id, value } of keys)
      this.valuesOf(id).push(value ? Buffer.from(value).toString() : undefined);
    await this.#turns();
  }

  async clear(): Promise<void> {
    await this.#turns();
    for (const values of this.past.values()) values.push(undefined);
    await this.#turns();
  }

  async #turns(): Promise<void> {
    for (let turn = this.#chance.between(0, 3); turn > 0; turn--) await setImmediate();
  }
}

describe('known keys', () => {
  const chance = new Chance();
  const IDS = ['1', '2', '3'];

  it(`a read returns a value that the key had during the read (seed ${chance.seed})`, async () => {
    const store = new SlowKeys(chance);
    const { keys } = knownKeys(store);
    const read = async () => {
      const before = new Map(IDS.map((id) => [id, store.valuesOf(id).length - 1]));
      const found = await keys.get('acme', 'session', IDS);
      for (const id of IDS) {
        const had = store.valuesOf(id).slice(before.get(id));
        expect(had).to.include(found.get(id) && Buffer.from(found.get(id) ?? '').toString());
      }
    };
    const write = async (round: number) => {
      const value = chance.pick(true, true, false) ? Buffer.from(`value ${round}`) : null;
      const change = { type: 'session', id: chance.pick('1', '2', '3'), value };
      await keys.commit('acme', { keys: [change] }).catch(() => undefined);
    };
    for (let round = 0; round < ROUNDS; round++) {
      const calls = Array.from({ length: AT_ONCE }, async (_, index) => {
        if (chance.between(1, 3) > 1) return read();
        if (chance.between(1, 20) === 1) return keys.clear('acme');
        return write(round * AT_ONCE + index);
      });
      await Promise.all(calls);
      await read();
    }
  });

  it('a key is read once, even if it does not exist', async () => {
    const store = new SlowKeys(chance);
    const { keys } = knownKeys(store);
    store.valuesOf('1').push('value');
    for (let turn = 0; turn < 3; turn++) {
      const found = await keys.get('acme', 'session', ['1', '2']);
      expect([...found.keys()]).to.eql(['1']);
    }
    expect(store.reads).to.equal(1);
  });

  it('a caller that changes the bytes of a key changes no later read', async () => {
    const store = new SlowKeys(chance);
    const { keys } = knownKeys(store);
    store.valuesOf('1').push('value');
    for (let turn = 0; turn < 3; turn++) {
      const value = (await keys.get('acme', 'session', ['1'])).get('1');
      expect(String(Buffer.from(value ?? ''))).to.equal('value');
      value?.fill(0);
    }
  });
});
