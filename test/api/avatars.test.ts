import { expect } from 'chai';
import sharp from 'sharp';
import type { PhoneView } from '../../src/sandbox/client.js';
import type { RoomView } from '../../src/services/services.js';
import { lidOf } from '../support/conversations.js';
import { eventOf } from '../support/events.js';
import { ALICE, BOB, CAROL, linkSession } from '../support/pairing.js';
import { picture } from '../support/pictures.js';
import { startWorld, type World } from '../support/world.js';

describe('profile pictures over the wire', () => {
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
  const rooms = async (): Promise<RoomView[]> => {
    const { chatRooms } = (await world.api.get('/chatrooms?clientId=acme')).body;
    return Array.isArray(chatRooms) ? chatRooms : [];
  };
  const avatarOf = async ({ lid }: PhoneView) =>
    (await rooms()).find(({ remoteJid }) => remoteJid === lid)?.avatarUrl;

  /** The stored copy, as anybody can fetch it. */
  async function copy(url: unknown) {
    const response = await fetch(String(url));
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('image/jpeg');
    return sharp(Buffer.from(await response.arrayBuffer())).metadata();
  }

  it('are shown in both sizes, with a copy that anybody can fetch', async () => {
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

  it('stay as they were told for a day, unless they change or are asked for anew', async () => {
    const first = (await show(bob.lid)).body;
    const again = await show(BOB.number, '&refresh=true');
    expect(again.body).to.include({ id: first.id, storedUrl: first.storedUrl });
    await says(BOB.number, 'Hello');
    bob = await world.phones.update(BOB.number, { picture: await picture('blue') });
    let changed = await show(bob.lid);
    // nobody is told when the gateway has heard of it
    while (changed.body.id === first.id) changed = await show(bob.lid);
    expect(changed.body).to.include({ id: bob.pictureId, mirrored: true });
    expect(changed.body.storedUrl).not.to.equal(first.storedUrl);
    for (const url of [first.storedUrl, changed.body.storedUrl]) await copy(url);
  });

  it('say why there are none', async () => {
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

  it('of groups are shown too', async () => {
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

  it('are given to all rooms, and then to events', async () => {
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

  it('are given to no room without a hosted inbox', async () => {
    await says(BOB.number, 'Hello');
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: '' });
    expect(await refresh(true)).to.deep.equal({ rooms: 0, updated: 0, skipped: 0, noPhoto: 0, failed: 0 });
  });

  it('stay with their links across a restart', async () => {
    await says(BOB.number, 'Hello');
    const { body } = await show(bob.lid);
    await world.restartDaemon();
    expect((await show(bob.lid)).body).to.include({ id: body.id, url: body.url, mirrored: true });
    const avatarUrl = await avatarOf(bob);
    await copy(avatarUrl);
    expect(await says(BOB.number, 'Hello again')).to.include({ avatarUrl });
  });

  it('go with their session', async () => {
    const { storedUrl } = (await show(bob.lid)).body;
    await world.api.post('/disconnect', { clientId: 'acme' });
    expect((await fetch(String(storedUrl))).status).to.equal(404);
  });

  it('of nobody, or of what is no address, are refused', async () => {
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
