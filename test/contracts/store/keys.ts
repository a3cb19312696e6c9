import { expect } from 'chai';
import type { JournalEntry, KeyChange } from '../../../src/domain/signal-state.js';
import type { Backend } from '../../../src/gateway/store/store.js';
import { bytes, entry, type StoreFactory, type StoreHarness, text } from './harness.js';

export function keysContract(harness: () => StoreHarness): void {
  describe('keys', () => {
    const store = () => harness().store;
    const keys = () => store().keys;
    const texts = async (type: string, ids: string[], clientId = 'acme') =>
      [...(await keys().get(clientId, type, ids))].map(([id, value]) => [id, text(value)]).sort();

    it('returns committed keys', async () => {
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

    it('returns existing ids only', async () => {
      await keys().commit('acme', { keys: [{ type: 'session', id: 'a', value: bytes('A') }] });
      expect(await texts('session', ['b', 'a', 'c'])).to.deep.equal([['a', 'A']]);
      expect(await texts('session', [])).to.deep.equal([]);
      expect(await texts('sender-key', ['a'])).to.deep.equal([]);
      expect(await texts('session', ['a'], 'other')).to.deep.equal([]);
      expect(await keys().credentials('acme')).to.equal(undefined);
    });

    it('replaces keys, deletes them with null, and leaves the others unchanged', async () => {
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

    it('lists keys in pages, by family and id, without credentials and deleted keys', async () => {
      const written = ['b', 'a', 'c', 'gone'].map((id) => ({ type: 'session', id, value: bytes(id) }));
      const other = { type: 'pre-key', id: 'z', value: bytes('z') };
      await keys().commit('acme', { credentials: bytes('creds'), keys: [...written, other] });
      await keys().commit('acme', { keys: [{ type: 'session', id: 'gone', value: null }] });
      await keys().commit('beta', { keys: [{ type: 'session', id: 'a', value: bytes('of another') }] });
      const first = await keys().page('acme', undefined, 2);
      const rest = await keys().page('acme', first.at(-1), 10);
      const shown = [...first, ...rest].map(({ type, id, value }) => [type, id, text(value)]);
      expect(first).to.have.lengthOf(2);
      expect(shown).to.deep.equal([
        ['pre-key', 'z', 'z'],
        ['session', 'a', 'a'],
        ['session', 'b', 'b'],
        ['session', 'c', 'c'],
      ]);
      expect(await keys().page('acme', rest.at(-1), 10)).to.deep.equal([]);
    });

    it('keeps the last change of a key', async () => {
      const change = (value: Uint8Array | null): KeyChange => ({ type: 'session', id: 'a', value });
      await keys().commit('acme', { keys: [change(bytes('1')), change(null), change(bytes('2'))] });
      expect(await texts('session', ['a'])).to.deep.equal([['a', '2']]);
    });

    it('keeps ids of any shape apart', async () => {
      const ids = ['123::1.0', '123:1::1.0', 'a.b$c', 'ü', ' ', 'A', 'a', '__proto__', '100'];
      await keys().commit('acme', { keys: ids.map((id) => ({ type: 'sender-key', id, value: bytes(id) })) });
      expect(await texts('sender-key', ids)).to.deep.equal(ids.map((id) => [id, id]).sort());
    });

    it('accepts a thousand keys in one commit, and empty and large values', async () => {
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

    it('pairs again after clearing', async () => {
      await keys().commit('acme', { credentials: bytes('old') });
      await keys().clear('acme');
      await keys().commit('acme', { credentials: bytes('new') });
      expect(text(await keys().credentials('acme'))).to.equal('new');
    });

    it('stores and returns copies', async () => {
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

export function journalContract(harness: () => StoreHarness): void {
  describe('journal', () => {
    const journal = () => harness().store.journal;
    const add = (clientId: string, ...entries: JournalEntry[]) =>
      harness().store.keys.commit(clientId, { journal: entries });
    const openIds = async (clientId: string) => (await journal().open(clientId)).map(({ id }) => id);

    it('returns every field of an entry', async () => {
      await add('acme', entry('h1', { stanza: new Uint8Array() }));
      const got = await journal().get('acme', 'h1');
      expect(got && { ...got, plain: text(got.plain), stanza: text(got.stanza) }).to.deep.equal({
        ...entry('h1'),
        plain: 'plain h1',
        stanza: '',
      });
      expect(await journal().get('acme', 'h2')).to.equal(undefined);
      expect(await journal().get('other', 'h1')).to.equal(undefined);
    });

    it('lists the open entries of a session in the order of their commits, whatever the clocks of its nodes said', async () => {
      await add('acme', entry('first', { receivedAt: 30 }), entry('second', { receivedAt: 10 }));
      await add('acme', entry('third', { receivedAt: 20 }));
      await add('other', entry('foreign'));
      expect(await openIds('acme')).to.deep.equal(['first', 'second', 'third']);
    });

    it('lists the newest entries since a time, open and closed', async () => {
      const times = { h1: 10, h2: 20, h3: 30, h4: 40 };
      for (const [id, receivedAt] of Object.entries(times)) await add('acme', entry(id, { receivedAt }));
      await add('other', entry('foreign', { receivedAt: 40 }));
      await journal().close('acme', ['h3'], 2_000);
      const idsSince = async (at: number, limit: number) =>
        (await journal().since('acme', at, limit)).map(({ id }) => id);
      expect(await idsSince(20, 10)).to.deep.equal(['h4', 'h3', 'h2']);
      expect(await idsSince(20, 2)).to.deep.equal(['h4', 'h3']);
    });

    it('finds the entries of a message, open and closed', async () => {
      await add('acme', entry('h1', { messageId: 'm1' }), entry('h2', { messageId: 'm2' }));
      await add('acme', entry('h3', { messageId: 'm1' }));
      await add('other', entry('h4', { messageId: 'm1' }));
      await journal().close('acme', ['h1'], 2_000);
      const found = await journal().ofMessage('acme', 'm1');
      expect(new Map(found.map(({ id, closedAt }) => [id, closedAt]))).to.deep.equal(
        new Map([
          ['h1', 2_000],
          ['h3', undefined],
        ]),
      );
      expect(found.map(({ plain }) => text(plain)).sort()).to.deep.equal(['plain h1', 'plain h3']);
      expect(await journal().ofMessage('acme', 'm3')).to.deep.equal([]);
    });

    it('counts open entries of one session and of all', async () => {
      await add('acme', entry('h1'), entry('h2'));
      await add('other', entry('h1'));
      await journal().close('acme', ['h1'], 2_000);
      expect(await journal().countOpen('acme')).to.equal(1);
      expect(await journal().countOpen('nobody')).to.equal(0);
      expect(await journal().countOpen()).to.equal(2);
    });

    it('closes entries, and keeps them with their content', async () => {
      await add('acme', entry('h1'), entry('h2'), entry('h3'));
      await journal().close('acme', ['h1', 'h3', 'never there'], 2_000);
      expect(await openIds('acme')).to.deep.equal(['h2']);
      const closed = await journal().get('acme', 'h1');
      expect(closed?.closedAt).to.equal(2_000);
      expect(text(closed?.plain)).to.equal('plain h1');
    });

    it('keeps the time of the first closing, and leaves other sessions open', async () => {
      await add('acme', entry('h1'));
      await add('other', entry('h1'));
      await journal().close('acme', ['h1'], 2_000);
      await journal().close('acme', ['h1'], 3_000);
      expect((await journal().get('acme', 'h1'))?.closedAt).to.equal(2_000);
      expect(await openIds('other')).to.deep.equal(['h1']);
    });

    it('ignores an entry that is committed again', async () => {
      await add('acme', entry('h1'));
      await journal().close('acme', ['h1'], 2_000);
      await add('acme', entry('h1', { plain: bytes('again') }));
      expect(await openIds('acme')).to.deep.equal([]);
      expect(text((await journal().get('acme', 'h1'))?.plain)).to.equal('plain h1');
    });

    it('prunes entries that were closed before a time, and no open ones', async () => {
      await add('acme', entry('h1'), entry('h2'), entry('h3'), entry('open', { receivedAt: 1 }));
      await journal().close('acme', ['h1'], 1_000);
      await journal().close('acme', ['h2'], 1_999);
      await journal().close('acme', ['h3'], 2_000);
      expect(await journal().prune(2_000)).to.equal(2);
      expect(await journal().prune(2_000)).to.equal(0);
      expect(await journal().get('acme', 'h2')).to.equal(undefined);
      expect((await journal().get('acme', 'h3'))?.closedAt).to.equal(2_000);
      expect(await openIds('acme')).to.deep.equal(['open']);
    });

    it('stores and returns copies', async () => {
      const given = entry('h1');
      await add('acme', given);
      given.plain.fill(0);
      (await journal().get('acme', 'h1'))?.plain.fill(1);
      const [open] = await journal().open('acme');
      open?.stanza.fill(1);
      const got = await journal().get('acme', 'h1');
      expect([text(got?.plain), text(got?.stanza)]).to.deep.equal(['plain h1', 'stanza h1']);
    });
  });
}

/** The contract of every back end for data keys. */
export function dataKeysContract(name: string, factory: StoreFactory<Backend>): void {
  describe(`data keys contract: ${name}`, () => {
    let harness: StoreHarness<Backend>;
    beforeEach(async () => {
      harness = await factory();
    });
    afterEach(() => harness.destroy());
    const dataKeys = () => harness.store.dataKeys;
    const all = async () =>
      [...(await dataKeys().list())].map(([clientId, wrapped]) => [clientId, text(wrapped)]).sort();

    it('keeps the first key of a session, and reports which one', async () => {
      expect(await dataKeys().get('acme')).to.equal(undefined);
      expect(text(await dataKeys().putIfAbsent('acme', bytes('first')))).to.equal('first');
      expect(text(await dataKeys().putIfAbsent('acme', bytes('second')))).to.equal('first');
      expect(text(await dataKeys().get('acme'))).to.equal('first');
    });

    it('keeps one key of many concurrent ones', async () => {
      const kept = await Promise.all(
        Array.from({ length: 20 }, (_, n) => dataKeys().putIfAbsent('acme', bytes(`key ${n}`))),
      );
      expect(new Set(kept.map(text)).size).to.equal(1);
    });

    it('replaces the key, and restores no old data', async () => {
      await dataKeys().putIfAbsent('', bytes('own'));
      await dataKeys().putIfAbsent('acme', bytes('old'));
      await dataKeys().replace(
        new Map([
          ['acme', bytes('new')],
          ['gone', bytes('new')],
        ]),
      );
      expect(await all()).to.deep.equal([
        ['', 'own'],
        ['acme', 'new'],
      ]);
    });

    it('deletes the key with its session, and keeps the others', async () => {
      for (const clientId of ['', 'acme', 'other'])
        await dataKeys().putIfAbsent(clientId, bytes(`of ${clientId}`));
      await harness.store.forget('acme');
      expect(await all()).to.deep.equal([
        ['', 'of '],
        ['other', 'of other'],
      ]);
    });
  });
}
