import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import sharp from 'sharp';
import type { PhoneView } from '../../src/client/sandbox/client.js';
import type { EventEnvelope } from '../../src/contract/events/envelope.js';
import type { ChatRoom, StoredMessage } from '../../src/contract/index.js';
import { picture } from '../support/made-files.js';
import { eventOf } from '../support/receiver.js';
import { ALICE, BOB, CAROL, lidOf, linkSession, reached, startWorld, type World } from '../support/world.js';

const HILDA = '+15550000007';
const NOBODY = '+15559999999';

describe('the routes about people, over the wire', () => {
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

  it('describe a person by any form of the address', async () => {
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

  it('return the known number and name of a person on request', async () => {
    const { body } = await world.api.post('/user-info', {
      clientId: 'acme',
      jid: bob.lid,
      withContact: true,
    });
    expect(body).to.include({ jid: bob.lid, phone: BOB.number, verifiedName: 'Bob & Sons' });
    expect(body.displayName).to.be.a('string');
  });

  it('describe a person without a profile, by number when the LID is hidden', async () => {
    const { status, body } = await userInfo(HILDA);
    expect(status).to.equal(200);
    expect(body).to.include({
      jid: '15550000007@s.whatsapp.net',
      username: '',
      pictureId: '',
      verifiedName: '',
    });
  });

  it('answer 404 for an unknown person', async () => {
    for (const jid of [NOBODY, '999999999999999', '999999999999999@lid']) {
      const { status, body } = await userInfo(jid);
      expect(status, jid).to.equal(404);
      expect(body.error).to.include('the network knows nobody by');
    }
  });

  const wrong = ['bob', '15550000002@example.com', '120363040000000000@g.us', '+1', 'status@broadcast'];
  for (const jid of wrong) {
    it(`refuse ${jid} as a person`, async () => {
      const { status, body } = await userInfo(jid);
      expect(status).to.equal(400);
      expect(body.error).to.match(/^jid must be a person: /);
    });
  }

  it('return the own addresses, and those of a number', async () => {
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

  it('refuse an invalid number', async () => {
    for (const number of ['bob', '12', '+', '0155500000', BOB.number.replace('+', '00')]) {
      const { status, body } = await ownerLid(number);
      expect(status, number).to.equal(400);
      expect(body.error).to.equal('number must be a phone number with its country code');
    }
  });

  it('require a paired session', async () => {
    await world.api.post('/start?clientId=fresh', {});
    for (const clientId of ['nobody', 'fresh']) {
      expect((await userInfo(bob.lid, clientId)).status).to.equal(404);
      expect((await ownerLid('', clientId)).status).to.equal(404);
    }
  });
});

describe('groups in events and in the hosted inbox', () => {
  let world: World;
  let jid: string;
  let chatRoomId: string;

  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await world.phones.addPhone(CAROL);
    await linkSession(world, 'acme');
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    await world.api.post('/set-enable-group-ai', { clientId: 'acme', enabled: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    const participants = [ALICE.number, CAROL.number];
    ({ jid } = await world.phones.groups.create(BOB.number, { subject: 'Friends', participants }));
    const alice = await world.phones.phone(ALICE.number);
    chatRoomId = `acme-${lidOf(alice)}-${jid.split('@')[0]}`;
  });

  async function says({ number }: { number: string }, content: object): Promise<EventEnvelope> {
    const { messageId } = await world.phones.write(number, { to: jid, ...content });
    return eventOf(world.receiver, messageId);
  }
  async function room(): Promise<ChatRoom | undefined> {
    const { chatRooms } = (await world.api.get('/chatrooms?clientId=acme')).body;
    const rooms: ChatRoom[] = Array.isArray(chatRooms) ? chatRooms : [];
    return rooms.find((each) => each.chatRoomId === chatRoomId);
  }
  async function rows(): Promise<StoredMessage[]> {
    const { messages } = (await world.api.get(`/chatrooms/${chatRoomId}/messages`)).body;
    return Array.isArray(messages) ? messages : [];
  }

  it('groups show the subject, also in messages of the linked number', async () => {
    const bob = await world.phones.phone(BOB.number);
    const event = await says(BOB, { text: 'Hello all' });
    expect(event).to.include({
      isGroup: true,
      chatRoomId,
      remoteJid: jid,
      remoteName: 'Friends',
      pushName: 'Bob',
    });
    expect(event.group).to.deep.equal({
      jid,
      subject: 'Friends',
      participant: lidOf(bob),
      participantPhone: BOB.number,
    });
    const sent = await world.api.post('/send-message', { clientId: 'acme', to: jid, body: 'Hello Bob' });
    const echo = await eventOf(world.receiver, String(sent.body.messageId));
    expect(echo.group).to.include({ jid, subject: 'Friends' });
    expect(await room()).to.include({ name: 'Friends', isGroup: true, remoteJid: jid });
    const [row] = await rows();
    expect(row?.extras.group).to.deep.equal(event.group);
  });

  it('groups show the new subject as soon as it changes', async () => {
    await says(BOB, { text: 'Hello all' });
    await world.phones.groups.update(BOB.number, jid, { subject: 'Old friends' });
    // the room follows by itself
    while ((await room())?.name !== 'Old friends') await setImmediate();
    expect((await says(BOB, { text: 'Hello again' })).group).to.include({ subject: 'Old friends' });
  });

  it('groups show the picture', async () => {
    await says(BOB, { text: 'Hello all' });
    await world.phones.groups.update(BOB.number, jid, { picture: await picture('green') });
    const { body } = await world.api.get(`/profile-picture?clientId=acme&jid=${jid}&refresh=true`);
    expect(await room()).to.include({ avatarUrl: body.storedUrl });
    expect(await says(CAROL, { text: 'Nice' })).to.include({ avatarUrl: body.storedUrl });
  });

  it("accept deletions of other people's messages by admins, from the moment they become admins", async () => {
    const ofBob = await says(BOB, { text: 'of Bob' });
    const ofCarol = await says(CAROL, { text: 'of Carol' });
    const targetId = ofCarol.messageId;
    const byBob = await says(BOB, { revoke: { messageId: targetId } });
    expect(byBob).to.deep.include({ type: 'revoke', revoke: { targetId, byAdmin: true } });
    await world.phones.groups.participants(BOB.number, jid, 'promote', [CAROL.number]);
    const byCarol = await says(CAROL, { revoke: { messageId: ofBob.messageId } });
    expect(byCarol.revoke).to.deep.equal({ targetId: ofBob.messageId, byAdmin: true });
    expect((await rows()).map(({ deleted }) => deleted)).to.deep.equal([true, true]);
  });

  it('accept deletions of own messages by any member', async () => {
    const { messageId: targetId } = await says(CAROL, { text: 'oops' });
    const event = await says(CAROL, { revoke: { messageId: targetId } });
    expect(event.revoke).to.deep.equal({ targetId, byAdmin: false });
    expect((await rows())[0]).to.include({ deleted: true });
  });

  it('groups are current after the number was not linked for a while', async () => {
    await says(BOB, { text: 'Hello all' });
    await world.phones.unlink(ALICE.number);
    await reached(world, 'acme', 'logged_out');
    await world.phones.groups.update(BOB.number, jid, { subject: 'Old friends' });
    await linkSession(world, 'acme');
    expect((await says(BOB, { text: 'Hello again' })).group).to.include({ subject: 'Old friends' });
    expect(await room()).to.include({ name: 'Old friends' });
  });
});

describe('the picture route, over the wire', () => {
  let world: World;
  let bob: PhoneView;

  beforeEach(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    bob = await world.phones.update(BOB.number, { picture: await picture('red') });
    await linkSession(world, 'acme');
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
  });
  afterEach(() => world.stop());

  const show = (jid: string, more = '') =>
    world.api.get(`/profile-picture?clientId=acme&jid=${encodeURIComponent(jid)}${more}`);
  const refresh = async (force?: boolean) => {
    const { status, body } = await world.api.post('/refresh-avatars', {
      clientId: 'acme',
      ...(force !== undefined && { force }),
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const says = async (number: string, text: string, to = ALICE.number) => {
    const { messageId } = await world.phones.write(number, { to, text });
    return eventOf(world.receiver, messageId);
  };
  const rooms = async (): Promise<ChatRoom[]> => {
    const { chatRooms } = (await world.api.get('/chatrooms?clientId=acme')).body;
    return Array.isArray(chatRooms) ? chatRooms : [];
  };
  const avatarOf = async ({ lid }: PhoneView) =>
    (await rooms()).find(({ remoteJid }) => remoteJid === lid)?.avatarUrl;

  /** The stored copy, fetched without a token. */
  async function copy(url: unknown) {
    const response = await fetch(String(url));
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('image/jpeg');
    return sharp(Buffer.from(await response.arrayBuffer())).metadata();
  }

  it('returns both sizes, with a public copy', async () => {
    const sizes: [string, string, number][] = [
      ['', 'preview', 96],
      ['&preview=true', 'preview', 96],
      ['&preview=false', 'full', 640],
    ];
    for (const [query, type, width] of sizes) {
      const { status, body } = await show(BOB.number, query);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('jid', 'id', 'type', 'url', 'storedUrl', 'mirrored');
      expect(body).to.include({ jid: bob.lid, id: bob.pictureId, type, mirrored: true });
      expect(body.url).to.match(/^https:\/\/[a-z.-]+\.whatsapp\.net\//);
      expect(await copy(body.storedUrl)).to.include({ format: 'jpeg', width });
    }
    const { body } = await world.api.get('/media-files?clientId=acme&orgId=workspace1');
    expect(body.files, 'the media library does not list them').to.deep.equal([]);
  });

  it('caches a picture for a day, unless it changes or is refreshed', async () => {
    const first = (await show(bob.lid)).body;
    const again = await show(BOB.number, '&refresh=true');
    expect(again.body).to.include({ id: first.id, storedUrl: first.storedUrl });
    await says(BOB.number, 'Hello');
    bob = await world.phones.update(BOB.number, { picture: await picture('blue') });
    let changed = await show(bob.lid);
    // no event shows when the gateway has received the change
    while (changed.body.id === first.id) changed = await show(bob.lid);
    expect(changed.body).to.include({ id: bob.pictureId, mirrored: true });
    expect(changed.body.storedUrl).not.to.equal(first.storedUrl);
    for (const url of [first.storedUrl, changed.body.storedUrl]) await copy(url);
  });

  it('returns the reason why a picture is missing', async () => {
    await world.phones.addPhone(CAROL);
    const carol = await world.phones.phone(CAROL.number);
    expect(await show(CAROL.number)).to.deep.include({
      status: 200,
      body: { jid: carol.lid, url: '', reason: 'no picture' },
    });
    await world.phones.update(BOB.number, { pictureHidden: true });
    expect((await show(BOB.number, '&refresh=true')).body).to.deep.equal({
      jid: bob.lid,
      url: '',
      reason: 'hidden by privacy settings',
    });
  });

  it('returns pictures of groups too', async () => {
    const { jid } = await world.phones.groups.create(ALICE.number, {
      subject: 'Friends',
      participants: [BOB.number],
    });
    expect((await show(jid)).body).to.deep.equal({ jid, url: '', reason: 'no picture' });
    await world.phones.groups.update(ALICE.number, jid, { picture: await picture('green') });
    const { body } = await show(jid, '&refresh=true');
    expect(body).to.include({ jid, type: 'preview', mirrored: true });
    await copy(body.storedUrl);
  });

  it('adds pictures to all rooms, and then to events', async () => {
    await world.phones.addPhone(CAROL);
    expect(await says(BOB.number, 'Hello')).to.include({ avatarUrl: '' });
    await says(CAROL.number, 'Hello');
    expect(await refresh()).to.deep.equal({ rooms: 2, updated: 1, skipped: 0, noPhoto: 1, failed: 0 });
    const avatarUrl = await avatarOf(bob);
    expect(await copy(avatarUrl)).to.include({ width: 96 });
    expect(await says(BOB.number, 'Hello again')).to.include({ avatarUrl });
    expect(await says(CAROL.number, 'Hello again')).to.include({ avatarUrl: '' });
    expect(await refresh(false)).to.deep.equal({ rooms: 2, updated: 0, skipped: 1, noPhoto: 1, failed: 0 });

    await world.phones.update(CAROL.number, { picture: await picture('blue') });
    await world.phones.update(BOB.number, { picture: null });
    expect(await refresh(true)).to.deep.equal({ rooms: 2, updated: 1, skipped: 0, noPhoto: 1, failed: 0 });
    expect(await avatarOf(bob)).to.equal('');
    expect(await avatarOf(await world.phones.phone(CAROL.number))).to.match(/^http/);
  });

  it('adds no picture to a room without a hosted inbox', async () => {
    await says(BOB.number, 'Hello');
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: '' });
    expect(await refresh(true)).to.deep.equal({ rooms: 0, updated: 0, skipped: 0, noPhoto: 0, failed: 0 });
  });

  it('keeps pictures and their links through a restart', async () => {
    await says(BOB.number, 'Hello');
    const { body } = await show(bob.lid);
    await world.restartDaemon();
    expect((await show(bob.lid)).body).to.include({ id: body.id, url: body.url, mirrored: true });
    const avatarUrl = await avatarOf(bob);
    await copy(avatarUrl);
    expect(await says(BOB.number, 'Hello again')).to.include({ avatarUrl });
  });

  it('deletes pictures with their session', async () => {
    const { storedUrl } = (await show(bob.lid)).body;
    await world.api.post('/disconnect', { clientId: 'acme' });
    expect((await fetch(String(storedUrl))).status).to.equal(404);
  });

  it('refuses unknown people and invalid addresses', async () => {
    expect((await show('+15559999999')).status).to.equal(404);
    expect((await show('999999999999999')).status).to.equal(404);
    for (const jid of ['bob', 'status@broadcast', '15550000002@example.com']) {
      const { status, body } = await show(jid);
      expect(status, jid).to.equal(400);
      expect(body.error).to.match(/^jid must be a LID/);
    }
    const other = await world.api.get(`/profile-picture?clientId=nobody&jid=${lidOf(bob)}`);
    expect(other.status).to.equal(404);
    expect((await world.api.post('/refresh-avatars', { clientId: 'nobody' })).status).to.equal(404);
  });
});
