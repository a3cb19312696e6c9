import { expect } from 'chai';
import type { MessageTrace } from '../../../src/store/store.js';
import { bytes, type StoreHarness, text, trace } from './harness.js';

export function tracesContract(harness: () => StoreHarness): void {
  describe('traces', () => {
    const traces = () => harness().store.traces;
    const readable = (found: MessageTrace | undefined) => found && { ...found, secret: text(found.secret) };

    it('gives back what was added, every field', async () => {
      await traces().add('acme', trace('M1'));
      await traces().add(
        'acme',
        trace('M2', { secret: undefined, fromMe: false, authorLid: '', authorPn: '' }),
      );
      expect(readable(await traces().get('acme', 'M1'))).to.deep.equal(readable(trace('M1')));
      expect(await traces().get('acme', 'M2')).to.deep.equal(
        trace('M2', { secret: undefined, fromMe: false, authorLid: '', authorPn: '' }),
      );
      expect(await traces().get('acme', 'M3')).to.equal(undefined);
      expect(await traces().get('other', 'M1')).to.equal(undefined);
    });

    it('keeps the first of an id, whoever comes later', async () => {
      await traces().add('acme', trace('M1'));
      await traces().add('acme', trace('M1', { chat: 'taken over', secret: bytes('other'), sentAt: 5 }));
      expect(readable(await traces().get('acme', 'M1'))).to.deep.equal(readable(trace('M1')));
    });

    it('has one winner of many at the same time', async () => {
      const chats = Array.from({ length: 20 }, (_, n) => `chat ${n}`);
      await Promise.all(
        chats.map((chat) => traces().add('acme', trace('M1', { chat, secret: bytes(chat) }))),
      );
      const kept = await traces().get('acme', 'M1');
      expect(kept?.chat).to.be.oneOf(chats).and.to.equal(text(kept?.secret));
    });

    it('names a chat, and who wrote in it, by the LID that was learnt of its number', async () => {
      const [pn, lid] = ['15550000002@s.whatsapp.net', '100000000000002@lid'];
      const theirs = { chat: pn, fromMe: false, authorLid: '', authorPn: pn };
      const own = { chat: pn, authorLid: '', authorPn: '15550000001@s.whatsapp.net' };
      const elsewhere = { ...theirs, chat: '15550000003@s.whatsapp.net' };
      for (const [id, fields] of Object.entries({ M1: theirs, M2: own, M3: elsewhere })) {
        await traces().add('acme', trace(id, fields));
      }
      await traces().add('other', trace('M1', theirs));
      for (const _ of ['once', 'and again']) await traces().rekey('acme', pn, lid);
      const moved = { ...theirs, chat: lid, authorLid: lid };
      expect(readable(await traces().get('acme', 'M1'))).to.deep.equal(readable(trace('M1', moved)));
      expect(await traces().get('acme', 'M2')).to.deep.include({ ...own, chat: lid });
      expect(await traces().get('acme', 'M3')).to.deep.include(elsewhere);
      expect(await traces().get('other', 'M1')).to.deep.include(theirs);
    });

    it('prunes what was sent before a time', async () => {
      await traces().add('acme', trace('M1', { sentAt: 999 }));
      await traces().add('other', trace('M2', { sentAt: 1 }));
      await traces().add('acme', trace('M3', { sentAt: 1_000 }));
      expect(await traces().prune(1_000)).to.equal(2);
      expect(await traces().get('acme', 'M1')).to.equal(undefined);
      expect((await traces().get('acme', 'M3'))?.sentAt).to.equal(1_000);
    });

    it('copies in and out', async () => {
      const given = trace('M1');
      await traces().add('acme', given);
      given.secret?.fill(0);
      (await traces().get('acme', 'M1'))?.secret?.fill(1);
      expect(text((await traces().get('acme', 'M1'))?.secret)).to.equal('secret M1');
    });
  });
}
