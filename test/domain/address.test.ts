import { expect } from 'chai';
import { formatJid, parseJid, parseRecipient, personOf } from '../../src/domain/address.js';
import { formatRoomId, parseRoomId } from '../../src/domain/room.js';

describe('addresses', () => {
  const jids: [string, ReturnType<typeof parseJid>][] = [
    ['15550000001@s.whatsapp.net', { kind: 'pn', user: '15550000001' }],
    ['15550000001:3@s.whatsapp.net', { kind: 'pn', user: '15550000001' }],
    ['15550000001@c.us', { kind: 'pn', user: '15550000001' }],
    ['90000000000001@lid', { kind: 'lid', user: '90000000000001' }],
    ['90000000000001_1:12@lid', { kind: 'lid', user: '90000000000001' }],
    ['15550000001@hosted', { kind: 'pn', user: '15550000001' }],
    ['120363040000000000@g.us', { kind: 'group', user: '120363040000000000' }],
    ['15550000001-1600000000@g.us', { kind: 'group', user: '15550000001-1600000000' }],
    ['status@broadcast', undefined],
    ['123456@broadcast', undefined],
    ['120363040000000000@newsletter', undefined],
    ['15550000001@constructor', undefined],
    ['nonsense', undefined],
    ['@lid', undefined],
    ['', undefined],
  ];
  for (const [jid, address] of jids) {
    it(`reads the jid ${JSON.stringify(jid)} as ${address ? formatJid(address) : 'none'}`, () => {
      expect(parseJid(jid)).to.deep.equal(address);
    });
  }

  const recipients: [string, string | undefined][] = [
    ['90000000000001', '90000000000001@lid'],
    ['+15550000001', '15550000001@s.whatsapp.net'],
    ['+1 (555) 000-0001', '15550000001@s.whatsapp.net'],
    ['+49 30.1234/567', '49301234567@s.whatsapp.net'],
    ['+49 (0) 30 1234567', '49301234567@s.whatsapp.net'],
    ['+44 (0)20 7946-0958', '442079460958@s.whatsapp.net'],
    ['+1\u00a0555\u202f000\u20110001', '15550000001@s.whatsapp.net'],
    ['\u202a+15550000001\u202c', '15550000001@s.whatsapp.net'],
    ['\u2066+1 555 000 0001\u2069', '15550000001@s.whatsapp.net'],
    ['＋１５５５００００００１', '15550000001@s.whatsapp.net'],
    ['+1 − 555 – 000 — 0001', '15550000001@s.whatsapp.net'],
    ['+1.555.000.0001', '15550000001@s.whatsapp.net'],
    ['+55 (11) 98765-4321', '5511987654321@s.whatsapp.net'],
    ['+52 1 55 1234 5678', '5215512345678@s.whatsapp.net'],
    ['+54 9 11 2345-6789', '5491123456789@s.whatsapp.net'],
    ['+91 98765\u200b43210', '919876543210@s.whatsapp.net'],
    ['+00 49 30 1234567', undefined],
    ['\u200e90000000000001', '90000000000001@lid'],
    ['15550000001@c.us', '15550000001@s.whatsapp.net'],
    ['90000000000001:12@lid', '90000000000001@lid'],
    ['++15550000001', undefined],
    ['+1 555 000 0001 ext. 7', undefined],
    ['+(0)15550000001', '15550000001@s.whatsapp.net'],
    ['+1555000000123456', undefined],
    [' +15550000001 ', '15550000001@s.whatsapp.net'],
    ['15550000001@s.whatsapp.net', '15550000001@s.whatsapp.net'],
    ['15550000001:7@s.whatsapp.net', '15550000001@s.whatsapp.net'],
    ['120363040000000000@g.us', '120363040000000000@g.us'],
    ['+0123456789', undefined],
    ['+12', undefined],
    ['bob', undefined],
    ['', undefined],
    ['+1555abc0001', undefined],
    ['status@broadcast', undefined],
  ];
  for (const [to, jid] of recipients) {
    it(`reads the recipient ${JSON.stringify(to)} as ${jid ?? 'none'}`, () => {
      const address = parseRecipient(to);
      expect(address && formatJid(address)).to.equal(jid);
    });
  }

  it('finds both addresses of a person, whichever comes first', () => {
    const person = { lid: '90000000000001', pn: '15550000001' };
    expect(personOf('15550000001:2@s.whatsapp.net', '90000000000001@lid')).to.deep.equal(person);
    expect(personOf('90000000000001@lid', undefined, '15550000001@s.whatsapp.net')).to.deep.equal(person);
    expect(personOf('120363040000000000@g.us', null)).to.deep.equal({});
  });
});

describe('room ids', () => {
  it('come apart as they were put together, also with the hyphen of an old group', () => {
    for (const other of ['90000000000002', '15550000001-1600000000']) {
      const key = { clientId: 'acme', myLid: '90000000000001', other };
      expect(parseRoomId(formatRoomId(key))).to.deep.equal(key);
    }
  });

  it('are refused when a part is missing', () => {
    for (const id of ['', 'acme', 'acme-90000000000001', 'ac me-1-2', '-1-2']) {
      expect(parseRoomId(id), id).to.equal(undefined);
    }
  });
});
