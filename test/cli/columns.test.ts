import { expect } from 'chai';
import { columns } from '../../src/cli/columns.js';

describe('columns', () => {
  it('stand below each other, without blanks at the end', async () => {
    expect(
      await columns([
        ['NAME', 'JID', ''],
        ['Weekend plans', '1@g.us', ''],
      ]),
    ).to.deep.equal(['NAME           JID', 'Weekend plans  1@g.us']);
  });

  it('do not count colours', async () => {
    expect(
      await columns([
        ['\u001b[1mA\u001b[22m', 'B'],
        ['abc', 'd'],
      ]),
    ).to.deep.equal(['\u001b[1mA\u001b[22m    B', 'abc  d']);
  });

  it('count wide characters twice', async () => {
    expect(
      await columns([
        ['你好', 'x'],
        ['abcde', 'y'],
      ]),
    ).to.deep.equal(['你好   x', 'abcde  y']);
  });
});
