import { expect } from 'chai';
import type { KeyChange } from '../../../src/domain/signal-state.js';
import { bytes, entry, type StoreHarness, text } from './harness.js';

export function keysContract(harness: () => StoreHarness): void {
  describe('keys', () => {
    const store = () => harness().store;
    const keys = () => store().keys;
    const texts = async (type: string, ids: string[], clientId = 'acme') =>
      [...(await keys().get(clientId, type, ids))].map(([id, value]) => [id, text(value)]).sort();

    it('gives back what was committed', async () => {
      await keys().commit('acme', {
        credentials: bytes('creds'),
        keys: [
          { type: 'session', id: '1.0', value: bytes('one') },
          { type: 'pre-key', id: '1.0', value: bytes('another type') },
        ],
      });
      expect(text(await keys().credentials('acme'))).to.equal('creds');
      expect(await texts('session', ['1.0'])).to.deep.equal([['1.0', 'one']]);
      expect(await texts('pre-key', ['1.0'])).to.deep.equal([['1.0', 'another type']]);
    });

    it('answers with the ids that exist, only', async () => {
      await keys().commit('acme', { keys: [{ type: 'session', id: 'a', value: bytes('A') }] });
      expect(await texts('session', ['b', 'a', 'c'])).to.deep.equal([['a', 'A']]);
      expect(await texts('session', [])).to.deep.equal([]);
      expect(await texts('sender-key', ['a'])).to.deep.equal([]);
      expect(await texts('session', ['a'], 'other')).to.deep.equal([]);
      expect(await keys().credentials('acme')).to.equal(undefined);
    });

    it('replaces, deletes with null, and leaves what is not named', async () => {
      await keys().commit('acme', {
        credentials: bytes('creds'),
        keys: ['a', 'b', 'c'].map((id) => ({ type: 'session', id, value: bytes('old') })),
      });
      await keys().commit('acme', {
        keys: [
          { type: 'session', id: 'a', value: bytes('new') },
          { type: 'session', id: 'b', value: null },
          { type: 'session', id: 'never there', value: null },
        ],
      });
      expect(await texts('session', ['a', 'b', 'c'])).to.deep.equal([
        ['a', 'new'],
        ['c', 'old'],
      ]);
      expect(text(await keys().credentials('acme'))).to.equal('creds');
    });

    it('lets the last change of one key win', async () => {
      const change = (value: Uint8Array | null): KeyChange => ({ type: 'session', id: 'a', value });
      await keys().commit('acme', { keys: [change(bytes('1')), change(null), change(bytes('2'))] });
      expect(await texts('session', ['a'])).to.deep.equal([['a', '2']]);
    });

    it('keeps ids of any shape apart', async () => {
      const ids = ['123::1.0', '123:1::1.0', 'a.b$c', 'ü', ' ', 'A', 'a', '__proto__', '100'];
      await keys().commit('acme', { keys: ids.map((id) => ({ type: 'sender-key', id, value: bytes(id) })) });
      expect(await texts('sender-key', ids)).to.deep.equal(ids.map((id) => [id, id]).sort());
    });

    it('takes a thousand keys in one commit, and empty and large values', async () => {
      const many = Array.from({ length: 1_000 }, (_, n) => ({
        type: 'pre-key',
        id: String(n),
        value: bytes(`k${n}`),
      }));
      const large = new Uint8Array(300_000).fill(9);
      await keys().commit('acme', {
        keys: [
          ...many,
          { type: 'x', id: 'empty', value: new Uint8Array() },
          { type: 'x', id: 'large', value: large },
        ],
      });
      const found = await keys().get(
        'acme',
        'pre-key',
        many.map(({ id }) => id),
      );
      expect(found.size).to.equal(1_000);
      expect(text(found.get('999'))).to.equal('k999');
      const others = await keys().get('acme', 'x', ['empty', 'large']);
      expect(others.get('empty')?.length).to.equal(0);
      expect(Buffer.from(large).equals(others.get('large') ?? bytes(''))).to.equal(true);
    });

    it('commits credentials, keys and journal together', async () => {
      await keys().commit('acme', {
        credentials: bytes('creds'),
        keys: [{ type: 'session', id: 'a', value: bytes('A') }],
        journal: [entry('h1')],
      });
      expect(text(await keys().credentials('acme'))).to.equal('creds');
      expect(await texts('session', ['a'])).to.deep.equal([['a', 'A']]);
      expect((await store().journal.open('acme')).map(({ id }) => id)).to.deep.equal(['h1']);
    });

    it('commits all or nothing', async () => {
      await keys().commit('acme', {
        credentials: bytes('before'),
        keys: [{ type: 'session', id: 'a', value: bytes('before') }],
      });
      const failing: KeyChange = {
        type: 'session',
        id: 'b',
        get value(): Uint8Array {
          throw new Error('interrupted');
        },
      };
      const outcome = await keys()
        .commit('acme', {
          credentials: bytes('after'),
          keys: [{ type: 'session', id: 'a', value: bytes('after') }, failing],
          journal: [entry('h1')],
        })
        .catch((error: Error) => error.message);
      expect(outcome).to.equal('interrupted');
      expect(text(await keys().credentials('acme'))).to.equal('before');
      expect(await texts('session', ['a', 'b'])).to.deep.equal([['a', 'before']]);
      expect(await store().journal.open('acme')).to.deep.equal([]);
    });

    it('clears credentials and keys, and leaves the journal and other sessions', async () => {
      for (const clientId of ['acme', 'other']) {
        await keys().commit(clientId, {
          credentials: bytes('creds'),
          keys: [{ type: 'session', id: 'a', value: bytes('A') }],
          journal: [entry('h1')],
        });
      }
      await keys().clear('acme');
      expect(await keys().credentials('acme')).to.equal(undefined);
      expect(await texts('session', ['a'])).to.deep.equal([]);
      expect(await store().journal.countOpen('acme')).to.equal(1);
      expect(text(await keys().credentials('other'))).to.equal('creds');
      expect(await texts('session', ['a'], 'other')).to.deep.equal([['a', 'A']]);
    });

    it('pairs afresh after clearing', async () => {
      await keys().commit('acme', { credentials: bytes('old') });
      await keys().clear('acme');
      await keys().commit('acme', { credentials: bytes('new') });
      expect(text(await keys().credentials('acme'))).to.equal('new');
    });

    it('copies in and out', async () => {
      const value = bytes('value');
      await keys().commit('acme', { credentials: value, keys: [{ type: 'session', id: 'a', value }] });
      value.fill(0);
      (await keys().credentials('acme'))?.fill(1);
      const found = await keys().get('acme', 'session', ['a']);
      found.get('a')?.fill(1);
      found.delete('a');
      expect(text(await keys().credentials('acme'))).to.equal('value');
      expect(await texts('session', ['a'])).to.deep.equal([['a', 'value']]);
    });
  });
}
