import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { nextFileSlice } from '../../src/domain/file-slices.js';

describe('slices of files', () => {
  it('are processed one after another, and let other work run in between', async () => {
    const seen: string[] = [];
    const slices = ['one', 'two'].map((name) => nextFileSlice().then(() => seen.push(name)));
    while (!seen.includes('two')) {
      await setImmediate();
      seen.push('other work');
    }
    await Promise.all(slices);
    const between = seen.indexOf('two') - seen.indexOf('one') - 1;
    expect(between).to.be.at.least(2);
  });
});
