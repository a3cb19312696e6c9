import { expect } from 'chai';
import { idempotent, type StoreHarness } from './harness.js';

export function idempotencyContract(harness: () => StoreHarness): void {
  describe('idempotency', () => {
    const idempotency = () => harness().store.idempotency;

    it('gives the first claim back to everybody', async () => {
      const first = idempotent('k1', { messageId: 'M1' });
      expect(await idempotency().claim('acme', first)).to.deep.equal(first);
      const second = idempotent('k1', { messageId: 'M2', fingerprint: 'f2', createdAt: 2_000 });
      expect(await idempotency().claim('acme', second)).to.deep.equal(first);
    });

    it('has one winner of many at the same time', async () => {
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          idempotency().claim('acme', idempotent('k1', { messageId: `M${n}` })),
        ),
      );
      const winners = claims.filter(({ messageId }, n) => messageId === `M${n}`);
      expect(winners).to.have.length(1);
      expect(new Set(claims.map(({ messageId }) => messageId)).size).to.equal(1);
    });

    it('keeps keys of sessions apart', async () => {
      await idempotency().claim('acme', idempotent('k1', { messageId: 'M1' }));
      const other = await idempotency().claim('other', idempotent('k1', { messageId: 'M2' }));
      expect(other.messageId).to.equal('M2');
    });

    it('keeps the answer', async () => {
      await idempotency().claim('acme', idempotent('k1'));
      await idempotency().claim('acme', idempotent('k2'));
      await idempotency().answer('acme', 'k1', '{"messageId":"M-k1"}');
      await idempotency().answer('acme', 'never claimed', '{}');
      expect(await idempotency().claim('acme', idempotent('k1', { messageId: 'M2' }))).to.deep.equal(
        idempotent('k1', { answer: '{"messageId":"M-k1"}' }),
      );
      expect((await idempotency().claim('acme', idempotent('k2'))).answer).to.equal('');
      expect((await idempotency().claim('acme', idempotent('never claimed'))).answer).to.equal('');
    });

    it('prunes what was claimed before a time, so that the key is free again', async () => {
      await idempotency().claim('acme', idempotent('k1', { createdAt: 999 }));
      await idempotency().claim('acme', idempotent('k2', { createdAt: 1_000 }));
      expect(await idempotency().prune(1_000)).to.equal(1);
      const again = await idempotency().claim('acme', idempotent('k1', { messageId: 'new' }));
      expect(again.messageId).to.equal('new');
      const kept = await idempotency().claim('acme', idempotent('k2', { messageId: 'new' }));
      expect(kept.messageId).to.equal('M-k2');
    });

    it('copies out', async () => {
      const record = idempotent('k1');
      const claimed = await idempotency().claim('acme', record);
      claimed.answer = 'changed';
      expect(record.answer).to.equal('');
      expect((await idempotency().claim('acme', idempotent('k1'))).answer).to.equal('');
    });
  });
}
