import { expect } from 'chai';
import type { Profile } from '../../../../src/gateway/link/directory.js';
import type { PeopleAndPictures } from '../../../support/rig/people.js';
import { Rig } from '../../../support/rig/rig.js';

const BOB = { lid: '90000000000002', pn: '15550000002' };
const PROFILE: Profile = {
  ...BOB,
  username: 'bob',
  status: 'at work',
  pictureId: '7',
  devices: 2,
  verifiedName: 'Bob & Sons',
};

describe('People', () => {
  let rig: PeopleAndPictures;
  beforeEach(async () => {
    rig = await (await Rig.start()).people();
    rig.known = [BOB];
    rig.profiles.set(`${BOB.lid}@lid`, PROFILE);
  });
  afterEach(() => rig.close());

  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => '',
      (error) => error.code,
    );

  it('names a person by LID, or by number if only that is known', async () => {
    const { lid, pn, ...facts } = PROFILE;
    const expected = { jid: `${BOB.lid}@lid`, ...facts };
    for (const jid of [BOB.lid, `${BOB.lid}:4@lid`]) {
      expect(await rig.people.userInfo('acme', jid)).to.deep.equal(expected);
    }
    const numbers = [`+${BOB.pn}`, '+1 (555) 000-0002', `${BOB.pn}@s.whatsapp.net`, `${BOB.pn}@c.us`];
    for (const jid of numbers) expect(await rig.people.userInfo('acme', jid), jid).to.deep.equal(expected);
    rig.profiles.set('15550000007@s.whatsapp.net', { ...PROFILE, lid: '', pn: '15550000007' });
    expect(await rig.people.userInfo('acme', '+15550000007')).to.deep.equal({
      ...expected,
      jid: '15550000007@s.whatsapp.net',
    });
  });

  it('learns the addresses of a profile', async () => {
    await rig.people.userInfo('acme', BOB.lid);
    expect(await rig.contacts.find('acme', { pn: BOB.pn })).to.include({
      ...BOB,
      username: 'bob',
      source: 'lookup',
    });
  });

  it('refuses an unknown person and an invalid address', async () => {
    expect(await codeOf(rig.people.userInfo('acme', '+15550000009'))).to.equal('not_found');
    for (const jid of ['bob', '120363040000000000@g.us', 'status@broadcast', '+1', '']) {
      expect(await codeOf(rig.people.userInfo('acme', jid)), jid).to.equal('invalid_request');
    }
  });

  describe('ownerLid', () => {
    const own = { myLid: '90000000000001', myJid: '15550000001@s.whatsapp.net' };

    it('returns both addresses and the user name', async () => {
      for (const number of ['15550000002', '+15550000002', '+1 (555) 000-0002']) {
        expect(await rig.people.ownerLid('acme', number)).to.deep.equal({
          ...own,
          number,
          isOnWhatsApp: true,
          numberJid: `${BOB.pn}@s.whatsapp.net`,
          numberLid: BOB.lid,
          username: 'bob',
        });
      }
      expect(await rig.contacts.find('acme', { pn: BOB.pn })).to.include(BOB);
    });

    it('omits a hidden LID, and a user name that cannot be read', async () => {
      rig.known = [{ lid: '', pn: '15550000007' }];
      expect(await rig.people.ownerLid('acme', '+15550000007')).to.include({
        isOnWhatsApp: true,
        numberJid: '15550000007@s.whatsapp.net',
        numberLid: '',
        username: '',
      });
    });

    it('reports that the number has no account', async () => {
      const nobody = { isOnWhatsApp: false, numberJid: '', numberLid: '', username: '' };
      expect(await rig.people.ownerLid('acme', '+15550000009')).to.deep.equal({
        ...own,
        number: '+15550000009',
        ...nobody,
      });
      expect(await rig.people.ownerLid('acme', '')).to.deep.equal({ ...own, number: '', ...nobody });
      expect(rig.asked).to.deep.equal(['look up 15550000009']);
    });

    it('refuses an invalid number', async () => {
      for (const number of ['bob', '12', '0155']) {
        expect(await codeOf(rig.people.ownerLid('acme', number)), number).to.equal('invalid_request');
      }
    });
  });

  it('requires a paired session', async () => {
    await rig.sessions.start('fresh', {});
    for (const [clientId, code] of Object.entries({ nobody: 'session_unknown', fresh: 'session_unpaired' })) {
      expect(await codeOf(rig.people.userInfo(clientId, BOB.lid))).to.equal(code);
      expect(await codeOf(rig.people.ownerLid(clientId, ''))).to.equal(code);
    }
  });
});
