import { expect } from 'chai';
import type { PhoneView } from '../../src/sandbox/client.js';
import { lidOf } from '../support/conversations.js';
import { ALICE, BOB, linkSession } from '../support/pairing.js';
import { picture } from '../support/pictures.js';
import { startWorld, type World } from '../support/world.js';

const HILDA = '+15550000007';
const NOBODY = '+15559999999';

describe('looking people up', () => {
  let world: World;
  let alice: PhoneView;
  let bob: PhoneView;

  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await world.phones.addPhone({ number: HILDA, name: 'Hilda', hideLid: true });
    const profile = { status: 'at work', username: 'bob.builder', businessName: 'Bob & Sons' };
    bob = await world.phones.update(BOB.number, { ...profile, picture: await picture('red') });
    await linkSession(world, 'acme');
    alice = await world.phones.phone(ALICE.number);
  });
  after(() => world.stop());

  const userInfo = (jid: string, clientId = 'acme') => world.api.post('/user-info', { clientId, jid });
  const ownerLid = (number?: string, clientId = 'acme') =>
    world.api.post('/check-owner-lid', { clientId, ...(number !== undefined && { number }) });

  it('tells who a person is, by any form of the address', async () => {
    const pn = BOB.number.slice(1);
    for (const jid of [BOB.number, '+1 (555) 000-0002', `${pn}@s.whatsapp.net`, lidOf(bob), bob.lid]) {
      const { status, body } = await userInfo(jid);
      expect(status, jid).to.equal(200);
      expect(body, jid).to.deep.equal({
        jid: bob.lid,
        username: 'bob.builder',
        status: 'at work',
        pictureId: bob.pictureId,
        devices: 1,
        verifiedName: 'Bob & Sons',
      });
    }
  });

  it('tells of a person with nothing to tell of, by the number where the LID is hidden', async () => {
    const { status, body } = await userInfo(HILDA);
    expect(status).to.equal(200);
    expect(body).to.include({
      jid: '15550000007@s.whatsapp.net',
      username: '',
      pictureId: '',
      verifiedName: '',
    });
  });

  it('tells of nobody that there is nobody', async () => {
    for (const jid of [NOBODY, '999999999999999', '999999999999999@lid']) {
      const { status, body } = await userInfo(jid);
      expect(status, jid).to.equal(404);
      expect(body.error).to.include('the network knows nobody by');
    }
  });

  const wrong = ['bob', '15550000002@example.com', '120363040000000000@g.us', '+1', 'status@broadcast'];
  for (const jid of wrong) {
    it(`refuses ${jid} as a person`, async () => {
      const { status, body } = await userInfo(jid);
      expect(status).to.equal(400);
      expect(body.error).to.match(/^jid must be a person: /);
    });
  }

  it('tells the own addresses, and those of a number', async () => {
    const own = { myLid: lidOf(alice), myJid: alice.jid };
    const found = {
      ...own,
      isOnWhatsApp: true,
      numberJid: bob.jid,
      numberLid: lidOf(bob),
      username: 'bob.builder',
    };
    for (const number of ['15550000002', BOB.number, '+1 (555) 000-0002', '1 555 000-0002']) {
      expect((await ownerLid(number)).body, number).to.deep.equal({ ...found, number });
    }
    const none = { isOnWhatsApp: false, numberJid: '', numberLid: '', username: '' };
    expect((await ownerLid()).body).to.deep.equal({ ...own, number: '', ...none });
    expect((await ownerLid(NOBODY)).body).to.deep.equal({ ...own, number: NOBODY, ...none });
    expect((await ownerLid(HILDA)).body).to.deep.equal({
      ...{ ...own, number: HILDA, isOnWhatsApp: true },
      ...{ numberJid: '15550000007@s.whatsapp.net', numberLid: '', username: '' },
    });
  });

  it('refuses what is no number', async () => {
    for (const number of ['bob', '12', '+', '0155500000', BOB.number.replace('+', '00')]) {
      const { status, body } = await ownerLid(number);
      expect(status, number).to.equal(400);
      expect(body.error).to.equal('number must be a phone number with its country code');
    }
  });

  it('needs a session that is paired', async () => {
    await world.api.post('/start?clientId=fresh', {});
    for (const clientId of ['nobody', 'fresh']) {
      expect((await userInfo(bob.lid, clientId)).status).to.equal(404);
      expect((await ownerLid('', clientId)).status).to.equal(404);
    }
  });
});
