import { expect } from 'chai';
import { isGatewayError } from '../../src/domain/errors.js';
import type { Link, LookedUpPerson } from '../../src/link/link.js';
import { Contacts } from '../../src/services/contacts.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

describe('contacts', () => {
  let folder: TempDir;
  let store: Store;
  let contacts: Contacts;
  beforeEach(async () => {
    folder = await makeTempDir();
    store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
    contacts = new Contacts(store.contacts, new ManualClock());
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  /** A network that knows these people; it counts who was asked for. */
  function network(people: LookedUpPerson[]): { link: Pick<Link, 'lookUp'>; asked: string[] } {
    const asked: string[] = [];
    const link: Pick<Link, 'lookUp'> = {
      lookUp: async ({ user }) => {
        asked.push(user);
        return people.find(({ lid, pn }) => lid === user || pn === user);
      },
    };
    return { link, asked };
  }
  const BOB = { lid: '90000000000002', pn: '15550000002' };

  it('are looked up once, by either address', async () => {
    const { link, asked } = network([BOB]);
    for (const to of ['+15550000002', '+1 555 000 0002', BOB.lid, `${BOB.pn}@s.whatsapp.net`]) {
      expect(await contacts.resolve('acme', to, link)).to.deep.equal({ kind: 'lid', user: BOB.lid });
    }
    expect(asked).to.deep.equal([BOB.pn]);
  });

  it('that the network does not know are refused', async () => {
    const { link } = network([]);
    for (const to of ['+15550000009', '90000000000009', 'bob', '']) {
      const error = await contacts.resolve('acme', to, link).catch((reason: unknown) => reason);
      expect(isGatewayError(error, 'recipient_unknown'), to).to.equal(true);
    }
  });

  it('follow a number that moves to another person', async () => {
    const { link, asked } = network([{ lid: '90000000000003', pn: BOB.pn }]);
    await contacts.learn('acme', { ...BOB, source: 'message' });
    await contacts.learn('acme', { lid: BOB.lid, pn: '15550000007', source: 'message' });
    const found = await contacts.resolve('acme', `+${BOB.pn}`, link);
    expect(found).to.deep.equal({ kind: 'lid', user: '90000000000003' });
    expect(asked).to.deep.equal([BOB.pn]);
    expect(await contacts.find('acme', { lid: BOB.lid })).to.include({ pn: '15550000007' });
  });

  it('lose their number when it turns out to be another person’s', async () => {
    await contacts.learn('acme', { ...BOB, source: 'message' });
    await contacts.learn('acme', { lid: '90000000000003', pn: BOB.pn, source: 'message' });
    expect(await contacts.find('acme', { lid: BOB.lid })).to.include({ pn: '' });
    expect(await contacts.find('acme', { pn: BOB.pn })).to.include({ lid: '90000000000003' });
  });

  it('of a deleted session are forgotten, and learnt anew', async () => {
    await contacts.learn('acme', { ...BOB, source: 'message' });
    await store.forget('acme');
    contacts.forget('acme');
    expect(await contacts.find('acme', { lid: BOB.lid })).to.equal(undefined);
    await contacts.learn('acme', { ...BOB, source: 'message' });
    expect(await store.contacts.find('acme', { lid: BOB.lid })).to.include(BOB);
  });
});
