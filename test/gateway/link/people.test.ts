import { expect } from 'chai';
import sharp from 'sharp';
import { isGatewayError } from '../../../src/domain/errors.js';
import type { Link } from '../../../src/gateway/link/link.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const HILDA = '+15550000007';
const NOBODY = { kind: 'pn', user: '15559999999' } as const;

describe('the people of a link', () => {
  let rig: LinkRig;
  let alice: Session;
  let link: Link;
  let bob: string;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    bob = userOf((await rig.network.addPhone({ number: BOB, name: 'Bob' })).lid);
    alice = await rig.connected(ALICE);
    if (!alice.link) throw new Error('a connected session has a link');
    link = alice.link;
  });
  afterEach(() => rig.stop());

  const byLid = () => ({ kind: 'lid', user: bob }) as const;
  const byNumber = (number = BOB) => ({ kind: 'pn', user: number.slice(1) }) as const;

  describe('profiles of people', () => {
    it('returns all fields of a profile, by either address', async () => {
      const shown = { status: 'at work', username: 'bob.builder', businessName: 'Bob & Sons' };
      const { pictureId } = await rig.network.update(BOB, { ...shown, picture: await image('red') });
      const facts = { username: 'bob.builder', status: 'at work', verifiedName: 'Bob & Sons', devices: 1 };
      const profile = { lid: bob, pn: '15550000002', pictureId, ...facts };
      expect(await link.people.profile(byNumber())).to.deep.equal(profile);
      expect(await link.people.profile(byLid())).to.deep.equal(profile);
    });

    it('omits hidden fields', async () => {
      await rig.network.update(BOB, { picture: await image('red'), pictureHidden: true });
      const profile = await link.people.profile(byNumber());
      const nothing = { username: '', pictureId: '', verifiedName: '' };
      expect(profile).to.include({ lid: bob, pn: '15550000002', ...nothing });
    });

    it('returns the number of devices', async () => {
      await rig.connected(BOB);
      expect(await link.people.profile(byLid())).to.include({ devices: 2 });
    });

    it('omits a hidden LID', async () => {
      await rig.network.addPhone({ number: HILDA, name: 'Hilda', hideLid: true });
      expect(await link.people.profile(byNumber(HILDA))).to.include({ lid: '', pn: HILDA.slice(1) });
      expect(await link.lookUp(byNumber(HILDA))).to.deep.equal({ lid: '', pn: HILDA.slice(1) });
      const { lid } = await rig.network.revealLid(HILDA);
      expect(await link.lookUp(byNumber(HILDA))).to.deep.equal({ lid: userOf(lid), pn: HILDA.slice(1) });
    });

    it('returns profiles only for addresses that the network knows', async () => {
      expect(await link.people.profile(NOBODY)).to.equal(undefined);
      expect(await link.people.profile({ kind: 'lid', user: '999999999999999' })).to.equal(undefined);
    });
  });

  describe('pictures of people', () => {
    it('returns two sizes of one version, which can be downloaded', async () => {
      const { pictureId } = await rig.network.update(BOB, { picture: await image('red') });
      for (const [preview, type, width] of [
        [true, 'preview', 96],
        [false, 'image', 640],
      ] as const) {
        const picture = await link.people.picture(byLid(), preview);
        if (!('url' in picture)) throw new Error(`there is none: ${picture.reason}`);
        expect(picture).to.include({ id: pictureId, type });
        const { bytes, mimeType } = await link.people.fetchPicture(picture.url);
        expect(mimeType).to.equal('image/jpeg');
        expect(await sharp(bytes).metadata()).to.include({ format: 'jpeg', width });
      }
    });

    it('returns the reason why a picture is missing', async () => {
      expect(await link.people.picture(byNumber(), true)).to.deep.equal({ reason: 'none' });
      expect(await link.people.picture(NOBODY, true)).to.deep.equal({ reason: 'none' });
      await rig.network.update(BOB, { picture: await image('red'), pictureHidden: true });
      expect(await link.people.picture(byNumber(), true)).to.deep.equal({ reason: 'hidden' });
    });

    it('downloads pictures only from addresses of the network, and only complete ones', async () => {
      await rig.network.update(BOB, { picture: await image('red') });
      const picture = await link.people.picture(byLid(), true);
      if (!('url' in picture)) throw new Error('there is none');
      const forged = new URL(picture.url);
      forged.searchParams.set('oe', 'ffffffff');
      expect(await codeOf(link.people.fetchPicture(forged.href))).to.equal('media_gone');
      for (const url of [
        'https://example.com/picture.jpg',
        picture.url.replace('https:', 'http:'),
        'nowhere',
      ]) {
        expect(await codeOf(link.people.fetchPicture(url)), url).to.equal('media_unfetchable');
      }
      const ended = AbortSignal.abort(new Error('nobody wants it'));
      const outcome = await link.people.fetchPicture(picture.url, ended).catch((error: unknown) => error);
      expect(outcome).to.have.property('message', 'nobody wants it');
    });

    it('emits an event when a picture changes or is removed, also for groups', async () => {
      const { jid } = await rig.network.groups.create(BOB, { subject: 'Friends', participants: [ALICE] });
      await alice.next('group-changed');
      for (const picture of [await image('red'), null]) {
        alice.events.length = 0;
        await rig.network.update(BOB, { picture });
        expect(await alice.next('picture-changed')).to.include({ jid: `${bob}@lid` });
      }
      alice.events.length = 0;
      await rig.network.groups.update(BOB, jid, { picture: await image('blue') });
      expect(await alice.next('picture-changed')).to.include({ jid });
    });
  });

  it('maps a person to the new number as soon as it changes', async () => {
    await rig.network.write(BOB, { to: ALICE, text: 'Hello' });
    await alice.next('message');
    await rig.network.changeNumber(BOB, '+15550000009');
    const { lid, pn } = await alice.next('contact', ({ source }) => source === 'number-change');
    expect({ lid, pn }).to.deep.equal({ lid: bob, pn: '15550000009' });
    expect(await link.lookUp(byNumber())).to.equal(undefined);
    expect(await link.lookUp(byLid())).to.deep.equal({ lid: bob, pn: '15550000009' });
    expect(await link.people.profile(byLid())).to.include({ lid: bob, pn: '15550000009' });
  });

  it('distinguishes the new owner of a number from the former one', async () => {
    await rig.network.write(BOB, { to: ALICE, text: 'Hello' });
    await alice.next('message');
    await rig.network.changeNumber(BOB, '+15550000009');
    const other = userOf((await rig.network.addPhone({ number: BOB, name: 'Another Bob' })).lid);
    expect(await link.lookUp(byNumber())).to.deep.equal({ lid: other, pn: '15550000002' });
    await rig.network.changeNumber(BOB, '+15550000008');
    await rig.network.addPhone({ number: BOB, name: 'Hidden Bob', hideLid: true });
    expect(await link.lookUp(byNumber())).to.deep.equal({ lid: '', pn: '15550000002' });
  });

  it('reports user names that messages contain', async () => {
    await rig.network.update(BOB, { username: 'bob.builder' });
    const { jid } = await rig.network.groups.create(BOB, { subject: 'Friends', participants: [ALICE] });
    await rig.network.write(BOB, { to: jid, text: 'Hello all' });
    const { message } = await alice.next('message', (event) => textOf(event.message) === 'Hello all');
    expect(message).to.include({ participant: `${bob}@lid`, username: 'bob.builder' });
    expect(await alice.next('contact', ({ username }) => username !== undefined)).to.include({
      lid: bob,
      username: 'bob.builder',
    });
  });

  it('refuses queries without a connection', async () => {
    await alice.close();
    expect(await codeOf(link.people.profile(byNumber()))).to.equal('lookup_failed');
    expect(await codeOf(link.people.picture(byNumber(), true))).to.equal('lookup_failed');
  });
});

function userOf(jid: string): string {
  return jid.split('@')[0] ?? '';
}

/** A square picture in base64. */
async function image(background: string): Promise<string> {
  const create = { width: 700, height: 700, channels: 3 as const, background };
  return (await sharp({ create }).png().toBuffer()).toString('base64');
}

/** The error code of a call; empty when the call succeeds. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => '',
    (error: unknown) => (isGatewayError(error) ? error.code : String(error)),
  );
}
