import { expect } from 'chai';
import type { SentRecord } from '../../../src/store/store.js';
import { bytes, type StoreHarness, sent, text } from './harness.js';

export function sendsContract(harness: () => StoreHarness): void {
  describe('sends', () => {
    const sends = () => harness().store.sends;
    const readable = (record: SentRecord | undefined) =>
      record && { ...record, content: text(record.content) };

    it('gives back what was put, every field', async () => {
      await sends().put('acme', sent('M1'));
      expect(readable(await sends().get('acme', 'M1'))).to.deep.equal(readable(sent('M1')));
      expect(await sends().get('acme', 'M2')).to.equal(undefined);
      expect(await sends().get('other', 'M1')).to.equal(undefined);
    });

    it('replaces by message id', async () => {
      await sends().put('acme', sent('M1'));
      const second = sent('M1', {
        content: bytes('second'),
        metaData: '',
        acknowledged: true,
        sentAt: 2_000,
      });
      await sends().put('acme', second);
      expect(readable(await sends().get('acme', 'M1'))).to.deep.equal(readable(second));
    });

    it('marks one send as acknowledged', async () => {
      await sends().put('acme', sent('M1'));
      await sends().put('acme', sent('M2'));
      await sends().put('other', sent('M1'));
      await sends().acknowledge('acme', 'M1');
      await sends().acknowledge('acme', 'never there');
      expect(readable(await sends().get('acme', 'M1'))).to.deep.equal(
        readable(sent('M1', { acknowledged: true })),
      );
      expect((await sends().get('acme', 'M2'))?.acknowledged).to.equal(false);
      expect((await sends().get('other', 'M1'))?.acknowledged).to.equal(false);
    });

    it('finds what is open until it is closed, the oldest first', async () => {
      await sends().put('acme', sent('M2', { sentAt: 2_000 }));
      await sends().put('acme', sent('M1', { acknowledged: true }));
      await sends().put('acme', sent('M3', { closed: true }));
      await sends().put('other', sent('M4'));
      const open = await sends().open('acme');
      expect(open.map(readable)).to.deep.equal([
        readable(sent('M1', { acknowledged: true })),
        readable(sent('M2', { sentAt: 2_000 })),
      ]);
      await sends().close('acme', 'M1');
      await sends().close('acme', 'never there');
      expect((await sends().open('acme')).map(({ messageId }) => messageId)).to.deep.equal(['M2']);
      expect((await sends().get('acme', 'M1'))?.closed).to.equal(true);
      expect(await sends().open('other')).to.have.length(1);
    });

    it('opens again what is put anew', async () => {
      await sends().put('acme', sent('M1'));
      await sends().close('acme', 'M1');
      await sends().put('acme', sent('M1'));
      expect(await sends().open('acme')).to.have.length(1);
    });

    it('prunes what was sent before a time', async () => {
      await sends().put('acme', sent('M1', { sentAt: 999 }));
      await sends().put('other', sent('M2', { sentAt: 1 }));
      await sends().put('acme', sent('M3', { sentAt: 1_000 }));
      expect(await sends().prune(1_000)).to.equal(2);
      expect(await sends().get('acme', 'M1')).to.equal(undefined);
      expect((await sends().get('acme', 'M3'))?.sentAt).to.equal(1_000);
    });

    it('copies in and out', async () => {
      const record = sent('M1');
      await sends().put('acme', record);
      record.content.fill(0);
      (await sends().get('acme', 'M1'))?.content.fill(1);
      expect(text((await sends().get('acme', 'M1'))?.content)).to.equal('content M1');
    });
  });
}
