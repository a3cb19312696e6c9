import { type BinaryNode, initAuthCreds } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { buildIncoming, stanzaTime } from '../../../src/gateway/link/baileys/incoming.js';
import { statusesIn } from '../../../src/gateway/link/baileys/receipts.js';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const BOB = '90000000000002@lid';
const ME = { jid: '15550000001@s.whatsapp.net', lid: '90000000000001' };
/** Invalid values that a stanza can contain instead of seconds. */
const NO_TIMES = [undefined, '', 'yesterday', '-5', '0', 'NaN', 'Infinity', '1e300', '8640000000001'];

describe('a time from the network', () => {
  it('a time is parsed as seconds', () => {
    expect(stanzaTime('1767323045', NOW)).to.equal(1_767_323_045_000);
    expect(stanzaTime('8640000000000', NOW)).to.equal(8_640_000_000_000_000);
  });

  for (const t of NO_TIMES) {
    it(`a time becomes the time of arrival for ${JSON.stringify(t)}, so that it is always a valid date`, () => {
      const times = [...receiptTimes(t), messageTime(t)];
      expect(times).to.deep.equal(Array(times.length).fill(NOW));
    });
  }
});

/** Of a plain receipt and of a grouped one. */
function receiptTimes(t: string | undefined) {
  const time: Record<string, string> = t === undefined ? {} : { t };
  const sock = { authState: { creds: initAuthCreds() } };
  const user = { tag: 'user', attrs: { jid: BOB, ...time } };
  const receipts: BinaryNode[] = [
    { tag: 'receipt', attrs: { id: 'm1', from: BOB, ...time } },
    {
      tag: 'receipt',
      attrs: { id: 'm1', from: '1@g.us' },
      content: [{ tag: 'participants', attrs: { key: 'm1' }, content: [user] }],
    },
  ];
  const events = receipts.flatMap((receipt) => statusesIn(sock, receipt, NOW));
  expect(events).to.have.length(2);
  return events.map((event) => 'at' in event && event.at);
}

function messageTime(t: string | undefined) {
  const attrs = { id: 'm1', from: BOB, ...(t !== undefined && { t }) };
  // the decrypted part: an empty message and its padding
  const part = { journalId: 'j1', plain: Uint8Array.of(1), receivedAt: NOW };
  return buildIncoming(attrs, [part], ME).timestamp;
}

const ARRIVED_AT = 1_790_000_000_000;

describe("a stanza's time", () => {
  const times: [unknown, number][] = [
    ['1790000001', 1_790_000_001_000],
    [1_790_000_001, 1_790_000_001_000],
    ['8640000000000', 8_640_000_000_000_000],
    ['8640000000001', ARRIVED_AT],
    ['99999999999999', ARRIVED_AT],
    ['0', ARRIVED_AT],
    ['-1', ARRIVED_AT],
    ['', ARRIVED_AT],
    ['soon', ARRIVED_AT],
    [undefined, ARRIVED_AT],
    [null, ARRIVED_AT],
  ];
  for (const [seconds, expected] of times) {
    it(`the time of a stanza becomes a valid date for ${JSON.stringify(seconds)}`, () => {
      const at = stanzaTime(seconds, ARRIVED_AT);
      expect(at).to.equal(expected);
      expect(() => new Date(at).toISOString()).to.not.throw();
    });
  }
});
