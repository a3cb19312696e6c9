import { expect } from 'chai';
import { shownUrl } from '../../src/domain/shown-url.js';

describe('a shown address', () => {
  it('holds neither password nor key', () => {
    expect(shownUrl('https://joe:hunter2@example.org:8443/hook?key=SECRET#part')).to.equal(
      'https://example.org:8443/hook',
    );
  });

  it('is the text itself when that is no address', () => {
    expect(shownUrl('no address')).to.equal('no address');
  });
});
