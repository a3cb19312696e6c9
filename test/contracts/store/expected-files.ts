import { expect } from 'chai';
import type { ExpectedFile } from '../../../src/store/store.js';
import type { StoreHarness } from './harness.js';

export function expectedFilesContract(harness: () => StoreHarness): void {
  describe('expected files', () => {
    const files = () => harness().store.expectedFiles;
    const ids = async (clientId = 'acme') => (await files().list(clientId)).map(({ id }) => id);

    it('gives back what was added, every field', async () => {
      await files().add(expectedFile('F1'));
      expect(await files().get('F1')).to.deep.equal(expectedFile('F1'));
      expect(await files().list('acme')).to.deep.equal([expectedFile('F1')]);
      expect(await files().get('never there')).to.equal(undefined);
      await files().add(expectedFile('F2', { past: true }));
      expect(await files().get('F2')).to.deep.equal(expectedFile('F2', { past: true }));
    });

    it('lists those of a session, oldest first, and by their coming where that is the same', async () => {
      for (const [id, since] of Object.entries({ F3: 30, F1: 10, G2: 20, A2: 20 })) {
        await files().add(expectedFile(id, { since }));
      }
      await files().add(expectedFile('other', { clientId: 'other' }));
      expect(await ids()).to.deep.equal(['F1', 'G2', 'A2', 'F3']);
      expect(await ids('other')).to.deep.equal(['other']);
      expect(await ids('nobody')).to.deep.equal([]);
    });

    it('keeps one of an id, as it came first', async () => {
      await files().add(expectedFile('F1'));
      await Promise.all([2, 3].map((since) => files().add(expectedFile('F1', { since }))));
      expect(await files().list('acme')).to.deep.equal([expectedFile('F1')]);
    });

    it('keeps each until it is removed', async () => {
      for (const id of ['F1', 'F2']) await files().add(expectedFile(id));
      await files().remove('F1');
      await files().remove('never there');
      expect(await files().get('F1')).to.equal(undefined);
      expect(await ids()).to.deep.equal(['F2']);
    });
  });
}

export function expectedFile(id: string, fields: Partial<ExpectedFile> = {}): ExpectedFile {
  return {
    id,
    clientId: 'acme',
    chatRoomId: 'acme-1-2',
    messageId: `M-${id}`,
    since: 1_000,
    past: false,
    ...fields,
  };
}
