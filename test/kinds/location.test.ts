import { expect } from 'chai';
import { readContent } from '../../src/kinds/index.js';
import type { Content } from '../../src/kinds/kind.js';

const BERLIN = { degreesLatitude: 52.5, degreesLongitude: 13.25 };
const berlin = { latitude: 52.5, longitude: 13.25, name: '', address: '', live: false };

describe('reading a location', () => {
  const readings: [string, Content, string, object][] = [
    [
      'a named place',
      { locationMessage: { ...BERLIN, name: 'Office', address: 'Main Street 1' } },
      'Office',
      { ...berlin, name: 'Office', address: 'Main Street 1' },
    ],
    [
      'a place with an address only',
      { locationMessage: { ...BERLIN, address: 'Main Street 1' } },
      'Main Street 1',
      { ...berlin, address: 'Main Street 1' },
    ],
    ['a bare position', { locationMessage: BERLIN }, '52.5, 13.25', berlin],
    ['a position that moves', { liveLocationMessage: BERLIN }, '52.5, 13.25', { ...berlin, live: true }],
    [
      'a position that moves, with what its sender wrote to it',
      { liveLocationMessage: { ...BERLIN, caption: 'on my way' } },
      'on my way',
      { ...berlin, name: 'on my way', live: true },
    ],
    [
      'a position that moves, of the old kind',
      { locationMessage: { ...BERLIN, isLive: true } },
      '52.5, 13.25',
      { ...berlin, live: true },
    ],
    [
      'nonsense as what JSON can hold',
      { locationMessage: { degreesLatitude: Number.NaN, degreesLongitude: Number.POSITIVE_INFINITY } },
      '0, 0',
      { ...berlin, latitude: 0, longitude: 0 },
    ],
  ];
  for (const [what, content, body, location] of readings) {
    it(`shows ${what}`, () => {
      expect(readContent(content).reading).to.deep.equal({ type: 'location', body, extra: { location } });
    });
  }
});
