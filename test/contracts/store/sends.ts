import { expect } from 'chai';
import type { FailedFilter, SentRecord } from '../../../src/gateway/store/store.js';
import { bytes, failed, idempotent, type StoreHarness, sent, text, waiting } from './harness.js';

export function sendsContract(harness: () => StoreHarness): void {
  describe('sends', () => {
    const sends = () => harness().store.sends;
    const readable = (record: SentRecord | undefined) =>
      record && { ...record, content: text(record.content) };

    it('returns every field of a send', async () => {
      await sends().put('acme', sent('M1'));
      expect(readable(await sends().get('acme', 'M1'))).to.deep.equal(readable(sent('M1')));
      expect(await sends().get('acme', 'M2')).to.equal(undefined);
      expect(await sends().get('other', 'M1')).to.equal(undefined);
    });

    it('keeps the trace of a request, until the send is written again without one', async () => {
      const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=1';
      await sends().put('acme', sent('M1', { trace }));
      await sends().acknowledge('acme', 'M1');
      await sends().finish('acme', 'M1');
      expect(await sends().get('acme', 'M1')).to.include({ trace, closed: true });
      await sends().put('acme', sent('M1'));
      expect(await sends().get('acme', 'M1')).not.to.have.property('trace');
    });

    it('keeps who gets a status', async () => {
      const audience = JSON.stringify({ setting: 'contacts', people: ['1@lid', '2@lid'] });
      await sends().put('acme', sent('M1', { to: 'status@broadcast', audience }));
      expect(await sends().get('acme', 'M1')).to.include({ to: 'status@broadcast', audience });
      expect((await sends().open('acme')).map((one) => one.audience)).to.deep.equal([audience]);
    });

    it('replaces a send with the same message id', async () => {
      await sends().put('acme', sent('M1'));
      const second = sent('M1', {
        content: bytes('second'),
        metaData: '',
        fileName: '',
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

    it('reopens a failed send once when its proof comes, and never an announced one', async () => {
      await sends().put('acme', sent('failed', { closed: true }));
      await sends().put('acme', sent('open'));
      await sends().put('acme', sent('announced'));
      await sends().finish('acme', 'announced');
      await sends().finish('acme', 'never there');
      const reopened = [];
      for (const id of ['failed', 'failed', 'open', 'announced', 'never there'])
        reopened.push(await sends().acknowledge('acme', id));
      expect(reopened).to.deep.equal([true, false, false, false, false]);
      expect(await sends().get('acme', 'failed')).to.include({ acknowledged: true, closed: false });
      expect(await sends().get('acme', 'announced')).to.include({ acknowledged: true, closed: true });
    });

    it('returns the changed send even if other callers read it meanwhile', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `M${index}`);
      for (const id of ids) await sends().put('acme', sent(id, { closed: true }));
      // what this process knew of the session is read again from now on
      await sends().open('acme');
      await Promise.all(
        ids.flatMap((id) => [
          sends().acknowledge('acme', id),
          ...Array.from({ length: 4 }, () => sends().get('acme', id)),
        ]),
      );
      for (const id of ids) {
        const { acknowledged, closed } = (await sends().get('acme', id)) ?? {};
        expect([id, acknowledged, closed]).to.deep.equal([id, true, false]);
      }
    });

    it('returns the sends of a session after a time, the oldest first, with the fields that policies count', async () => {
      await sends().put('acme', sent('M3', { sentAt: 3_000, counted: 'nothing' }));
      const { counted: _, textHash: __, ...uncounted } = sent('M2', { sentAt: 2_000, to: '7@lid' });
      await sends().put('acme', uncounted);
      await sends().put('acme', sent('M1', { sentAt: 1_000 }));
      await sends().put('other', sent('M9', { sentAt: 2_000 }));
      expect(await sends().past('acme', 1_000)).to.deep.equal([
        { to: '7@lid', sentAt: 2_000 },
        { to: '100000000000002@lid', sentAt: 3_000, counted: 'nothing', textHash: 'hash M3' },
      ]);
      expect(await sends().past('acme', 0)).to.have.length(3);
      const times = (await sends().past('acme', 0, 2)).map(({ sentAt }) => sentAt);
      expect(times).to.deep.equal([1_000, 2_000]);
      expect(await sends().get('acme', 'M2')).to.not.have.any.keys('counted', 'textHash');
      // a repetition may be counted otherwise than the first attempt
      await sends().put('acme', { ...uncounted, messageId: 'M3' });
      expect((await sends().past('acme', 1_000))[1]).to.not.have.property('textHash');
    });

    it('returns the sends that a policy holds back, the oldest first, until they are announced', async () => {
      const held = '{"route":"/send-message"}';
      await sends().put('acme', sent('M3', { sentAt: 3_000, held, closed: true }));
      await sends().put('acme', sent('M1', { sentAt: 1_000, held, closed: true }));
      await sends().put('acme', sent('M2', { sentAt: 2_000, held, closed: true }));
      await sends().put('acme', sent('never held'));
      await sends().put('other', sent('M4', { held, closed: true }));
      const ids = async () => (await sends().held('acme', 100)).map(({ messageId }) => messageId);
      expect(await ids()).to.deep.equal(['M1', 'M2', 'M3']);
      const { to } = sent('M1');
      expect((await sends().held('acme', 1))[0]).to.deep.equal({ messageId: 'M1', to, sentAt: 1_000, held });
      expect((await sends().open('acme')).map(({ messageId }) => messageId)).to.deep.equal(['never held']);
      expect(await sends().get('acme', 'M1')).to.include({ held, closed: true });
      // it leaves, and fails
      await sends().put('acme', sent('M1', { sentAt: 4_000, held }));
      expect((await sends().open('acme')).map(({ messageId }) => messageId)).to.include('M1');
      await sends().close('acme', 'M1');
      expect(await ids()).to.deep.equal(['M2', 'M3', 'M1']);
      await sends().finish('acme', 'M1');
      await sends().put('acme', sent('M2', { sentAt: 2_000, closed: true }));
      expect(await ids()).to.deep.equal(['M3']);
      for (const id of ['M1', 'M2']) expect(await sends().get('acme', id)).to.not.have.property('held');
      expect(await sends().get('acme', 'never held')).to.not.have.property('held');
    });

    it('returns the sends that a policy holds back in pages, including sends of the same instant', async () => {
      const times = { M5: 1_000, M2: 2_000, M4: 2_000, M3: 2_000, M1: 3_000 };
      for (const [id, sentAt] of Object.entries(times))
        await sends().put('acme', sent(id, { sentAt, held: '{}', closed: true }));
      const pages: string[][] = [];
      let last: { sentAt: number; messageId: string } | undefined;
      for (let page = 1; page <= 4; page += 1) {
        const found = await sends().held('acme', 2, last);
        pages.push(found.map(({ messageId }) => messageId));
        last = found.at(-1);
        // what leaves meanwhile changes nothing of the next pages
        await sends().finish('acme', 'M5');
      }
      expect(pages).to.deep.equal([['M5', 'M2'], ['M3', 'M4'], ['M1'], []]);
    });

    it('returns open sends, the oldest first', async () => {
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

    it('reopens a send that is stored again', async () => {
      await sends().put('acme', sent('M1'));
      await sends().close('acme', 'M1');
      await sends().put('acme', sent('M1'));
      expect(await sends().open('acme')).to.have.length(1);
    });

    it('prunes sends from before a time', async () => {
      await sends().put('acme', sent('M1', { sentAt: 999 }));
      await sends().put('other', sent('M2', { sentAt: 1 }));
      await sends().put('acme', sent('M3', { sentAt: 1_000 }));
      expect(await sends().prune(1_000)).to.equal(2);
      expect(await sends().get('acme', 'M1')).to.equal(undefined);
      expect((await sends().get('acme', 'M3'))?.sentAt).to.equal(1_000);
    });

    it('prunes no waiting send, however old it is', async () => {
      await sends().put('acme', sent('waits', { sentAt: 1, closed: true, held: '{"rule":"newChatGap"}' }));
      expect(await sends().prune(1_000)).to.equal(0);
      await sends().put('acme', sent('waits', { sentAt: 1, closed: true }));
      expect(await sends().prune(1_000)).to.equal(1);
    });

    it('stores and returns copies', async () => {
      const record = sent('M1');
      await sends().put('acme', record);
      record.content.fill(0);
      (await sends().get('acme', 'M1'))?.content.fill(1);
      expect(text((await sends().get('acme', 'M1'))?.content)).to.equal('content M1');
    });
  });
}

export function idempotencyContract(harness: () => StoreHarness): void {
  describe('idempotency', () => {
    const idempotency = () => harness().store.idempotency;

    it('returns the first claim to every later one', async () => {
      const first = idempotent('k1', { messageId: 'M1' });
      expect(await idempotency().claim('acme', first)).to.deep.equal(first);
      const second = idempotent('k1', { messageId: 'M2', fingerprint: 'f2', createdAt: 2_000 });
      expect(await idempotency().claim('acme', second)).to.deep.equal(first);
    });

    it('keeps one claim of many concurrent ones', async () => {
      const claims = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
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

    it('stores the answer', async () => {
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

    it('prunes claims from before a time, so that their keys are free again', async () => {
      await idempotency().claim('acme', idempotent('k1', { createdAt: 999 }));
      await idempotency().claim('acme', idempotent('k2', { createdAt: 1_000 }));
      expect(await idempotency().prune(1_000)).to.equal(1);
      const again = await idempotency().claim('acme', idempotent('k1', { messageId: 'new' }));
      expect(again.messageId).to.equal('new');
      const kept = await idempotency().claim('acme', idempotent('k2', { messageId: 'new' }));
      expect(kept.messageId).to.equal('M-k2');
    });

    it('returns copies', async () => {
      const record = idempotent('k1');
      const claimed = await idempotency().claim('acme', record);
      claimed.answer = 'changed';
      expect(record.answer).to.equal('');
      expect((await idempotency().claim('acme', idempotent('k1'))).answer).to.equal('');
    });
  });
}

export function failedDeliveriesContract(harness: () => StoreHarness): void {
  describe('failed deliveries', () => {
    const deliveries = () => harness().store.failedDeliveries;
    const ids = async (filter: Partial<FailedFilter>) =>
      (await deliveries().list({ limit: 100, ...filter })).map(({ id }) => id);

    it('returns every field of a failed delivery', async () => {
      await deliveries().add(failed('01A'), 10);
      expect(await deliveries().get('01A')).to.deep.equal(failed('01A'));
      expect(await deliveries().list({ limit: 5 })).to.deep.equal([failed('01A')]);
      expect(await deliveries().get('01B')).to.equal(undefined);
    });

    it('lists failed deliveries, newest first, of all sessions or of one, up to a limit', async () => {
      await deliveries().add(failed('01A', { failedAt: 30 }), 10);
      await deliveries().add(failed('01B', { failedAt: 10 }), 10);
      await deliveries().add(failed('01C', { failedAt: 20, clientId: 'other' }), 10);
      await deliveries().add(failed('01D', { failedAt: 20, clientId: 'other' }), 10);
      expect(await ids({})).to.deep.equal(['01A', '01D', '01C', '01B']);
      expect(await ids({ clientId: 'acme' })).to.deep.equal(['01A', '01B']);
      expect(await ids({ limit: 2 })).to.deep.equal(['01A', '01D']);
      expect(await ids({ clientId: 'other', limit: 1 })).to.deep.equal(['01D']);
      expect(await ids({ clientId: 'nobody' })).to.deep.equal([]);
    });

    it('lists the failed deliveries after a given one, whether or not it exists', async () => {
      for (const [id, failedAt] of [
        ['01A', 30],
        ['01B', 10],
        ['01C', 20],
        ['01D', 20],
      ] as const) {
        await deliveries().add(failed(id, { failedAt, clientId: id === '01C' ? 'other' : 'acme' }), 10);
      }
      expect(await ids({ before: { id: '01D', failedAt: 20 } })).to.deep.equal(['01C', '01B']);
      expect(await ids({ before: { id: '01D', failedAt: 20 }, limit: 1 })).to.deep.equal(['01C']);
      expect(await ids({ before: { id: '01D', failedAt: 20 }, clientId: 'acme' })).to.deep.equal(['01B']);
      await deliveries().remove('01D');
      expect(await ids({ before: { id: '01D', failedAt: 20 } })).to.deep.equal(['01C', '01B']);
      expect(await ids({ before: { id: '01B', failedAt: 10 } })).to.deep.equal([]);
    });

    it('keeps the newest failed deliveries of a session, up to a limit', async () => {
      await deliveries().add(failed('00Z', { clientId: 'other', failedAt: 1 }), 3);
      for (let n = 1; n <= 6; n += 1) await deliveries().add(failed(`0${n}`, { failedAt: n * 10 }), 3);
      expect(await ids({ clientId: 'acme' })).to.deep.equal(['06', '05', '04']);
      expect(await ids({ clientId: 'other' })).to.deep.equal(['00Z']);
    });

    it('replaces a delivery that failed again', async () => {
      await deliveries().add(failed('01A'), 2);
      await deliveries().add(failed('01B'), 2);
      const again = failed('01A', { attempts: 16, reason: '503', failedAt: 5_000 });
      await deliveries().add(again, 2);
      expect(await deliveries().get('01A')).to.deep.equal(again);
      expect(await ids({})).to.deep.equal(['01A', '01B']);
    });

    it('counts failed deliveries of all sessions or of one', async () => {
      expect(await deliveries().counts()).to.deep.equal(new Map());
      await deliveries().add(failed('01A'), 10);
      await deliveries().add(failed('01B'), 10);
      await deliveries().add(failed('01C', { clientId: 'other' }), 10);
      expect([...(await deliveries().counts())].sort()).to.deep.equal([
        ['acme', 2],
        ['other', 1],
      ]);
      expect([...(await deliveries().counts('other'))]).to.deep.equal([['other', 1]]);
      expect([...(await deliveries().counts('nobody'))]).to.deep.equal([]);
    });

    it('keeps, lists and counts the failed deliveries of each receiver of a session separately', async () => {
      await deliveries().add(failed('01A', { failedAt: 1 }), 2);
      for (const [n, id] of ['02A', '02B', '02C'].entries()) {
        await deliveries().add(failed(id, { receiver: '2', failedAt: n }), 2);
      }
      await deliveries().add(failed('03A', { receiver: '2', clientId: 'other' }), 2);
      expect(await ids({ clientId: 'acme', receiver: '2' })).to.deep.equal(['02C', '02B']);
      expect(await ids({ clientId: 'acme', receiver: '1' })).to.deep.equal(['01A']);
      expect(await ids({ clientId: 'acme' })).to.have.members(['01A', '02B', '02C']);
      expect(await deliveries().get('02C')).to.deep.equal(failed('02C', { receiver: '2', failedAt: 2 }));
      expect([...(await deliveries().countsOf('acme'))].sort()).to.deep.equal([
        ['1', 1],
        ['2', 2],
      ]);
      expect([...(await deliveries().countsOf('nobody'))]).to.deep.equal([]);
      const before = { id: '02C', failedAt: 2 };
      expect(await ids({ clientId: 'acme', receiver: '2', before })).to.deep.equal(['02B']);
    });

    it('removes a failed delivery', async () => {
      await deliveries().add(failed('01A'), 10);
      await deliveries().add(failed('01B'), 10);
      await deliveries().remove('01A');
      await deliveries().remove('never there');
      expect(await ids({})).to.deep.equal(['01B']);
    });

    it('removes the failed deliveries of one receiver of a session', async () => {
      await deliveries().add(failed('01A'), 10);
      for (const id of ['02A', '02B']) await deliveries().add(failed(id, { receiver: '2' }), 10);
      await deliveries().add(failed('03A', { receiver: '3' }), 10);
      await deliveries().add(failed('02C', { receiver: '2', clientId: 'other' }), 10);
      await deliveries().removeOf('acme', '2');
      await deliveries().removeOf('acme', '9');
      expect(await ids({})).to.have.members(['01A', '03A', '02C']);
      await deliveries().removeOf('acme', '1');
      expect(await ids({})).to.have.members(['03A', '02C']);
    });

    it('prunes deliveries that failed before a time', async () => {
      await deliveries().add(failed('01A', { failedAt: 999 }), 10);
      await deliveries().add(failed('01B', { failedAt: 1, clientId: 'other' }), 10);
      await deliveries().add(failed('01C', { failedAt: 1_000 }), 10);
      expect(await deliveries().prune(1_000)).to.equal(2);
      expect(await ids({})).to.deep.equal(['01C']);
    });

    it('stores and returns copies', async () => {
      const given = failed('01A');
      await deliveries().add(given, 10);
      given.body = 'changed';
      const got = await deliveries().get('01A');
      if (got) got.body = 'changed';
      expect(await deliveries().get('01A')).to.deep.equal(failed('01A'));
    });
  });
}

export function waitingDeliveriesContract(harness: () => StoreHarness): void {
  describe('waiting deliveries', () => {
    const deliveries = () => harness().store.waitingDeliveries;

    it('returns every field of a waiting delivery, and lists it without its body', async () => {
      await deliveries().add(waiting('01A'));
      expect(await deliveries().get('01A')).to.deep.equal(waiting('01A'));
      const { body: _, ...listed } = waiting('01A');
      expect(await deliveries().list('acme')).to.deep.equal([listed]);
      expect(await deliveries().get('01B')).to.equal(undefined);
    });

    it('names the receiver of deliveries that are not for the webhook', async () => {
      await deliveries().add(waiting('01A', { receiver: '2' }));
      await deliveries().add(waiting('01B', { since: 2_000 }));
      const listed = await deliveries().list('acme');
      expect(listed.map(({ receiver }) => receiver)).to.deep.equal(['2', undefined]);
      expect(await deliveries().get('01A')).to.deep.equal(waiting('01A', { receiver: '2' }));
    });

    it('lists the waiting deliveries of one session in their order', async () => {
      await deliveries().add(waiting('01A', { since: 30 }));
      await deliveries().add(waiting('01B', { since: 10 }));
      await deliveries().add(waiting('01C', { since: 20, clientId: 'other' }));
      expect((await deliveries().list('acme')).map(({ id }) => id)).to.deep.equal(['01B', '01A']);
      expect(await deliveries().list('nobody')).to.deep.equal([]);
    });

    it('keeps a delivery unchanged when it is added again', async () => {
      await deliveries().add(waiting('01A', { attempts: 3 }));
      await deliveries().add(waiting('01A', { since: 9_000 }));
      expect(await deliveries().get('01A')).to.deep.equal(waiting('01A', { attempts: 3 }));
    });

    it('records attempts, and removes a delivery for good', async () => {
      await deliveries().add(waiting('01A'));
      await deliveries().noteAttempts('acme', '01A', 4);
      expect((await deliveries().get('01A'))?.attempts).to.equal(4);
      await deliveries().remove('01A');
      await deliveries().noteAttempts('acme', '01A', 5);
      expect(await deliveries().list('acme')).to.deep.equal([]);
    });
  });
}
