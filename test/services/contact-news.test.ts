import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Learnt } from '../../src/services/contacts.js';
import { ContactNews } from '../../src/services/people/contact-news.js';
import type { Contact } from '../../src/store/store.js';

describe('what links tell of people', () => {
  let learnt: string[];
  let learn: (clientId: string, news: Learnt) => Promise<void>;
  let news: ContactNews;

  beforeEach(() => {
    learnt = [];
    learn = async () => undefined;
    news = new ContactNews({
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

  it('is learnt in its order, and lets everybody else have their turn in between', async () => {
    tell(50);
    await setImmediate();
    await setImmediate();
    expect(learnt).to.have.length.below(50);
    await allLearnt(50);
    expect(learnt).to.deep.equal(ids(50));
  });

  it('of one session does not wait for another one', async () => {
    learn = (clientId) => (clientId === 'slow' ? new Promise(() => undefined) : Promise.resolve());
    tell(2, 'slow');
    tell(3);
    await allLearnt(3);
    expect(learnt).to.deep.equal(ids(3));
  });

  it('goes on after one that could not be kept, and after a pause', async () => {
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

  it('is dropped with its session', async () => {
    tell(9);
    tell(2, 'other');
    await news.end('acme');
    await news.end('never there');
    await allLearnt(2);
    await news.stop();
    expect(learnt.filter((who) => who.startsWith('acme'))).to.have.length.below(2);
    expect(learnt).to.include.members(ids(2, 'other'));
  });

  it('is learnt before its session is given away, but for members of groups', async () => {
    tell(5, 'acme', 'mapping');
    tell(5);
    tell(2, 'other');
    await news.finish('acme');
    expect(learnt.filter((who) => who.startsWith('acme'))).to.deep.equal(ids(5));
    tell(1);
    await news.stop();
    expect(learnt).to.include.members(ids(1));
  });

  it('is learnt before the stop, but for members of groups', async () => {
    tell(5, 'acme', 'mapping');
    tell(5, 'other');
    await news.stop();
    expect(learnt).to.include.members(ids(5));
    expect(learnt.filter((who) => who.startsWith('other'))).to.have.length.below(2);
  });
});
