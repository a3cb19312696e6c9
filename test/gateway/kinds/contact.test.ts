import { expect } from 'chai';
import type { SendPayload } from '../../../src/contract/sends/send-request.js';
import { composeVcard, readVcard } from '../../../src/domain/vcard.js';
import { contact } from '../../../src/gateway/kinds/contact.js';
import { readContent } from '../../../src/gateway/kinds/index.js';
import type { Content } from '../../../src/gateway/kinds/kind.js';
import { CONTEXT, overTheWire } from './support/wire.js';

const TO_BOB = { clientId: 'acme', to: '+15550000002' };

async function sent(card: { displayName: string; phone?: string; vcard?: string }): Promise<Content> {
  const payload: SendPayload = { ...TO_BOB, ...card };
  const composed = contact.send?.compose(payload, CONTEXT);
  if (!composed) throw new Error('contacts cannot be sent');
  return overTheWire(composed);
}

const card = (...lines: string[]) => ['BEGIN:VCARD', 'VERSION:3.0', ...lines, 'END:VCARD'].join('\n');

describe('a contact that is sent', () => {
  it('has a vCard with a number that phones can write to', async () => {
    const { contactMessage } = await sent({ displayName: 'Ada', phone: '+15550000003' });
    expect(contactMessage?.displayName).to.equal('Ada');
    expect(contactMessage?.vcard?.split('\n')).to.deep.equal([
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:;Ada;;;',
      'FN:Ada',
      'TEL;type=CELL;type=VOICE;waid=15550000003:+15550000003',
      'END:VCARD',
    ]);
  });

  it("contains the caller's own vCard unchanged", async () => {
    const vcard = card('FN:Ada', 'TEL:+15550000009', 'NOTE:her own');
    const { contactMessage } = await sent({ displayName: 'Ada', phone: '15550000003', vcard });
    expect(contactMessage?.vcard).to.equal(vcard);
  });

  it('has its name escaped in the vCard', async () => {
    const displayName = 'Smith, J; \\Sales\nTEL:+15550000666\r\nEND:VCARD';
    const content = await sent({ displayName, phone: '15550000003' });
    expect(content.contactMessage?.vcard?.split('\n')).to.have.lengthOf(6);
    expect(content.contactMessage?.vcard).to.contain(
      'FN:Smith\\, J\\; \\\\Sales\\nTEL:+15550000666\\nEND:VCARD',
    );
    expect(readVcard(content.contactMessage?.vcard ?? '')).to.deep.equal({
      name: displayName.replace('\r\n', '\n'),
      phone: '+15550000003',
    });
  });
});

describe('the reader of contacts', () => {
  it('shows several contacts, the first also in the main fields', () => {
    const contacts = [
      { displayName: 'Ada', vcard: composeVcard('Ada', '15550000003') },
      { displayName: 'Bob', vcard: composeVcard('Bob', '15550000002') },
    ];
    const [ada, bob] = contacts.map((shared, index) => ({ ...shared, phone: `+1555000000${3 - index}` }));
    expect(
      readContent({ contactsArrayMessage: { displayName: '2 contacts', contacts } }).reading,
    ).to.deep.equal({
      type: 'contact',
      body: 'Ada, Bob',
      extra: { contact: { ...ada, contacts: [ada, bob] } },
    });
  });

  it('shows the single contact of an array', () => {
    const shared = { displayName: 'Ada', vcard: composeVcard('Ada', '15550000003') };
    expect(readContent({ contactsArrayMessage: { contacts: [shared] } }).reading).to.deep.equal({
      type: 'contact',
      body: 'Ada',
      extra: { contact: { ...shared, phone: '+15550000003' } },
    });
  });

  it('reads the name from the vCard when the message has none', () => {
    const { reading } = readContent({ contactMessage: { vcard: card('FN:Ada\\, Example') } });
    expect(reading.body).to.equal('Ada, Example');
  });

  const phones: [string, string, string][] = [
    ['the id of the number', 'TEL;waid=15550000003:555 0003', '+15550000003'],
    ['a second number when that has an id', 'TEL:+4930123\nTEL;WAID=15550000003:x', '+15550000003'],
    ['an international number', 'TEL;type=CELL:+1 (555) 000-0003', '+15550000003'],
    ['a number within a country as it is written', 'TEL:0151 12345', '015112345'],
    ['a number of a group', 'item1.TEL;type=pref:+15550000003', '+15550000003'],
    ['a number in lower case', 'tel;type="a:b":+15550000003', '+15550000003'],
    ['an address of a number', 'TEL;VALUE=uri:tel:+1-555-000-0003;ext=7', '+15550000003'],
    ['a folded line', 'TEL;type=CELL;waid=1555\n 0000003:x', '+15550000003'],
    ['no number', 'FN:Ada', ''],
  ];
  for (const [what, line, phone] of phones) {
    it(`finds ${what}`, () => {
      expect(readVcard(card(line)).phone).to.equal(phone);
      expect(readVcard(card(line).replaceAll('\n', '\r\n')).phone).to.equal(phone);
    });
  }

  it('reads a malformed vCard quickly', () => {
    const long = 'A'.repeat(1_000_000);
    for (const vcard of [
      long,
      `TEL;${long}`,
      `TEL;"${long}`,
      `${'TEL;";'.repeat(100_000)}`,
      '\n'.repeat(1e6),
    ]) {
      expect(readVcard(vcard)).to.deep.equal({ name: '', phone: '' });
    }
  });

  it('leaves an empty array to the fallback for unknown kinds', () => {
    expect(
      readContent({ contactsArrayMessage: { displayName: 'Nobody', contacts: [] } }).reading,
    ).to.deep.equal({
      type: 'text',
      body: '[contacts array] Nobody',
    });
  });
});
