import { captureOutput } from '@oclif/test';
import { expect } from 'chai';
import { Output } from '../../src/cli/output.js';
import { painter, wantsColor } from '../../src/cli/paint.js';
import { shorten, singleLine } from '../../src/cli/plain-text.js';

describe('foreign text in the terminal', () => {
  it('stays on its line', () => {
    expect(singleLine('one\r\ntwo\nthree\u2028four')).to.equal('one ⏎ two ⏎ three ⏎ four');
  });

  it('cannot move the cursor, recolour or turn the text around', () => {
    expect(singleLine('a\u001b[2Jb\u009bc\u202ed\u0007')).to.equal('a�[2Jb�c�d�');
  });

  it('keeps letters of every script, emoji included', () => {
    const text = 'Grüße, 你好, שלום, 👩‍👩‍👧';
    expect(singleLine(text)).to.equal(text);
  });

  it('is cut at whole characters', () => {
    expect([shorten('hello', 5), shorten('hello!', 5), shorten('🙂🙂🙂', 2)]).to.deep.equal([
      'hello',
      'hell…',
      '🙂…',
    ]);
  });
});

describe('JSON in the terminal', () => {
  it('holds the same text, and nothing that a terminal acts on', async () => {
    const value = { body: 'a\u001b[2Jb\u009bc\u202ed\u2028e\u007f', name: 'Grüße, 你好, שלום, 👩‍👩‍👧' };
    const { stdout } = await captureOutput(async () => new Output().json(value, { indent: true }));
    expect(JSON.parse(stdout)).to.deep.equal(value);
    expect(stdout).to.contain(value.name);
    expect(stdout.split('\n').map(singleLine)).to.deep.equal(stdout.split('\n'));
  });
});

describe('colours', () => {
  const terminal = { isTTY: true };

  it('are for terminals only', () => {
    expect([
      wantsColor(terminal, {}),
      wantsColor({}, {}),
      wantsColor(terminal, { TERM: 'dumb' }),
    ]).to.deep.equal([true, false, false]);
  });

  it('obey NO_COLOR before FORCE_COLOR', () => {
    expect(wantsColor(terminal, { NO_COLOR: '1', FORCE_COLOR: '1' })).to.equal(false);
    expect(wantsColor({}, { FORCE_COLOR: '1' })).to.equal(true);
  });

  it('leave the text alone when they are off', () => {
    expect(painter({}, {})('red', 'text')).to.equal('text');
    expect(painter(terminal, {})('red', 'text')).to.equal('\u001b[31mtext\u001b[39m');
  });
});
