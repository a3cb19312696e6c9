import { expect } from 'chai';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../src/domain/message-status.js';
import { message, roomUpdate, type StoreHarness } from './harness.js';

export function messageStatusContract(harness: () => StoreHarness): void {
  describe('how far messages have come', () => {
    const history = () => harness().store.history;
    const advance = (messageId: string, status: MessageStatus, { at = 1_000, clientId = 'acme' } = {}) =>
      history().advance(clientId, { messageId, status, at });
    const statuses = async (ids: string[], clientId = 'acme') =>
      Object.fromEntries(await history().statuses(clientId, ids));

    it('is given for those that are asked for, where it is known', async () => {
      for (const status of MESSAGE_STATUSES) expect(await advance(`M-${status}`, status)).to.equal(true);
      const ids = [...MESSAGE_STATUSES].map((status) => `M-${status}`);
      expect(await statuses(['never there', ...ids])).to.deep.equal({
        'M-sent': 'sent',
        'M-failed': 'failed',
        'M-delivered': 'delivered',
        'M-read': 'read',
        'M-played': 'played',
      });
      expect(await statuses(['M-read'])).to.deep.equal({ 'M-read': 'read' });
      expect(await statuses([])).to.deep.equal({});
    });

    it('only ever gets further, in whatever order it is told', async () => {
      const told: [MessageStatus, boolean][] = [
        ['sent', true],
        ['sent', false],
        ['failed', true],
        ['sent', false],
        ['read', true],
        ['delivered', false],
        ['failed', false],
        ['played', true],
        ['read', false],
      ];
      for (const [status, isFurther] of told) expect(await advance('M1', status), status).to.equal(isFurther);
      expect(await statuses(['M1'])).to.deep.equal({ M1: 'played' });
    });

    it('is the furthest of what is told at the same moment, and each step is told once', async () => {
      const told = Array.from({ length: 30 }, (_, n) => MESSAGE_STATUSES[n % 5] ?? 'sent');
      const further = await Promise.all(told.map((status) => advance('M1', status)));
      expect(await statuses(['M1'])).to.deep.equal({ M1: 'played' });
      expect(further.filter(Boolean).length).to.be.within(1, MESSAGE_STATUSES.length);
    });

    it('is of one session', async () => {
      await advance('M1', 'read');
      expect(await advance('M1', 'delivered', { clientId: 'other' })).to.equal(true);
      expect(await statuses(['M1'])).to.deep.equal({ M1: 'read' });
      expect(await statuses(['M1'], 'other')).to.deep.equal({ M1: 'delivered' });
      expect(await statuses(['M1'], 'nobody')).to.deep.equal({});
    });

    it('is known before the message is there, and stays when it is changed', async () => {
      await advance('M1', 'delivered');
      await history().record('acme', roomUpdate(), message('M1'));
      await history().update('acme', message('M1', { body: 'edited' }));
      expect(await statuses(['M1'])).to.deep.equal({ M1: 'delivered' });
    });

    it('is pruned with the messages, by when it was told last', async () => {
      await Promise.all(Array.from({ length: 600 }, (_, n) => advance(`old ${n}`, 'read', { at: n })));
      await advance('M1', 'delivered', { at: 1 });
      await advance('M1', 'read', { at: 1_000 });
      await advance('M1', 'delivered', { at: 2 });
      await history().prune(1_000);
      expect(await statuses(['old 0', 'old 599', 'M1'])).to.deep.equal({ M1: 'read' });
    });
  });
}
