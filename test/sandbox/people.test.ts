import { type BinaryNode, proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import sharp from 'sharp';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, codeOf, pnJid, SandboxWorld } from './support/world.js';

const NEW_NUMBER = '+15550000009';
const PREVIEW_PX = 96;
const IMAGE_PX = 640;

describe('Sandbox: people', () => {
  const world = new SandboxWorld();

  afterEach(() => world.close());

  const textsOf = async (number: string) => (await world.client.messages(number)).map(({ text }) => text);
  const lidOf = async (number: string) => (await world.client.phone(number)).lid;

  /** Bob has written to Alice's client: they know each other. */
  async function acquainted(): Promise<BaileysDevice> {
    const alice = await world.linked(ALICE);
    await world.client.write(BOB, { to: ALICE, text: 'Hello' });
    await alice.text('Hello');
    return alice;
  }

  /** Gets a picture from the network's host for them. */
  async function fetchPicture(url: string | undefined): Promise<Response> {
    const { host, pathname, search } = new URL(url ?? '');
    expect(host).to.equal('pps.whatsapp.net');
    return fetch(`${world.sandbox.url}${pathname}${search}`);
  }

  async function sizeOf(response: Response) {
    const { width, height, format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    return { width, height, format };
  }

  describe('with pictures', () => {
    beforeEach(() => world.open());

    it('serves pictures in two sizes at signed addresses', async () => {
      const alice = await world.linked(ALICE);
      await world.client.update(BOB, { picture: await image(1_000, 'red') });
      const { pictureId } = await world.client.phone(BOB);
      expect(pictureId).not.to.equal('');
      const large = await fetchPicture(await alice.socket.profilePictureUrl(pnJid(BOB), 'image'));
      expect(large.headers.get('content-type')).to.equal('image/jpeg');
      expect(await sizeOf(large)).to.deep.equal({ width: IMAGE_PX, height: IMAGE_PX, format: 'jpeg' });
      const url = await alice.socket.profilePictureUrl(await lidOf(BOB), 'preview');
      expect(await sizeOf(await fetchPicture(url))).to.include({ width: PREVIEW_PX, height: PREVIEW_PX });
      const forged = new URL(url ?? '');
      forged.searchParams.set('oe', 'ffffffff');
      expect((await fetchPicture(forged.href)).status).to.equal(403);
    });

    it('notifies contacts of every change of a picture', async () => {
      const alice = await acquainted();
      const lid = await lidOf(BOB);
      const news = (imgUrl: string) =>
        alice.until('contacts.update', (all) => all.some((one) => one.id === lid && one.imgUrl === imgUrl));
      const changed = news('changed');
      await world.client.update(BOB, { picture: await image(200, 'red') });
      await changed;
      const first = await world.client.phone(BOB);
      const again = news('changed');
      await world.client.update(BOB, { picture: await image(200, 'blue') });
      await again;
      expect(Number((await world.client.phone(BOB)).pictureId)).to.be.greaterThan(Number(first.pictureId));
      const removed = news('removed');
      await world.client.update(BOB, { picture: null });
      await removed;
      expect(await codeOf(alice.socket.profilePictureUrl(lid))).to.equal(404);
    });

    it('hides a picture from people who may not see it', async () => {
      const [alice, bob] = [await acquainted(), await world.linked(BOB)];
      await world.client.update(BOB, { picture: await image(200, 'red'), pictureHidden: true });
      expect(await codeOf(alice.socket.profilePictureUrl(pnJid(BOB)))).to.equal(401);
      expect(await bob.socket.profilePictureUrl(pnJid(BOB))).to.be.a('string');
      expect(await profileOf(alice, pnJid(BOB))).not.to.have.property('picture');
      await world.client.update(BOB, { pictureHidden: false });
      expect(await profileOf(alice, pnJid(BOB))).to.have.nested.property(
        'picture.attrs.id',
        (await world.client.phone(BOB)).pictureId,
      );
    });

    it('returns no picture for new and for unknown people', async () => {
      const alice = await world.linked(ALICE);
      expect(await codeOf(alice.socket.profilePictureUrl(pnJid(BOB)))).to.equal(404);
      expect(await codeOf(alice.socket.profilePictureUrl('15559999999@s.whatsapp.net'))).to.equal(404);
      const refusal = await world.client
        .update(BOB, { picture: Buffer.from('no image').toString('base64') })
        .catch((error) => error);
      expect(refusal.status).to.equal(400);
    });

    it('lets clients change the picture of the own account and of groups', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      const { jid } = await world.client.groups.create(ALICE, {
        subject: 'Friends',
        participants: [BOB, CAROL],
      });
      const picture = Buffer.from(await image(300, 'green'), 'base64');
      await bob.socket.updateProfilePicture(pnJid(BOB), picture);
      expect(await alice.socket.profilePictureUrl(await lidOf(BOB))).to.be.a('string');
      const changed = alice.until('contacts.update', ([one]) => one?.id === jid && one.imgUrl === 'changed');
      await bob.socket.updateProfilePicture(jid, picture);
      await changed;
      const url = await alice.socket.profilePictureUrl(jid, 'image');
      expect((await fetchPicture(url)).status).to.equal(200);
      await world.client.groups.update(ALICE, jid, { locked: true });
      expect(await codeOf(bob.socket.removeProfilePicture(jid))).to.equal(403);
      await world.client.groups.update(ALICE, jid, { picture: null });
      expect(await codeOf(bob.socket.profilePictureUrl(jid))).to.equal(404);
      await bob.socket.removeProfilePicture(pnJid(BOB));
      expect((await world.client.phone(BOB)).pictureId).to.equal('');
    });
  });

  describe('with profiles', () => {
    beforeEach(() => world.open());

    it('shows status text, user name and verified name', async () => {
      const alice = await world.linked(ALICE);
      await world.client.update(BOB, {
        status: 'at work',
        username: 'bob.builder',
        businessName: 'Bob & Sons',
      });
      const profile = await profileOf(alice, await lidOf(BOB));
      expect(profile.status?.content?.toString()).to.equal('at work');
      expect(profile.username?.content?.toString()).to.equal('bob.builder');
      expect(verifiedName(profile.business)).to.equal('Bob & Sons');
      expect(await alice.socket.getBusinessProfile(pnJid(BOB))).to.include({ description: 'at work' });
      expect(await alice.socket.getBusinessProfile(pnJid(CAROL))).to.equal(undefined);
      await world.client.write(BOB, { to: ALICE, text: 'Our offer' });
      expect((await alice.text('Our offer')).verifiedBizName).to.equal('Bob & Sons');
      const { jid } = await world.client.groups.create(BOB, { subject: 'Clients', participants: [ALICE] });
      await world.client.write(BOB, { to: jid, text: 'To all' });
      expect((await alice.text('To all')).key).to.include({ participantUsername: 'bob.builder' });
    });

    it('hides the status text, and refuses to add people to groups who do not allow it', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      await world.client.update(BOB, { status: 'secret' });
      await bob.socket.updateStatusPrivacy('none');
      await bob.socket.updateGroupsAddPrivacy('contacts');
      const profile = await profileOf(alice, pnJid(BOB));
      expect(profile.status?.attrs.code).to.equal('401');
      expect((await world.client.phone(BOB)).onlyAdminsAddMe).to.equal(true);
      expect(await bob.socket.fetchPrivacySettings(true)).to.include({
        groupadd: 'contacts',
        status: 'none',
        last: 'all',
      });
    });
  });

  describe('who hide their LID', () => {
    const HIDDEN = '+15550000007';

    beforeEach(async () => {
      await world.open();
      await world.client.addPhone({ number: HIDDEN, name: 'Hilda', hideLid: true });
    });

    it('shows the number of a person without a LID in private chats', async () => {
      const alice = await world.linked(ALICE);
      await world.client.write(HIDDEN, { to: ALICE, text: 'Hello' });
      const { key } = await alice.text('Hello');
      expect(key).to.include({ remoteJid: pnJid(HIDDEN), addressingMode: 'pn' });
      expect(key.remoteJidAlt).to.equal(undefined);
      expect(await alice.socket.signalRepository.lidMapping.getLIDForPN(pnJid(HIDDEN))).to.equal(null);
      const delivered = alice.until('messages.update', () => true);
      const id = await alice.say(pnJid(HIDDEN), 'Who are you?');
      expect((await delivered)[0]?.key).to.include({ id, remoteJid: pnJid(HIDDEN) });
      await world.client.write(ALICE, { to: HIDDEN, text: 'from my phone' });
      const echo = await alice.text('from my phone');
      expect(echo.key).to.include({ remoteJid: pnJid(HIDDEN), fromMe: true });
    });

    it('shows the LID of a person without a number in groups', async () => {
      const alice = await world.linked(ALICE);
      const { jid } = await world.client.groups.create(ALICE, { subject: 'Friends', participants: [HIDDEN] });
      await world.client.write(HIDDEN, { to: jid, text: 'Hello all' });
      const { key } = await alice.text('Hello all');
      expect(key).to.include({ participant: await lidOf(HIDDEN) });
      expect(key.participantAlt).to.equal(undefined);
      const { participants } = await alice.socket.groupMetadata(jid);
      expect(participants[1]).to.include({ id: await lidOf(HIDDEN), phoneNumber: undefined });
    });

    it('keeps the chat when a person reveals the LID', async () => {
      const alice = await world.linked(ALICE);
      await world.client.write(HIDDEN, { to: ALICE, text: 'before' });
      await alice.text('before');
      await alice.say(pnJid(HIDDEN), 'also before');
      await world.client.waitForMessage(HIDDEN, ({ text }) => text === 'also before');
      const { lid } = await world.client.revealLid(HIDDEN);
      await world.client.write(HIDDEN, { to: ALICE, text: 'after' });
      expect((await alice.text('after')).key).to.include({ remoteJid: lid, remoteJidAlt: pnJid(HIDDEN) });
      await alice.say(lid, 'also after');
      const held = await world.client.waitForMessage(HIDDEN, ({ text }) => text === 'also after');
      expect(held.from).to.equal(ALICE);
      expect(await alice.socket.signalRepository.lidMapping.getLIDForPN(pnJid(HIDDEN))).to.equal(lid);
    });
  });

  describe('who change their number', () => {
    beforeEach(() => world.openKept());

    it('keeps LID, chats and groups of a person whose number changes', async () => {
      const alice = await acquainted();
      const lid = await lidOf(BOB);
      const { jid } = await world.client.groups.create(BOB, { subject: 'Friends', participants: [ALICE] });
      const told = new Promise<BinaryNode>((resolve) =>
        alice.socket.ws.on('CB:notification,type:contacts', resolve),
      );
      expect(await world.client.changeNumber(BOB, NEW_NUMBER)).to.include({ number: NEW_NUMBER, lid });
      const [modify] = childrenOf(await told);
      expect(modify).to.deep.include({
        tag: 'modify',
        attrs: { old: pnJid(BOB), new: pnJid(NEW_NUMBER), old_lid: lid, new_lid: lid },
      });
      expect(await alice.socket.onWhatsApp(BOB, NEW_NUMBER)).to.deep.equal([
        { jid: pnJid(NEW_NUMBER), exists: true },
      ]);
      await world.client.write(NEW_NUMBER, { to: ALICE, text: 'My new number' });
      expect((await alice.text('My new number')).key).to.include({
        remoteJid: lid,
        remoteJidAlt: pnJid(NEW_NUMBER),
      });
      await alice.say(lid, 'Noted');
      await world.client.waitForMessage(NEW_NUMBER, ({ text }) => text === 'Noted');
      const { owner, participants } = await world.client.groups.get(jid);
      expect([owner, ...participants.map(({ number }) => number)]).to.deep.equal([
        NEW_NUMBER,
        NEW_NUMBER,
        ALICE,
      ]);
      const texts = await textsOf(NEW_NUMBER);
      await alice.stop();
      await world.restart();
      expect(await textsOf(NEW_NUMBER)).to.deep.equal(texts);
      expect((await world.client.messages(ALICE)).map(({ from }) => from)).to.deep.equal([
        NEW_NUMBER,
        NEW_NUMBER,
        ALICE,
      ]);
      await alice.connect(world.sandbox.wsUrl);
      await world.client.write(NEW_NUMBER, { to: ALICE, text: 'Still here' });
      await alice.text('Still here');
    });

    it('unlinks the devices of a person whose number changes', async () => {
      const bob = await world.linked(BOB);
      const closed = bob.closed();
      await world.client.changeNumber(BOB, NEW_NUMBER);
      expect(await closed).to.equal(401);
      expect((await world.client.phone(NEW_NUMBER)).devices).to.deep.equal([]);
    });

    it('gives the old number to a different person', async () => {
      await acquainted();
      await world.client.changeNumber(BOB, NEW_NUMBER);
      const other = await world.client.addPhone({ number: BOB, name: 'Another Bob' });
      expect(other.lid).not.to.equal(await lidOf(NEW_NUMBER));
      await world.client.write(BOB, { to: CAROL, text: 'Hi' });
      await world.client.waitForMessage(CAROL, ({ text }) => text === 'Hi');
      await world.restart();
      expect(await textsOf(BOB)).to.deep.equal(['Hi']);
      expect(await textsOf(NEW_NUMBER)).to.deep.equal(['Hello']);
    });

    it('refuses a number that is in use', async () => {
      const refusal = await world.client.changeNumber(BOB, CAROL).catch((error) => error);
      expect(refusal.status).to.equal(409);
    });
  });

  it('keeps profiles, pictures and privacy through a restart', async () => {
    await world.openKept();
    await world.client.update(BOB, {
      picture: await image(100, 'red'),
      businessName: 'Bob & Sons',
      hideLid: true,
    });
    await world.client.update(CAROL, { pictureHidden: true, onlyAdminsAddMe: true });
    const before = await world.client.phones();
    await world.restart();
    expect(await world.client.phones()).to.deep.equal(before);
    const alice = await world.linked(ALICE);
    const url = await alice.socket.profilePictureUrl(pnJid(BOB));
    expect((await fetchPicture(url)).status).to.equal(200);
  });
});

/** A square image in base64. */
async function image(size: number, background: string): Promise<string> {
  const create = { width: size, height: size, channels: 3 as const, background };
  return (await sharp({ create }).png().toBuffer()).toString('base64');
}

/** The profile from the network, by element name. */
async function profileOf(device: BaileysDevice, jid: string): Promise<Record<string, BinaryNode>> {
  const protocols = ['business', 'status', 'picture', 'lid', 'username'].map((tag) => ({ tag, attrs: {} }));
  const answer: BinaryNode = await device.socket.query({
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'usync' },
    content: [
      {
        tag: 'usync',
        attrs: { context: 'interactive', mode: 'full', sid: 'test', last: 'true', index: '0' },
        content: [
          { tag: 'query', attrs: {}, content: protocols },
          { tag: 'list', attrs: {}, content: [{ tag: 'user', attrs: { jid } }] },
        ],
      },
    ],
  });
  const list = childrenOf(childrenOf(answer)[0]).find(({ tag }) => tag === 'list');
  const [user] = childrenOf(list);
  return Object.fromEntries(childrenOf(user).map((element) => [element.tag, element]));
}

function verifiedName(business: BinaryNode | undefined): string | null | undefined {
  const [{ content } = {}] = childrenOf(business);
  if (!(content instanceof Uint8Array)) return undefined;
  const { details } = proto.VerifiedNameCertificate.decode(content);
  return details && proto.VerifiedNameCertificate.Details.decode(details).verifiedName;
}

function childrenOf(node: BinaryNode | undefined): BinaryNode[] {
  return Array.isArray(node?.content) ? node.content : [];
}
