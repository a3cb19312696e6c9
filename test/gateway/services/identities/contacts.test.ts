import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { isGatewayError } from '../../../../src/domain/errors.js';
import type { Link, LookedUpPerson } from '../../../../src/gateway/link/link.js';
import {
  Contacts,
  ContactUpdates,
  type Learnt,
} from '../../../../src/gateway/services/identities/contacts.js';
import type { Contact } from '../../../../src/gateway/store/store.js';
import { Rig } from '../../../support/rig/rig.js';

describe('Contacts', () => {
  let rig: Rig;
  let contacts: Contacts;
  beforeEach(async () => {
    rig = await Rig.start();
    contacts = new Contacts(rig.store.contacts, rig.clock);
  });
  afterEach(() => rig.close());

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

  it('looks a person up once, by either address', async () => {
    const { link, asked } = network([BOB]);
    for (const to of ['+15550000002', '+1 555 000 0002', BOB.lid, `${BOB.pn}@s.whatsapp.net`]) {
      expect(await contacts.resolve('acme', to, link)).to.deep.equal({ kind: 'lid', user: BOB.lid });
    }
    expect(asked).to.deep.equal([BOB.pn]);
  });

  it('refuses a person that the network does not know', async () => {
    const { link } = network([]);
    for (const to of ['+15550000009', '90000000000009', 'bob', '']) {
      const error = await contacts.resolve('acme', to, link).catch((reason: unknown) => reason);
      expect(isGatewayError(error, 'recipient_unknown'), to).to.equal(true);
    }
  });

  it('follows a number that moves to another person', async () => {
    const { link, asked } = network([{ lid: '90000000000003', pn: BOB.pn }]);
    await contacts.learn('acme', { ...BOB, source: 'message' });
    await contacts.learn('acme', { lid: BOB.lid, pn: '15550000007', source: 'message' });
    const found = await contacts.resolve('acme', `+${BOB.pn}`, link);
    expect(found).to.deep.equal({ kind: 'lid', user: '90000000000003' });
    expect(asked).to.deep.equal([BOB.pn]);
    expect(await contacts.find('acme', { lid: BOB.lid })).to.include({ pn: '15550000007' });
  });

  it('removes a number from a person when it turns out to be another person’s', async () => {
    await contacts.learn('acme', { ...BOB, source: 'message' });
    await contacts.learn('acme', { lid: '90000000000003', pn: BOB.pn, source: 'message' });
    expect(await contacts.find('acme', { lid: BOB.lid })).to.include({ pn: '' });
    expect(await contacts.find('acme', { pn: BOB.pn })).to.include({ lid: '90000000000003' });
  });

  it('looks a person without a known LID up again only after a while', async () => {
    const { link, asked } = network([{ lid: '', pn: BOB.pn }]);
    for (const to of [`+${BOB.pn}`, `${BOB.pn}@s.whatsapp.net`]) {
      expect(await contacts.resolve('acme', to, link)).to.deep.equal({ kind: 'pn', user: BOB.pn });
    }
    expect(asked).to.deep.equal([BOB.pn]);
    rig.clock.advance(60 * 60_000);
    await contacts.resolve('acme', `+${BOB.pn}`, network([BOB]).link);
    expect(await contacts.resolve('acme', `+${BOB.pn}`, link)).to.deep.equal({ kind: 'lid', user: BOB.lid });
    expect(asked).to.deep.equal([BOB.pn]);
  });

  it('does not address a person by a former number', async () => {
    await contacts.learn('acme', { ...BOB, source: 'message' });
    await contacts.learn('acme', { lid: BOB.lid, pn: '15550000009', source: 'number-change' });
    const { link } = network([{ lid: BOB.lid, pn: '15550000009' }]);
    const error = await contacts.resolve('acme', `+${BOB.pn}`, link).catch((reason: unknown) => reason);
    expect(isGatewayError(error, 'recipient_unknown')).to.equal(true);
    for (const to of [BOB.lid, '+15550000009', `${BOB.lid}:7@lid`]) {
      expect(await contacts.resolve('acme', to, link)).to.deep.equal({ kind: 'lid', user: BOB.lid });
    }
  });

  it('keeps two people apart when one now has the former number of the other', async () => {
    await contacts.learn('acme', { ...BOB, name: 'Bob', source: 'message' });
    expect(await contacts.find('acme', { lid: '90000000000003', pn: BOB.pn })).to.equal(undefined);
    expect(await contacts.find('acme', { lid: BOB.lid, pn: '15550000003' })).to.include({ name: 'Bob' });
  });

  it('reports a person once when both addresses become known, from whichever source', async () => {
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

  it('returns addresses that are learnt during a read', async () => {
    await contacts.learn('acme', { pn: BOB.pn, source: 'message' });
    contacts.forget('acme');
    const find = rig.store.contacts.find.bind(rig.store.contacts);
    const slow: typeof rig.store.contacts.find = async (...by) => {
      const found = await find(...by);
      await contacts.learn('acme', { ...BOB, source: 'mapping' });
      return found;
    };
    rig.store.contacts.find = (...by) => {
      rig.store.contacts.find = find;
      return slow(...by);
    };
    await contacts.find('acme', { pn: BOB.pn });
    expect(await contacts.find('acme', { pn: BOB.pn })).to.include(BOB);
  });

  it('forgets the people of a deleted session, and learns them again', async () => {
    await contacts.learn('acme', { ...BOB, source: 'message' });
    await rig.store.forget('acme');
    contacts.forget('acme');
    expect(await contacts.find('acme', { lid: BOB.lid })).to.equal(undefined);
    await contacts.learn('acme', { ...BOB, source: 'message' });
    expect(await rig.store.contacts.find('acme', { lid: BOB.lid })).to.include(BOB);
  });
});

describe('ContactUpdates', () => {
  let learnt: string[];
  let learn: (clientId: string, news: Learnt) => Promise<void>;
  let news: ContactUpdates;

  beforeEach(() => {
    learnt = [];
    learn = async () => undefined;
    news = new ContactUpdates({
      contacts: {
        async learn(clientId, person) {
          await learn(clientId, person);
          learnt.push(`${clientId} ${person.lid}`);
          const contact: Contact = {
            lid: '',
            pn: '',
            name: '',
            pushName: '',
            username: '',
            ...person,
            learntAt: 0,
          };
          return contact;
        },
      },
      log: pino({ level: 'silent' }),
    });
  });

  const tell = (count: number, clientId = 'acme', source = 'group') => {
    for (let n = 0; n < count; n += 1) news.note(clientId, { lid: String(n), source });
  };
  const ids = (count: number, clientId = 'acme') =>
    Array.from({ length: count }, (_, n) => `${clientId} ${n}`);
  const allLearnt = async (count: number) => {
    while (learnt.length < count) await setImmediate();
  };

  it('learns in order, and yields to other work in between', async () => {
    tell(50);
    await setImmediate();
    await setImmediate();
    expect(learnt).to.have.length.below(50);
    await allLearnt(50);
    expect(learnt).to.deep.equal(ids(50));
  });

  it('processes each session independently', async () => {
    learn = (clientId) => (clientId === 'slow' ? new Promise(() => undefined) : Promise.resolve());
    tell(2, 'slow');
    tell(3);
    await allLearnt(3);
    expect(learnt).to.deep.equal(ids(3));
  });

  it('continues after a pause when an update could not be stored', async () => {
    learn = async (_clientId, { lid }) => {
      if (lid === '0') throw new Error('the store is away');
    };
    tell(3);
    await allLearnt(2);
    expect(learnt).to.deep.equal(['acme 1', 'acme 2']);
    await setImmediate();
    tell(2);
    await allLearnt(3);
    expect(learnt.at(-1)).to.equal('acme 1');
  });

  it('drops the updates of a deleted session', async () => {
    tell(9);
    tell(2, 'other');
    await news.end('acme');
    await news.end('never there');
    await allLearnt(2);
    await news.stop();
    expect(learnt.filter((who) => who.startsWith('acme'))).to.have.length.below(2);
    expect(learnt).to.include.members(ids(2, 'other'));
  });

  it('learns everything but members of groups before it releases a session', async () => {
    tell(5, 'acme', 'mapping');
    tell(5);
    tell(2, 'other');
    await news.finish('acme');
    expect(learnt.filter((who) => who.startsWith('acme'))).to.deep.equal(ids(5));
    tell(1);
    await news.stop();
    expect(learnt).to.include.members(ids(1));
  });

  it('learns everything but members of groups before it stops', async () => {
    tell(5, 'acme', 'mapping');
    tell(5, 'other');
    await news.stop();
    expect(learnt).to.include.members(ids(5));
    expect(learnt.filter((who) => who.startsWith('other'))).to.have.length.below(2);
  });
});
