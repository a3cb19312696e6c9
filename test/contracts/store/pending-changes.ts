import { expect } from 'chai';
import { pendingChange, type StoreHarness } from './harness.js';

export function pendingChangesContract(harness: () => StoreHarness): void {
  describe('pending changes', () => {
    const history = () => harness().store.history;
    const pending = (targetId = 'M1', chatRoomId = 'acme-1-2', clientId = 'acme') =>
      history().pending(clientId, chatRoomId, targetId);

    it('gives back what was added, every field', async () => {
      await history().addPending('acme', pendingChange('C1'));
      expect(await pending()).to.deep.equal([pendingChange('C1')]);
    });

    it('keeps those of other messages, rooms and sessions apart', async () => {
      await history().addPending('acme', pendingChange('C1'));
      await history().addPending('acme', pendingChange('C1', { targetId: 'M2' }));
      await history().addPending('acme', pendingChange('C1', { chatRoomId: 'acme-1-3' }));
      await history().addPending('other', pendingChange('C1', { at: 9 }));
      expect(await pending()).to.deep.equal([pendingChange('C1')]);
      expect(await pending('M2')).to.deep.equal([pendingChange('C1', { targetId: 'M2' })]);
      expect(await pending('M1', 'acme-1-3')).to.have.length(1);
      expect(await pending('M1', 'acme-1-2', 'other')).to.deep.equal([pendingChange('C1', { at: 9 })]);
      expect(await pending('never there')).to.deep.equal([]);
    });

    it('answers by time, and by their coming where that is the same', async () => {
      for (const [id, at] of Object.entries({ C3: 30, C1: 10, B2: 20, A2: 20 })) {
        await history().addPending('acme', pendingChange(id, { at }));
      }
      expect((await pending()).map(({ messageId }) => messageId)).to.deep.equal(['C1', 'B2', 'A2', 'C3']);
    });

    it('keeps the same change once, as it came first', async () => {
      await history().addPending('acme', pendingChange('C1'));
      await Promise.all(
        [2_000, 3_000].map((at) => history().addPending('acme', pendingChange('C1', { at, change: {} }))),
      );
      expect(await pending()).to.deep.equal([pendingChange('C1')]);
    });

    it('stays until it is removed, with all others of that message', async () => {
      for (const id of ['C1', 'C2']) await history().addPending('acme', pendingChange(id));
      await history().addPending('acme', pendingChange('C3', { targetId: 'M2' }));
      await pending();
      expect(await pending()).to.have.length(2);
      await history().removePending('acme', 'acme-1-2', 'M1');
      await history().removePending('acme', 'acme-1-2', 'never there');
      expect(await pending()).to.deep.equal([]);
      expect(await pending('M2')).to.have.length(1);
    });

    it('is told of by its message, each once', async () => {
      for (const id of ['C1', 'C2']) await history().addPending('acme', pendingChange(id));
      await history().addPending('acme', pendingChange('C3', { targetId: 'M2' }));
      await history().addPending('acme', pendingChange('C4', { targetId: 'M3', chatRoomId: 'acme-1-3' }));
      await history().addPending('other', pendingChange('C5', { targetId: 'M4' }));
      expect(await history().pendingTargets('acme', 'acme-1-2')).to.have.members(['M1', 'M2']);
      expect(await history().pendingTargets('acme', 'acme-1-9')).to.deep.equal([]);
    });

    it('is pruned when it is from before a time', async () => {
      await history().addPending('acme', pendingChange('C1', { at: 999 }));
      await history().addPending('other', pendingChange('C2', { at: 1 }));
      await history().addPending('acme', pendingChange('C3', { at: 1_000 }));
      expect(await history().prunePending(1_000)).to.equal(2);
      expect((await pending()).map(({ messageId }) => messageId)).to.deep.equal(['C3']);
    });

    it('copies in and out', async () => {
      const given = pendingChange('C1');
      await history().addPending('acme', given);
      given.change.type = 'changed';
      const [got] = await pending();
      if (got) got.change.type = 'changed';
      expect(await pending()).to.deep.equal([pendingChange('C1')]);
    });
  });
}
