import { expect } from 'chai';
import type { Field } from '../../../src/gateway/store/port/fields.js';
import { SESSIONS } from '../../../src/gateway/store/port/sessions.js';
import { type StoreHarness, session } from './harness.js';

export function sessionsContract(harness: () => StoreHarness): void {
  describe('sessions', () => {
    const sessions = () => harness().store.sessions;

    it('returns every field of a created session', async () => {
      expect(await sessions().create(session('acme'))).to.deep.equal(session('acme'));
      expect(await sessions().get('acme')).to.deep.equal(session('acme'));
    });

    it('stores every field that is declared, also in a value that no other test has', async () => {
      const record = session(
        'acme',
        Object.fromEntries(Object.entries<Field>(SESSIONS.fields).map(otherValue)),
      );
      const { clientId, ...fields } = record;
      await sessions().create(session(clientId));
      expect(await sessions().update(clientId, fields)).to.deep.equal(record);
      expect(await sessions().get(clientId)).to.deep.equal(record);
    });

    it('returns nothing for unknown sessions', async () => {
      expect(await sessions().get('nobody')).to.equal(undefined);
      expect(await sessions().list()).to.deep.equal([]);
    });

    it('keeps the first record when a session is created twice, and reports it', async () => {
      await sessions().create(session('acme', { name: 'first' }));
      expect((await sessions().create(session('acme', { name: 'second' }))).name).to.equal('first');
      expect((await sessions().get('acme'))?.name).to.equal('first');
    });

    it('creates one session for many concurrent calls', async () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const created = await Promise.all(names.map((name) => sessions().create(session('acme', { name }))));
      expect(new Set(created.map(({ name }) => name)).size).to.equal(1);
      expect(await sessions().list()).to.have.length(1);
    });

    it('lists sessions by clientId, ascending', async () => {
      for (const clientId of ['b', 'c', 'a', 'B', '10', '9']) await sessions().create(session(clientId));
      const listed = (await sessions().list()).map(({ clientId }) => clientId);
      expect(listed).to.deep.equal(['10', '9', 'B', 'a', 'b', 'c']);
    });

    it('keeps empty fields and texts in any script', async () => {
      const record = session('acme', {
        name: 'Ácme ✓ 会社',
        webhookToken: '',
        webhookUrl: '',
        pollLookupUrl: '',
        enableGroupAi: false,
        extraEvents: [],
        statusReason: '',
      });
      await sessions().create(record);
      expect(await sessions().get('acme')).to.deep.equal(record);
    });

    it('changes the named fields only', async () => {
      await sessions().create(session('acme'));
      const changes = { status: 'logged_out', webhookToken: 'new', enableGroupAi: false } as const;
      const expected = session('acme', changes);
      expect(await sessions().update('acme', changes)).to.deep.equal(expected);
      expect(await sessions().get('acme')).to.deep.equal(expected);
    });

    it('leaves a field unchanged that is undefined', async () => {
      await sessions().create(session('acme'));
      await sessions().update('acme', { name: undefined, webhookToken: undefined, lid: '7' });
      expect(await sessions().get('acme')).to.deep.equal(session('acme', { lid: '7' }));
    });

    it('keeps all of several concurrent changes', async () => {
      await sessions().create(session('acme'));
      await Promise.all([
        sessions().update('acme', { name: 'N' }),
        sessions().update('acme', { webhookToken: 'T' }),
        sessions().update('acme', { extraEvents: ['x'] }),
      ]);
      const expected = session('acme', { name: 'N', webhookToken: 'T', extraEvents: ['x'] });
      expect(await sessions().get('acme')).to.deep.equal(expected);
    });

    it('changes no other session, and creates none', async () => {
      await sessions().create(session('acme'));
      await sessions().create(session('other'));
      await sessions().update('acme', { name: 'N' });
      expect(await sessions().update('nobody', { name: 'N', webhookToken: 'T' })).to.equal(undefined);
      expect(await sessions().list()).to.deep.equal([session('acme', { name: 'N' }), session('other')]);
    });

    it('stores and returns copies', async () => {
      const record = session('acme');
      await sessions().create(record);
      record.extraEvents.push('later');
      const got = await sessions().get('acme');
      got?.extraEvents.push('later still');
      expect(await sessions().get('acme')).to.deep.equal(session('acme'));
    });
  });
}

function otherValue([name, { is, of: texts }]: [string, Field]): [string, unknown] {
  if (name === 'clientId') return [name, 'acme'];
  if (is === 'number') return [name, 7];
  if (is === 'flag') return [name, true];
  return [name, is === 'texts' ? [name] : (texts?.at(-1) ?? `other ${name}`)];
}
