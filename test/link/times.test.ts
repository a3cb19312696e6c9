import { type BinaryNode, initAuthCreds } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { buildIncoming, resentMessage } from '../../src/link/baileys/incoming.js';
import { statusesIn } from '../../src/link/baileys/receipts.js';
import { stanzaTime } from '../../src/link/baileys/stanza-time.js';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const BOB = '90000000000002@lid';
const ME = { jid: '15550000001@s.whatsapp.net', lid: '90000000000001' };
/** What a stanza may say in place of seconds. */
const NO_TIMES = [undefined, '', 'yesterday', '-5', '0', 'NaN', 'Infinity', '1e300', '8640000000001'];

describe('a time from the network', () => {
  it('is seconds', () => {
    expect(stanzaTime('1767323045', NOW)).to.equal(1_767_323_045_000);
    expect(stanzaTime('8640000000000', NOW)).to.equal(8_640_000_000_000_000);
  });

  for (const t of NO_TIMES) {
    it(`is the time of arrival when it says ${JSON.stringify(t)}, so that it always is a date`, () => {
      const times = [...receiptTimes(t), messageTime(t), resentTime(t)];
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

function resentTime(t: string | undefined) {
  const key = { id: 'm1', remoteJid: BOB, fromMe: false };
  const message = { conversation: 'hi' };
  return resentMessage({ key, message, messageTimestamp: t === undefined ? undefined : Number(t) }, NOW)
    ?.timestamp;
}
