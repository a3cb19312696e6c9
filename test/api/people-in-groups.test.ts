import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { EventEnvelope } from '../../src/events/envelope.js';
import type { MessageView, RoomView } from '../../src/services/services.js';
import { lidOf } from '../support/conversations.js';
import { eventOf } from '../support/events.js';
import { ALICE, BOB, CAROL, linkSession, reached } from '../support/pairing.js';
import { picture } from '../support/pictures.js';
import { startWorld, type World } from '../support/world.js';

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
  async function room(): Promise<RoomView | undefined> {
    const { chatRooms } = (await world.api.get('/chatrooms?clientId=acme')).body;
    const rooms: RoomView[] = Array.isArray(chatRooms) ? chatRooms : [];
    return rooms.find((each) => each.chatRoomId === chatRoomId);
  }
  async function rows(): Promise<MessageView[]> {
    const { messages } = (await world.api.get(`/chatrooms/${chatRoomId}/messages`)).body;
    return Array.isArray(messages) ? messages : [];
  }

  it('have their subject, also on what the linked number writes', async () => {
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

  it('have the new subject as soon as it changes', async () => {
    await says(BOB, { text: 'Hello all' });
    await world.phones.groups.update(BOB.number, jid, { subject: 'Old friends' });
    // the room follows by itself
    while ((await room())?.name !== 'Old friends') await setImmediate();
    expect((await says(BOB, { text: 'Hello again' })).group).to.include({ subject: 'Old friends' });
  });

  it('have their picture', async () => {
    await says(BOB, { text: 'Hello all' });
    await world.phones.groups.update(BOB.number, jid, { picture: await picture('green') });
    const { body } = await world.api.get(`/profile-picture?clientId=acme&jid=${jid}&refresh=true`);
    expect(await room()).to.include({ avatarUrl: body.storedUrl });
    expect(await says(CAROL, { text: 'Nice' })).to.include({ avatarUrl: body.storedUrl });
  });

  it('let admins delete what others wrote, from the moment they are admins', async () => {
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

  it('let everybody delete what they wrote themselves', async () => {
    const { messageId: targetId } = await says(CAROL, { text: 'oops' });
    const event = await says(CAROL, { revoke: { messageId: targetId } });
    expect(event.revoke).to.deep.equal({ targetId, byAdmin: false });
    expect((await rows())[0]).to.include({ deleted: true });
  });

  it('are what they have become while the number was not linked', async () => {
    await says(BOB, { text: 'Hello all' });
    await world.phones.unlink(ALICE.number);
    await reached(world, 'acme', 'logged_out');
    await world.phones.groups.update(BOB.number, jid, { subject: 'Old friends' });
    await linkSession(world, 'acme');
    expect((await says(BOB, { text: 'Hello again' })).group).to.include({ subject: 'Old friends' });
    expect(await room()).to.include({ name: 'Old friends' });
  });
});
