import { expect } from 'chai';
import type { Contact, PictureRecord } from '../../../src/gateway/store/store.js';
import { contact, type StoreHarness } from './harness.js';

const EMPTY: Contact = {
  lid: '',
  pn: '',
  name: '',
  pushName: '',
  username: '',
  source: 'message',
  learntAt: 1_000,
};

export function contactsContract(harness: () => StoreHarness): void {
  describe('contacts', () => {
    const learn = (fields: Partial<Contact>, clientId = 'acme') =>
      harness().store.contacts.learn(clientId, contact(fields));
    const find = (by: { lid?: string; pn?: string }, clientId = 'acme') =>
      harness().store.contacts.find(clientId, by);

    it('finds a person by either address', async () => {
      const learnt = await learn({ lid: 'L1', pn: 'P1', pushName: 'Ann', username: 'ann', name: 'Ann A.' });
      const ann = { ...EMPTY, lid: 'L1', pn: 'P1', pushName: 'Ann', username: 'ann', name: 'Ann A.' };
      expect(learnt).to.deep.equal(ann);
      expect(await find({ lid: 'L1' })).to.deep.equal(ann);
      expect(await find({ pn: 'P1' })).to.deep.equal(ann);
      expect(await find({ lid: 'unknown', pn: 'P1' })).to.deep.equal(ann);
    });

    it('finds no one under an unknown or empty address, or in another session', async () => {
      await learn({ lid: 'L1' });
      await learn({ pn: 'P2' });
      expect(await find({ lid: 'P2' })).to.equal(undefined);
      expect(await find({ lid: '', pn: '' })).to.equal(undefined);
      expect(await find({})).to.equal(undefined);
      expect(await find({ lid: 'L1' }, 'other')).to.equal(undefined);
    });

    it('lists the people of the address book of a session', async () => {
      await learn({ lid: 'L1', pn: 'P1', name: 'Ann A.' });
      await learn({ pn: 'P2', name: 'Bob B.' });
      await learn({ lid: 'L3', pushName: 'a stranger' });
      await learn({ lid: 'L4', name: 'Dan D.' }, 'other');
      const { contacts } = harness().store;
      const names = (await contacts.named('acme')).map(({ lid, pn, name }) => [lid, pn, name]);
      expect(names).to.have.deep.members([
        ['L1', 'P1', 'Ann A.'],
        ['', 'P2', 'Bob B.'],
      ]);
      expect(await contacts.named('nobody')).to.deep.equal([]);
    });

    it('lists a person once whose LID and number were first known apart', async () => {
      await learn({ lid: 'L1', pushName: 'Ann' });
      await learn({ pn: 'P1', name: 'Ann A.' });
      const { contacts } = harness().store;
      const listed = async () => (await contacts.named('acme')).map(({ lid, pn }) => [lid, pn]);
      expect(await listed()).to.deep.equal([['', 'P1']]);
      await learn({ lid: 'L1', pn: 'P1' });
      expect(await listed()).to.deep.equal([['L1', 'P1']]);
    });

    it('replaces fields by non-empty ones only', async () => {
      await learn({ lid: 'L1', pn: 'P1', pushName: 'Ann', name: 'A' });
      await learn({ lid: 'L1', pn: '', pushName: 'Annie', name: '' });
      expect(await find({ lid: 'L1' })).to.deep.equal({
        ...EMPTY,
        lid: 'L1',
        pn: 'P1',
        pushName: 'Annie',
        name: 'A',
      });
    });

    it('merges a LID, a number, and the pair of both into one person', async () => {
      await learn({ lid: 'L1', pushName: 'old name', username: 'ann', learntAt: 1 });
      await learn({ pn: 'P1', pushName: 'new name', name: 'Ann A.', learntAt: 2 });
      const merged = await learn({ lid: 'L1', pn: 'P1', source: 'lookup', learntAt: 3 });
      expect(merged).to.deep.equal({
        lid: 'L1',
        pn: 'P1',
        name: 'Ann A.',
        pushName: 'new name',
        username: 'ann',
        source: 'lookup',
        learntAt: 3,
      });
      expect(await find({ lid: 'L1' })).to.deep.equal(merged);
      expect(await find({ pn: 'P1' })).to.deep.equal(merged);
    });

    it('completes a person with one known address', async () => {
      await learn({ pn: 'P1', name: 'Ann' });
      await learn({ lid: 'L1', pn: 'P1', learntAt: 2_000, source: 'history' });
      const ann = { ...EMPTY, lid: 'L1', pn: 'P1', name: 'Ann', learntAt: 2_000, source: 'history' };
      expect(await find({ lid: 'L1' })).to.deep.equal(ann);
      expect(await find({ pn: 'P1' })).to.deep.equal(ann);
    });

    it('keeps the source from which a pair was first learnt', async () => {
      await learn({ lid: 'L1', pn: 'P1', source: 'lookup', learntAt: 1 });
      await learn({ lid: 'L1', pn: 'P1', source: 'message', learntAt: 2, pushName: 'Ann' });
      const found = await find({ lid: 'L1' });
      expect(found).to.include({ source: 'lookup', learntAt: 1, pushName: 'Ann' });
    });

    it('follows a person to a new number', async () => {
      await learn({ lid: 'L1', pn: 'P1', name: 'Ann' });
      await learn({ lid: 'L1', pn: 'P2' });
      expect(await find({ pn: 'P1' })).to.equal(undefined);
      expect(await find({ pn: 'P2' })).to.include({ lid: 'L1', name: 'Ann' });
    });

    it('gives a moved number to its new owner, without the names of the old one', async () => {
      await learn({ lid: 'L1', pn: 'P1', name: 'Ann' });
      await learn({ lid: 'L2', pn: 'P2', name: 'Bob' });
      await learn({ lid: 'L2', pn: 'P1' });
      expect(await find({ pn: 'P1' })).to.include({ lid: 'L2', name: 'Bob' });
      expect(await find({ lid: 'L1' })).to.include({ pn: '', name: 'Ann' });
      expect(await find({ pn: 'P2' })).to.equal(undefined);
    });

    it('gives a moved number to an unknown person', async () => {
      await learn({ lid: 'L1', pn: 'P1', name: 'Ann' });
      await learn({ lid: 'L2', pn: 'P1' });
      expect(await find({ pn: 'P1' })).to.include({ lid: 'L2', name: '' });
      expect(await find({ lid: 'L1' })).to.include({ pn: '', name: 'Ann' });
    });

    it('keeps one person of many concurrent writes', async () => {
      await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          learn([{ lid: 'L1' }, { pn: 'P1' }, { lid: 'L1', pn: 'P1' }][n % 3] ?? {}),
        ),
      );
      const found = await find({ lid: 'L1' });
      expect(found).to.include({ lid: 'L1', pn: 'P1' });
      expect(await find({ pn: 'P1' })).to.deep.equal(found);
    });

    it('refuses a person without an address', async () => {
      const outcome = await learn({ name: 'Ann' }).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(TypeError);
    });

    it('returns copies', async () => {
      const learnt = await learn({ lid: 'L1', name: 'Ann' });
      learnt.name = 'changed';
      const found = await find({ lid: 'L1' });
      if (found) found.name = 'changed';
      expect((await find({ lid: 'L1' }))?.name).to.equal('Ann');
    });
  });
}

export function picturesContract(harness: () => StoreHarness): void {
  describe('pictures', () => {
    const pictures = () => harness().store.pictures;
    const get = (jid = '2@lid', preview = true, clientId = 'acme') => pictures().get(clientId, jid, preview);

    it('returns every field of a stored picture', async () => {
      const none = picture({
        jid: '3@lid',
        version: '',
        url: '',
        fileId: '',
        reason: 'hidden',
        fetchedAt: 0,
      });
      await pictures().put('acme', picture());
      await pictures().put('acme', none);
      expect(await get()).to.deep.equal(picture());
      expect(await get('3@lid')).to.deep.equal(none);
    });

    it('stores pictures by session, person and size', async () => {
      await pictures().put('acme', picture());
      await pictures().put('acme', picture({ preview: false, version: 'full' }));
      await pictures().put('other', picture({ version: 'other' }));
      expect((await get())?.version).to.equal('V1');
      expect((await get('2@lid', false))?.version).to.equal('full');
      expect((await get('2@lid', true, 'other'))?.version).to.equal('other');
      expect(await get('4@lid')).to.equal(undefined);
    });

    it('keeps the last picture', async () => {
      await Promise.all([1, 2, 3].map((n) => pictures().put('acme', picture({ version: `V${n}` }))));
      const last = picture({ version: 'V9', url: 'https://pps.example/9', fileId: '', fetchedAt: 9_000 });
      await pictures().put('acme', last);
      expect(await get()).to.deep.equal(last);
    });
  });
}

export function picture(fields: Partial<PictureRecord> = {}): PictureRecord {
  return {
    jid: '2@lid',
    preview: true,
    version: 'V1',
    url: 'https://pps.example/1?sig=s',
    fileId: 'F1',
    reason: '',
    fetchedAt: 1_000,
    ...fields,
  };
}
