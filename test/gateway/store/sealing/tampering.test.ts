import { createSecretKey, type KeyObject } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { expect } from 'chai';
import { openStore, rotateEncryptionKey } from '../../../../src/gateway/store/open.js';
import { seal, unseal } from '../../../../src/gateway/store/sealing/envelope.js';
import { openSqliteBackend } from '../../../../src/gateway/store/sqlite/store.js';
import type { Backend, Store } from '../../../../src/gateway/store/store.js';
import { bytes, expectFailure, sent, session } from '../../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';

const ENCRYPTION_KEY = bytes('encryption-key-of-32-characters!');
const RIGHTS = ['webhookUrl', 'webhookToken', 'pollLookupUrl', 'proxy', 'apiSecretHash'] as const;

describe('a database that others can write', () => {
  let dir: TempDir;
  let store: Store;

  beforeEach(async () => {
    dir = await makeTempDir();
    store = await open();
    await store.sessions.create(session('acme'));
    await store.sessions.create(session('other'));
  });
  afterEach(async () => {
    await store.close();
    await dir.remove();
  });

  const open = () => openStore({ url: 'sqlite', dataDir: dir.path, encryptionKey: ENCRYPTION_KEY });

  /** Changes the database behind the store's back, and opens it again. */
  async function tamper(work: (backend: Backend) => Promise<unknown>): Promise<void> {
    await store.close();
    const backend = await openSqliteBackend({ dataDir: dir.path });
    await work(backend);
    await backend.close();
    store = await open();
  }

  /** The damage of each session that has some. */
  async function damages(): Promise<Record<string, string>> {
    const found = (await store.sessions.list()).filter(({ damage }) => damage !== undefined);
    return Object.fromEntries(found.map(({ clientId, damage }) => [clientId, String(damage)]));
  }

  for (const field of RIGHTS) {
    it(`reports a changed ${field} as damage of its session, and opens the others`, async () => {
      await tamper(async ({ sessions }) => {
        const stored = (await sessions.get('acme'))?.[field] ?? '';
        const flipped = (stored.startsWith('A') ? 'B' : 'A') + stored.slice(1);
        await sessions.update('acme', { [field]: flipped });
      });
      expect(Object.keys(await damages())).to.deep.equal(['acme']);
      expect((await store.sessions.get('other'))?.[field]).to.equal(session('other')[field]);
    });

    it(`reports a blanked ${field} as damage`, async () => {
      await tamper(({ sessions }) => sessions.update('acme', { [field]: '' }));
      expect(Object.keys(await damages())).to.deep.equal(['acme']);
    });

    it(`does not accept the ${field} of another session`, async () => {
      await tamper(async ({ sessions }) => {
        const other = await sessions.get('other');
        await sessions.update('acme', { [field]: other?.[field] ?? '' });
      });
      expect(Object.keys(await damages())).to.deep.equal(['acme']);
    });
  }

  it('reports a damaged data key for its session only', async () => {
    await tamper(async ({ dataKeys }) => {
      const key = Buffer.from((await dataKeys.get('acme')) ?? []);
      key.writeUInt8(key.readUInt8(40) ^ 1, 40);
      await dataKeys.replace(new Map([['acme', key]]));
    });
    expect(await damages())
      .to.have.property('acme')
      .that.includes('data key');
    expect((await store.sessions.get('other'))?.webhookToken).to.equal('webhook token');
  });

  it('does not send an own message to another recipient', async () => {
    await store.sends.put('acme', sent('M1', { to: '15550000002@s.whatsapp.net' }));
    await tamper(async ({ sends }) => {
      const record = await sends.get('acme', 'M1');
      if (record) await sends.put('acme', { ...record, to: '15550000003@s.whatsapp.net' });
    });
    await expectFailure(store.sends.get('acme', 'M1'), 'store_damaged');
    expect(await store.sends.open('acme')).to.deep.equal([]);
  });

  it('returns an older value in its own place, and in no other', async () => {
    let older = '';
    await tamper(async ({ sessions }) => {
      older = (await sessions.get('acme'))?.webhookToken ?? '';
    });
    await store.sessions.update('acme', { webhookToken: 'newer token' });
    await tamper(({ sessions }) => sessions.update('acme', { webhookToken: older }));
    expect(await damages()).to.deep.equal({});
    expect((await store.sessions.get('acme'))?.webhookToken).to.equal('webhook token');
    await tamper(({ sessions }) => sessions.update('other', { webhookToken: older }));
    expect(Object.keys(await damages())).to.deep.equal(['other']);
    await tamper(({ sessions }) => sessions.update('acme', { pollLookupUrl: older }));
    expect(Object.keys(await damages())).to.have.members(['acme', 'other']);
  });

  it('opens for everybody who has a copy of it and the encryption key, and for nobody with another key', async () => {
    await store.keys.commit('acme', { credentials: bytes('credentials of acme') });
    await store.close();
    const copy = await makeTempDir();
    try {
      await cp(dir.path, copy.path, { recursive: true });
      const url = 'sqlite';
      const stranger = bytes('another-encryption-key-of-32-ch!');
      const opening = openStore({ url, dataDir: copy.path, encryptionKey: stranger });
      await expectFailure(opening, 'encryption_key_wrong');
      const thief = await openStore({ url, dataDir: copy.path, encryptionKey: ENCRYPTION_KEY });
      expect((await thief.sessions.get('acme'))?.webhookToken).to.equal('webhook token');
      const credentials = await thief.keys.credentials('acme');
      expect(Buffer.from(credentials ?? []).toString()).to.equal('credentials of acme');
      await thief.close();
    } finally {
      await copy.remove();
      store = await open();
    }
  });

  describe('a database of the previous release', () => {
    const wrapping = createSecretKey(ENCRYPTION_KEY);
    const OLD_PLACE = ['data-key', ''];
    const NEW_PLACE = [...OLD_PLACE, 'rights sealed'];

    /** Makes it as that release would have left it. */
    const makeOld = (more: (backend: Backend) => Promise<unknown> = async () => undefined) =>
      tamper(async (backend) => {
        const { dataKeys, sessions } = backend;
        await more(backend);
        const own = await dataKeys.get('');
        const plain = unseal(wrapping, NEW_PLACE, own ?? bytes(''));
        await dataKeys.replace(new Map([['', seal(wrapping, OLD_PLACE, plain)]]));
        await sessions.update('acme', { pollLookupUrl: '', apiSecretHash: 'mark:salt:hash' });
      });

    it('is sealed once where that release left values open, and accepts no such values afterwards', async () => {
      await makeOld();
      expect(await damages()).to.deep.equal({});
      const { webhookToken, pollLookupUrl, apiSecretHash } = (await store.sessions.get('acme')) ?? {};
      expect({ webhookToken, pollLookupUrl, apiSecretHash }).to.deep.equal({
        webhookToken: 'webhook token',
        pollLookupUrl: '',
        apiSecretHash: 'mark:salt:hash',
      });
      await tamper(({ sessions }) => sessions.update('acme', { apiSecretHash: 'mark:salt:other' }));
      expect(Object.keys(await damages())).to.deep.equal(['acme']);
    });

    it('opens even if the data key of one session is damaged, and reports that session', async () => {
      await makeOld(({ dataKeys }) => dataKeys.replace(new Map([['acme', bytes('damaged')]])));
      expect(Object.keys(await damages())).to.deep.equal(['acme']);
    });

    it('keeps the own messages that were not sent yet', async () => {
      const key = async (): Promise<KeyObject> => {
        const backend = await openSqliteBackend({ dataDir: dir.path });
        const wrapped = (await backend.dataKeys.get('acme')) ?? bytes('');
        await backend.close();
        return createSecretKey(unseal(wrapping, ['data-key', 'acme'], wrapped));
      };
      await store.close();
      const dataKey = await key();
      store = await open();
      await tamper(async ({ sends }) => {
        const content = seal(dataKey, ['acme', 'sends', 'content', 'M1'], bytes('content of M1'));
        await sends.put('acme', sent('M1', { content, metaData: '', fileName: '' }));
      });
      const [unsent] = await store.sends.open('acme');
      expect(Buffer.from(unsent?.content ?? []).toString()).to.equal('content of M1');
    });

    it('keeps its data when the encryption key is changed', async () => {
      const to = bytes('another-encryption-key-of-32-ch!');
      await store.close();
      await rotateEncryptionKey({ url: 'sqlite', dataDir: dir.path, from: ENCRYPTION_KEY, to });
      store = await openStore({ url: 'sqlite', dataDir: dir.path, encryptionKey: to });
      expect(await damages()).to.deep.equal({});
    });
  });
});
