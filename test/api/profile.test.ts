import { expect } from 'chai';
import sharp from 'sharp';
import { eventOf } from '../support/receiver.js';
import { ALICE, BOB, CAROL, linkSession, startWorld, type World } from '../support/world.js';

describe('the profile and block routes over the wire', () => {
  let world: World;
  let red: Buffer;

  before(async () => {
    world = await startWorld({ settings: { allowPrivateUrls: true } });
    for (const person of [BOB, CAROL]) await world.phones.addPhone(person);
    await linkSession(world, 'acme');
    const background = { r: 200, g: 0, b: 0 };
    red = await sharp({ create: { width: 300, height: 100, channels: 3, background } })
      .png()
      .toBuffer();
  });
  after(() => world.stop());

  const ask = (path: string, body: object) => world.api.post(path, { clientId: 'acme', ...body });
  const done = async (path: string, body: object) => {
    const answer = await ask(path, body);
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }]);
  };
  const profile = async () => (await world.api.get('/profile?clientId=acme')).body;
  const alice = () => world.phones.phone(ALICE.number);

  describe('the profile of the linked number', () => {
    it('shows what the network has, and what the owner changes on the phone', async () => {
      const { lid } = await alice();
      await world.phones.update(ALICE.number, { status: 'From the phone' });
      expect(await profile()).to.deep.equal({
        jid: lid,
        phone: ALICE.number,
        name: ALICE.name,
        about: 'From the phone',
        pictureId: '',
        disappearingSeconds: 0,
      });
    });

    it('changes name, text and default timer, and only those that are given', async () => {
      await done('/set-profile', { name: 'Alice & Co', about: 'Open', disappearingSeconds: 604_800 });
      await done('/set-profile', { about: '' });
      const changed = { name: 'Alice & Co', about: '', disappearingSeconds: 604_800 };
      expect(await profile()).to.include(changed);
      // the phone has read the settings that its devices share
      await world.phones.chats(ALICE.number);
      const phone = await alice();
      expect(phone).to.include({ name: 'Alice & Co', status: '' });
      expect(await world.phones.people.privacy(ALICE.number)).to.include({ defaultEphemeral: 604_800 });
    });

    it('sets the text that current clients show, and the one that older clients show', async () => {
      await world.phones.update(ALICE.number, { status: 'Before' });
      await done('/set-profile', { about: 'After' });
      expect((await profile()).about).to.equal('After');
      expect(await alice()).to.include({ status: 'After' });
      const { status } = (await ask('/user-info', { jid: ALICE.number })).body;
      expect(status).to.equal('After');
    });

    it('refuses an empty change with 400', async () => {
      const { status, body } = await ask('/set-profile', {});
      expect(status).to.equal(400);
      expect(body.error).to.match(/name, about, disappearingSeconds/);
    });
  });

  describe('the picture of the linked number', () => {
    const picture = async () => (await alice()).pictureId;

    it('is set by an upload as a square JPEG, and removed', async () => {
      const form = new FormData();
      form.set('clientId', 'acme');
      form.set('file', new Blob([new Uint8Array(red)], { type: 'image/png' }), 'red.png');
      const { status, body } = await world.api.upload('/set-profile-picture?clientId=acme', form);
      expect([status, body]).to.deep.equal([200, { ok: true }]);
      expect((await profile()).pictureId)
        .to.equal(await picture())
        .and.not.equal('');
      const { url } = (
        await world.api.get(
          `/profile-picture?clientId=acme&jid=${ALICE.number.replace('+', '%2B')}&preview=false`,
        )
      ).body;
      const shown = Buffer.from(
        await (await fetch(String(url).replace(/^https:\/\/[^/]+/, world.sandbox.url))).arrayBuffer(),
      );
      expect(await sharp(shown).metadata()).to.include({ format: 'jpeg', width: 640, height: 640 });
      await done('/set-profile-picture', { downloadUrl: '' });
      expect(await picture()).to.equal('');
    });

    it('is refused with 400 when the file is not a picture, or the form is another one', async () => {
      const upload = async (form: FormData) =>
        (await world.api.upload('/set-profile-picture?clientId=acme', form)).body.error;
      const text = new FormData();
      text.set('clientId', 'acme');
      text.set('file', new Blob(['no picture'], { type: 'image/png' }), 'red.png');
      expect(await upload(text)).to.match(/the picture must be a JPEG/);
      const none = new FormData();
      none.set('clientId', 'acme');
      expect(await upload(none)).to.match(/file is required/);
      const { status, body } = await ask('/set-profile-picture', {});
      expect([status, body.error]).to.deep.equal([400, 'downloadUrl is required']);
    });
  });

  describe('the block list', () => {
    const blocked = async () => (await world.api.get('/blocked?clientId=acme')).body.blocked;

    it('blocks and unblocks a person, whose messages do not arrive meanwhile', async () => {
      const { lid } = await world.phones.phone(BOB.number);
      await done('/block', { jid: BOB.number });
      const [entry] = Object.values(Object(await blocked()));
      expect(entry).to.include({ jid: lid, phone: BOB.number });
      expect((await world.phones.people.privacy(ALICE.number)).blocked).to.deep.equal([BOB.number]);
      const lost = await world.phones.write(BOB.number, { to: ALICE.number, text: 'blocked' });
      await done('/unblock', { jid: lid });
      expect(await blocked()).to.deep.equal([]);
      const arrived = await world.phones.write(BOB.number, { to: ALICE.number, text: 'again' });
      await eventOf(world.receiver, arrived.messageId);
      expect(world.receiver.calls.filter(({ body }) => body.includes(lost.messageId))).to.deep.equal([]);
    });

    it('shows people whom the owner blocks on the phone', async () => {
      const { lid } = await world.phones.phone(CAROL.number);
      await world.phones.people.changePrivacy(ALICE.number, { blocked: [CAROL.number] });
      expect(await blocked()).to.deep.equal([{ jid: lid, phone: '', displayName: '' }]);
      await world.phones.people.changePrivacy(ALICE.number, { blocked: [] });
      expect(await blocked()).to.deep.equal([]);
    });

    it('refuses the linked number, a group and an unknown person with 400', async () => {
      for (const [jid, why] of [
        [ALICE.number, /must not be the linked number/],
        ['120363999999999999@g.us', /must be a person/],
        ['+15559999999', /not on the network/],
      ] as const) {
        const { status, body } = await ask('/block', { jid });
        expect(status, jid).to.equal(400);
        expect(body.error).to.match(why);
      }
    });
  });
});
