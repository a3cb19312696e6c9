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
  let clock: ManualClock;
  beforeEach(async () => {
    folder = await makeTempDir();
    store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
    clock = new ManualClock();
    contacts = new Contacts(store.contacts, clock);
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

  it('without a known LID are looked up again after a while only', async () => {
    const { link, asked } = network([{ lid: '', pn: BOB.pn }]);
    for (const to of [`+${BOB.pn}`, `${BOB.pn}@s.whatsapp.net`]) {
      expect(await contacts.resolve('acme', to, link)).to.deep.equal({ kind: 'pn', user: BOB.pn });
    }
    expect(asked).to.deep.equal([BOB.pn]);
    clock.advance(60 * 60_000);
    await contacts.resolve('acme', `+${BOB.pn}`, network([BOB]).link);
    expect(await contacts.resolve('acme', `+${BOB.pn}`, link)).to.deep.equal({ kind: 'lid', user: BOB.lid });
    expect(asked).to.deep.equal([BOB.pn]);
  });

  it('that have given up a number are not reached by it any more', async () => {
    await contacts.learn('acme', { ...BOB, source: 'message' });
    await contacts.learn('acme', { lid: BOB.lid, pn: '15550000009', source: 'number-change' });
    const { link } = network([{ lid: BOB.lid, pn: '15550000009' }]);
    const error = await contacts.resolve('acme', `+${BOB.pn}`, link).catch((reason: unknown) => reason);
    expect(isGatewayError(error, 'recipient_unknown')).to.equal(true);
    for (const to of [BOB.lid, '+15550000009', `${BOB.lid}:7@lid`]) {
      expect(await contacts.resolve('acme', to, link)).to.deep.equal({ kind: 'lid', user: BOB.lid });
    }
  });

  it('are nobody else because of a number that somebody else has', async () => {
    await contacts.learn('acme', { ...BOB, name: 'Bob', source: 'message' });
    expect(await contacts.find('acme', { lid: '90000000000003', pn: BOB.pn })).to.equal(undefined);
    expect(await contacts.find('acme', { lid: BOB.lid, pn: '15550000003' })).to.include({ name: 'Bob' });
  });

  it('are told of once when both their addresses become known, from whatever is learnt', async () => {
    const told: unknown[] = [];
    contacts.onPair = async (clientId, { lid, pn }) => void told.push([clientId, lid, pn]);
    const learn = (learnt: object) => contacts.learn('acme', { ...learnt, source: 'message' });
    await learn({ pn: BOB.pn });
    await learn({ lid: BOB.lid, name: 'Bob' });
    expect(told).to.deep.equal([]);
    await learn({ ...BOB });
    await learn({ ...BOB, name: 'Robert' });
    await learn({ lid: BOB.lid, pn: '15550000009' });
    expect(told).to.deep.equal([
      ['acme', BOB.lid, BOB.pn],
      ['acme', BOB.lid, '15550000009'],
    ]);
  });

  it('that are read while more is learnt are known as they are learnt', async () => {
    await contacts.learn('acme', { pn: BOB.pn, source: 'message' });
    contacts.forget('acme');
    const find = store.contacts.find.bind(store.contacts);
    const slow: typeof store.contacts.find = async (...by) => {
      const found = await find(...by);
      await contacts.learn('acme', { ...BOB, source: 'mapping' });
      return found;
    };
    store.contacts.find = (...by) => {
      store.contacts.find = find;
      return slow(...by);
    };
    await contacts.find('acme', { pn: BOB.pn });
    expect(await contacts.find('acme', { pn: BOB.pn })).to.include(BOB);
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
