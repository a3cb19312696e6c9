import { expect } from 'chai';
import { GatewayError } from '../../../src/domain/errors.js';
import { Turns } from '../../../src/store/mongo/turns.js';
import { expectFailure } from '../../contracts/store/harness.js';

describe('turns', () => {
  let turns: Turns;
  let seen: string[];
  beforeEach(() => {
    turns = new Turns();
    seen = [];
  });
  /** Work that ends when it is told to. */
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

  it('are shared by readers, and not by writers', async () => {
    const [one, two, writer, late] = [work('one'), work('two'), work('writer'), work('late')];
    const all = [turns.shared('a', one.run), turns.shared('a', two.run)];
    all.push(turns.alone('a', writer.run), turns.shared('a', late.run));
    for (const each of [late, writer, two, one]) each.end();
    await Promise.all(all);
    expect(seen.slice(0, 2)).to.deep.equal(['one begins', 'two begins']);
    expect(seen.slice(4)).to.deep.equal(['writer begins', 'writer ends', 'late begins', 'late ends']);
  });

  it('of one name do not hold up those of another', async () => {
    const [first, other] = [work('first'), work('other')];
    const waiting = turns.alone('a', first.run);
    other.end();
    await turns.alone('b', other.run);
    first.end();
    await waiting;
    expect(seen.at(-1)).to.equal('first ends');
  });

  it('fail together with the one that they wait for when the store is unavailable', async () => {
    const first = work('first');
    const outcomes = [turns.alone('a', first.run), turns.alone('a', work('second').run)];
    outcomes.push(turns.shared('a', work('third').run));
    first.end(new GatewayError('store_unavailable', 'gone'));
    for (const outcome of outcomes)
      expect(await expectFailure(outcome, 'store_unavailable')).to.equal('gone');
    const next = work('next');
    next.end();
    await turns.alone('a', next.run);
    expect(seen).to.deep.equal(['first begins', 'next begins', 'next ends']);
  });

  it('go on when one fails by itself', async () => {
    const [first, second] = [work('first'), work('second')];
    const failing = turns.alone('a', first.run).catch((error: Error) => error.message);
    const following = turns.alone('a', second.run);
    first.end(new Error('a mistake'));
    second.end();
    expect(await failing).to.equal('a mistake');
    await following;
    expect(seen.at(-1)).to.equal('second ends');
  });
});
