import { expect } from 'chai';
import type { JournalEntry } from '../../../src/domain/signal-state.js';
import { bytes, entry, type StoreHarness, text } from './harness.js';

export function journalContract(harness: () => StoreHarness): void {
  describe('journal', () => {
    const journal = () => harness().store.journal;
    const add = (clientId: string, ...entries: JournalEntry[]) =>
      harness().store.keys.commit(clientId, { journal: entries });
    const openIds = async (clientId: string) => (await journal().open(clientId)).map(({ id }) => id);

    it('gives back an entry, every field', async () => {
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

    it('lists open entries, oldest first, of one session', async () => {
      await add('acme', entry('late', { receivedAt: 30 }), entry('early', { receivedAt: 10 }));
      await add('acme', entry('middle', { receivedAt: 20 }));
      await add('other', entry('foreign'));
      expect(await openIds('acme')).to.deep.equal(['early', 'middle', 'late']);
    });

    it('counts open entries of one session and of all', async () => {
      await add('acme', entry('h1'), entry('h2'));
      await add('other', entry('h1'));
      await journal().close('acme', ['h1'], 2_000);
      expect(await journal().countOpen('acme')).to.equal(1);
      expect(await journal().countOpen('nobody')).to.equal(0);
      expect(await journal().countOpen()).to.equal(2);
    });

    it('closes entries and still knows them, with their content', async () => {
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

    it('does not reopen or change an entry that comes again', async () => {
      await add('acme', entry('h1'));
      await journal().close('acme', ['h1'], 2_000);
      await add('acme', entry('h1', { plain: bytes('again') }));
      expect(await openIds('acme')).to.deep.equal([]);
      expect(text((await journal().get('acme', 'h1'))?.plain)).to.equal('plain h1');
    });

    it('prunes what was closed before a time, never what is open', async () => {
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

    it('copies in and out', async () => {
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
