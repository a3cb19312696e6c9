import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { databaseNameOf, unlessInUrl } from '../../../../src/gateway/store/mongo/database.js';
import { SharedLock } from '../../../../src/gateway/store/mongo/lock.js';
import { expectFailure } from '../../../contracts/store/harness.js';

describe('the URL of a MongoDB database', () => {
  it('names the database in its path', () => {
    expect(databaseNameOf('mongodb://localhost:27017/gateway')).to.equal('gateway');
    expect(databaseNameOf('mongodb://a:1,b:2/gate%2Dway?replicaSet=rs0')).to.equal('gate-way');
    expect(databaseNameOf('mongodb+srv://user:secret@db.example/gateway')).to.equal('gateway');
  });

  it('defaults to the database switchboard without a path', () => {
    const urls = [
      'mongodb://localhost',
      'mongodb://localhost/',
      'mongodb://a:1,b:2/?replicaSet=rs0',
      'mongodb://a?x=/y',
    ];
    expect(new Set(urls.map(databaseNameOf))).to.deep.equal(new Set(['switchboard']));
  });

  it('overrides the default options', () => {
    const defaults = { connectTimeoutMS: 3, socketTimeoutMS: 5 };
    expect(unlessInUrl('mongodb://a/?connecttimeoutms=9&x=1', defaults)).to.deep.equal({
      socketTimeoutMS: 5,
    });
    expect(unlessInUrl('mongodb://a', defaults)).to.deep.equal(defaults);
  });
});

describe('SharedLock', () => {
  let lock: SharedLock;
  let seen: string[];
  beforeEach(() => {
    lock = new SharedLock();
    seen = [];
  });
  /** Work that ends on request. */
  const work = (name: string) => {
    let end: (error?: Error) => void = () => {};
    const ended = new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve());
    });
    const run = async () => {
      seen.push(`${name} begins`);
      await ended;
      seen.push(`${name} ends`);
    };
    return { run, end };
  };

  it('admits several readers, but one writer', async () => {
    const [one, two, writer, late] = [work('one'), work('two'), work('writer'), work('late')];
    const all = [lock.shared('a', one.run), lock.shared('a', two.run)];
    all.push(lock.exclusive('a', writer.run), lock.shared('a', late.run));
    for (const each of [late, writer, two, one]) each.end();
    await Promise.all(all);
    expect(seen.slice(0, 2)).to.deep.equal(['one begins', 'two begins']);
    expect(seen.slice(4)).to.deep.equal(['writer begins', 'writer ends', 'late begins', 'late ends']);
  });

  it('locks each name independently', async () => {
    const [first, other] = [work('first'), work('other')];
    const waiting = lock.exclusive('a', first.run);
    other.end();
    await lock.exclusive('b', other.run);
    first.end();
    await waiting;
    expect(seen.at(-1)).to.equal('first ends');
  });

  it('fails the waiting operations too when the store is unavailable', async () => {
    const first = work('first');
    const outcomes = [lock.exclusive('a', first.run), lock.exclusive('a', work('second').run)];
    outcomes.push(lock.shared('a', work('third').run));
    first.end(new GatewayError('store_unavailable', 'gone'));
    for (const outcome of outcomes)
      expect(await expectFailure(outcome, 'store_unavailable')).to.equal('gone');
    const next = work('next');
    next.end();
    await lock.exclusive('a', next.run);
    expect(seen).to.deep.equal(['first begins', 'next begins', 'next ends']);
  });

  it('continues when one operation fails by itself', async () => {
    const [first, second] = [work('first'), work('second')];
    const failing = lock.exclusive('a', first.run).catch((error: Error) => error.message);
    const following = lock.exclusive('a', second.run);
    first.end(new Error('a mistake'));
    second.end();
    expect(await failing).to.equal('a mistake');
    await following;
    expect(seen.at(-1)).to.equal('second ends');
  });
});
