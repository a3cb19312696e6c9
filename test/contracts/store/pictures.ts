import { expect } from 'chai';
import type { PictureRecord } from '../../../src/store/store.js';
import type { StoreHarness } from './harness.js';

export function picturesContract(harness: () => StoreHarness): void {
  describe('pictures', () => {
    const pictures = () => harness().store.pictures;
    const get = (jid = '2@lid', preview = true, clientId = 'acme') => pictures().get(clientId, jid, preview);

    it('gives back what was put, every field', async () => {
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

    it('tells pictures apart by session, person and size', async () => {
      await pictures().put('acme', picture());
      await pictures().put('acme', picture({ preview: false, version: 'full' }));
      await pictures().put('other', picture({ version: 'other' }));
      expect((await get())?.version).to.equal('V1');
      expect((await get('2@lid', false))?.version).to.equal('full');
      expect((await get('2@lid', true, 'other'))?.version).to.equal('other');
      expect(await get('4@lid')).to.equal(undefined);
    });

    it('keeps the last', async () => {
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
