import { expect } from 'chai';
import type { Key } from 'ink';
import { PressReader } from '../../src/tui/press.js';

const NO_KEY: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

describe('what comes from the keyboard', () => {
  const read = (input: string, key: Partial<Key> = {}, reader = new PressReader()) =>
    reader.read(input, { ...NO_KEY, ...key });

  it('is a key by its name, with its modifiers', () => {
    expect(read('', { upArrow: true })).to.deep.equal([{ type: 'key', key: 'up' }]);
    expect(read('', { tab: true, shift: true })).to.deep.equal([{ type: 'key', key: 'shift+tab' }]);
    expect(read('', { return: true, meta: true })).to.deep.equal([{ type: 'key', key: 'alt+enter' }]);
    expect(read('', { leftArrow: true, ctrl: true })).to.deep.equal([{ type: 'key', key: 'ctrl+left' }]);
    expect(read('b', { meta: true })).to.deep.equal([{ type: 'key', key: 'alt+b' }]);
    expect(read('', { escape: true, meta: true })).to.deep.equal([{ type: 'key', key: 'escape' }]);
  });

  it('is text, capitals too', () => {
    expect(read('G', { shift: true })).to.deep.equal([{ type: 'text', text: 'G' }]);
    expect(read('日本')).to.deep.equal([{ type: 'text', text: '日本' }]);
  });

  it('is taken apart when keys came faster than they were read', () => {
    expect(read('ab\r')).to.deep.equal([
      { type: 'text', text: 'ab' },
      { type: 'key', key: 'enter' },
    ]);
    expect(read('a\u0003')).to.deep.equal([
      { type: 'text', text: 'a' },
      { type: 'key', key: 'ctrl+c' },
    ]);
  });

  it('is a paste between its marks, however it is cut', () => {
    const reader = new PressReader();
    expect(read('[200~', {}, reader)).to.deep.equal([]);
    expect(read('one\rtwo', {}, reader)).to.deep.equal([]);
    expect(read('', { return: true }, reader)).to.deep.equal([]);
    expect(read('three', {}, reader)).to.deep.equal([]);
    expect(read('[201~', {}, reader)).to.deep.equal([
      { type: 'paste', text: 'one\ntwo\nthree', guessed: false },
    ]);
    expect(read('q', {}, reader)).to.deep.equal([{ type: 'text', text: 'q' }]);
  });

  it('is likely a paste when lines come at once', () => {
    expect(read('one\r\ntwo')).to.deep.equal([{ type: 'paste', text: 'one\ntwo', guessed: true }]);
  });

  it('ends a paste that never ends', () => {
    const reader = new PressReader();
    read('[200~', {}, reader);
    expect(read('c', { ctrl: true }, reader)).to.deep.equal([{ type: 'key', key: 'ctrl+c' }]);
    expect(read('a', {}, reader)).to.deep.equal([{ type: 'text', text: 'a' }]);
  });
});
