import { expect } from 'chai';
import type { PhoneView } from '../../src/client/sandbox/client.js';
import type { EventEnvelope } from '../../src/contract/events/envelope.js';
import type { ChatRoom, StoredMessage } from '../../src/contract/index.js';
import { picture } from '../support/made-files.js';
import { eventOf } from '../support/receiver.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, lidOf, linkSession, startWorld, type World } from '../support/world.js';

/** Messages until which the names of an address book must have come. */
const LOOKS = 50;

describe('a gateway that knows several addresses of one person', () => {
  let world: World;
  let alice: PhoneView;
  let people = 0;

  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    alice = await world.phones.phone(ALICE.number);
  });
  after(() => world.stop());

  /** A new person, whose LID the network shows or hides. */
  async function stranger(options: { hideLid?: boolean } = {}): Promise<PhoneView> {
    const number = `+1555200${String(++people).padStart(4, '0')}`;
    await world.phones.addPhone({ number, name: 'Hilda', ...options });
    return world.phones.phone(number);
  }

  async function says({ number }: PhoneView, text: string, to = ALICE.number): Promise<EventEnvelope> {
    const { messageId } = await world.phones.write(number, { to, text });
    return eventOf(world.receiver, messageId);
  }

  async function sends(to: string, body: string): Promise<EventEnvelope> {
    const { status, body: answer } = await world.api.post('/send-message', { clientId: 'acme', to, body });
    expect(status, `${to}: ${JSON.stringify(answer)}`).to.equal(200);
    return eventOf(world.receiver, String(answer.messageId));
  }

  async function rooms(clientId = 'acme'): Promise<ChatRoom[]> {
    const { chatRooms: found } = (await world.api.get(`/chatrooms?clientId=${clientId}`)).body;
    return Array.isArray(found) ? found : [];
  }

  async function roomsOf(person: PhoneView): Promise<ChatRoom[]> {
    const names = [lidOf(person), person.number.slice(1)];
    return (await rooms()).filter(({ chatRoomId }) => names.some((name) => chatRoomId.endsWith(`-${name}`)));
  }

  async function textsIn(chatRoomId: string): Promise<string[]> {
    const { status, body } = await world.api.get(`/chatrooms/${chatRoomId}/messages`);
    expect(status, JSON.stringify(body)).to.equal(200);
    const messages: StoredMessage[] = Array.isArray(body.messages) ? body.messages : [];
    return messages.map((message) => message.body);
  }

  const roomId = (user: string) => `acme-${lidOf(alice)}-${user}`;

  it('names a person as the address book of the linked phone does, before the name that the person chose', async () => {
    const owner = await stranger();
    await world.phones.people.nameContacts(owner.number, [{ number: BOB.number, name: 'Bob Builder' }]);
    await linkSession(world, 'owner', { number: owner.number, name: owner.name });
    // the names arrive a moment after the connection is open: each message is a look
    const names: string[] = [];
    while (names.at(-1) !== 'Bob Builder' && names.length < LOOKS) {
      const { messageId } = await world.phones.write(BOB.number, { to: owner.number, text: 'Hello' });
      const { remoteName, pushName } = await eventOf(world.receiver, messageId);
      expect(pushName).to.equal('Bob');
      names.push(remoteName);
    }
    expect(names.at(-1)).to.equal('Bob Builder');
  });

  it('keeps one chat for every form of address that a message is sent to', async () => {
    const person = await stranger();
    const [lid, pn] = [lidOf(person), person.number.slice(1)];
    const national = `${pn.slice(1, 4)}) ${pn.slice(4, 7)}-${pn.slice(7)}`;
    const forms = [
      person.number,
      `+1 (${national}`,
      `\u202a+1\u00a0(${national}\u202c`,
      `${pn}@s.whatsapp.net`,
      `${pn}:7@s.whatsapp.net`,
      `${pn}@c.us`,
      lid,
      `${lid}@lid`,
      `${lid}:3@lid`,
    ];
    for (const to of forms) {
      const event = await sends(to, `form ${forms.indexOf(to)}`);
      expect(event, to).to.include({
        chatRoomId: roomId(lid),
        clientLid: lid,
        remoteJid: `${lid}@lid`,
        remotePhone: person.number,
      });
    }
    const [room, ...others] = await roomsOf(person);
    expect(others).to.deep.equal([]);
    expect(await textsIn(room?.chatRoomId ?? '')).to.have.length(forms.length);
    const held = await world.phones.messages(person.number);
    expect(held.map(({ text }) => text)).to.deep.equal(forms.map((_, index) => `form ${index}`));
  });

  const TWO_FORMS = {
    Mexico: ['+525512345678', '+5215512345678'],
    Argentina: ['+5491123456789', '+541123456789'],
    Brazil: ['+551187654321', '+5511987654321'],
  } as const;
  for (const [country, [number, other]] of Object.entries(TWO_FORMS)) {
    it(`keeps one chat for both forms of a mobile number of ${country}`, async () => {
      await world.phones.addPhone({ number, name: 'Frida' });
      const person = await world.phones.phone(number);
      const queries = async () => (await world.phones.stats()).queries.usync ?? 0;
      const first = await sends(other, 'by the other form');
      const asked = await queries();
      const again = await sends(other, 'by the other form again');
      expect(await queries()).to.equal(asked);
      for (const event of [first, again, await sends(number, 'as the network knows it')]) {
        expect(event).to.include({ clientLid: lidOf(person), remotePhone: number });
      }
      expect(await world.phones.messages(number)).to.have.length(3);
      expect(await roomsOf(person)).to.have.length(1);
      const info = await world.api.post('/user-info', { clientId: 'acme', jid: other });
      expect(info.body).to.include({ jid: person.lid });
      const owner = await world.api.post('/check-owner-lid', { clientId: 'acme', number: other });
      expect(owner.body).to.include({ isOnWhatsApp: true, numberJid: person.jid, numberLid: lidOf(person) });
    });
  }

  it('keeps one chat when the LID becomes known later, with earlier messages and their links', async () => {
    const hilda = await stranger({ hideLid: true });
    const [lid, pn] = [lidOf(hilda), hilda.number.slice(1)];
    const first = await says(hilda, 'by number');
    expect(first).to.include({
      chatRoomId: roomId(pn),
      clientLid: '',
      remoteJid: hilda.jid,
      remotePhone: hilda.number,
    });
    await sends(hilda.number, 'answer by number');
    const media = {
      kind: 'image',
      mimeType: 'image/png',
      base64: await picture('red', 8),
      caption: 'a photo',
    } as const;
    const photo = await world.phones.write(hilda.number, { to: ALICE.number, media });
    const { downloadUrl } = (await eventOf(world.receiver, photo.messageId)).media ?? {};
    await world.phones.write(hilda.number, {
      to: ALICE.number,
      reaction: { messageId: first.messageId, emoji: '👍' },
    });
    await world.receiver.find(({ body }) => body.includes('"type":"reaction"') && body.includes(pn));

    await world.phones.revealLid(hilda.number);
    const later = await says(hilda, 'by LID');
    expect(later).to.include({ chatRoomId: roomId(lid), clientLid: lid, remotePhone: hilda.number });
    const [room, ...others] = await roomsOf(hilda);
    expect(others, 'the room by number is gone').to.deep.equal([]);
    expect(room).to.include({
      chatRoomId: roomId(lid),
      clientLid: lid,
      remoteJid: hilda.lid,
      lastMessage: 'by LID',
      unreadCount: 3,
    });
    const texts = ['by number', 'answer by number', 'a photo', 'by LID'];
    expect(await textsIn(roomId(lid))).to.deep.equal(texts);
    expect(await textsIn(roomId(pn)), 'the id that was given out leads there').to.deep.equal(texts);
    const path = `/chatrooms/${roomId(pn)}/messages/${photo.messageId}/media-url`;
    expect((await world.api.get(path)).body.url).to.equal(downloadUrl);
    expect((await fetch(String(downloadUrl))).status).to.equal(200);
    const { body } = await world.api.get(`/chatrooms/${roomId(lid)}/messages`);
    expect(body.messages)
      .to.have.nested.property('[0].extras.reactions')
      .that.deep.equals({ [lid]: '👍' });

    const deletion = { clientId: 'acme', to: lid, messageId: photo.messageId, fromMe: false, mode: 'me' };
    const deleted = await world.api.post('/delete-message', { ...deletion, chatRoomId: roomId(pn) });
    expect(deleted.body).to.deep.equal({ status: true });
    expect(await textsIn(roomId(lid))).not.to.include('a photo');

    const answer = await sends(hilda.number, 'answer by LID');
    expect(answer).to.include({ chatRoomId: roomId(lid) });
    const quotedMessageId = first.messageId;
    const reply = { clientId: 'acme', to: lid, body: 'about the first', quotedMessageId };
    const { messageId } = (await world.api.post('/send-message', reply)).body;
    const held = await world.phones.waitForMessage(hilda.number, (one) => one.messageId === messageId);
    expect(held).to.include({ quotedMessageId, text: 'about the first' });
  });

  it('keeps one chat when only a look-up returns the LID', async () => {
    const hilda = await stranger({ hideLid: true });
    await says(hilda, 'by number');
    await world.phones.revealLid(hilda.number);
    const { body } = await world.api.post('/check-owner-lid', { clientId: 'acme', number: hilda.number });
    expect(body).to.include({ isOnWhatsApp: true, numberLid: lidOf(hilda) });
    expect((await roomsOf(hilda)).map(({ chatRoomId }) => chatRoomId)).to.deep.equal([roomId(lidOf(hilda))]);
  });

  it('keeps one chat when the LID is known from a group, and the number from a chat', async () => {
    const hilda = await stranger({ hideLid: true });
    await world.api.post('/set-enable-group-ai', { clientId: 'acme', enabled: true });
    const { jid } = await world.phones.groups.create(ALICE.number, {
      subject: 'Friends',
      participants: [hilda.number],
    });
    const inGroup = await says(hilda, 'in the group', jid);
    expect(inGroup.group).to.deep.equal({ jid, subject: 'Friends', participant: lidOf(hilda) });
    await says(hilda, 'by number');
    await world.phones.revealLid(hilda.number);
    const again = await says(hilda, 'in the group again', jid);
    expect(again.group).to.include({ participant: lidOf(hilda), participantPhone: hilda.number });
    expect((await roomsOf(hilda)).map(({ chatRoomId }) => chatRoomId)).to.deep.equal([roomId(lidOf(hilda))]);
  });

  it('keeps one chat when the person changes the number, and refuses sends to the old number', async () => {
    const person = await stranger();
    const [lid, moved] = [lidOf(person), person.number.replace('+1555200', '+1555300')];
    await says(person, 'from the old number');
    await world.phones.changeNumber(person.number, moved);
    const event = await says({ ...person, number: moved }, 'from the new number');
    expect(event).to.include({ chatRoomId: roomId(lid), clientLid: lid, remotePhone: moved });
    expect(await textsIn(roomId(lid))).to.deep.equal(['from the old number', 'from the new number']);
    expect(await sends(moved, 'to the new number')).to.include({ chatRoomId: roomId(lid) });
    const refused = await world.api.post('/send-message', {
      clientId: 'acme',
      to: person.number,
      body: 'old',
    });
    expect(refused.status).to.equal(400);
    expect(refused.body.error).to.include('is not on the network');

    await world.phones.addPhone({ number: person.number, name: 'Somebody else' });
    const other = await world.phones.phone(person.number);
    expect(await sends(person.number, 'to who has it now')).to.include({ clientLid: lidOf(other) });
    expect((await world.phones.messages(moved)).map(({ text }) => text)).not.to.include('to who has it now');
    expect(await sends(lid, 'still here')).to.include({ chatRoomId: roomId(lid), remotePhone: moved });
  });

  it('keeps one chat after a restart', async () => {
    const hilda = await stranger({ hideLid: true });
    await says(hilda, 'before');
    await world.stopDaemon();
    await world.phones.revealLid(hilda.number);
    const { messageId } = await world.phones.write(hilda.number, { to: ALICE.number, text: 'meanwhile' });
    await world.startDaemon();
    expect(await eventOf(world.receiver, messageId)).to.include({ chatRoomId: roomId(lidOf(hilda)) });
    // the event does not wait until the room by number has been merged
    await until('the messages of the room by number', async () => {
      return (await textsIn(roomId(lidOf(hilda)))).length === 2;
    });
    expect((await roomsOf(hilda)).map(({ chatRoomId }) => chatRoomId)).to.deep.equal([roomId(lidOf(hilda))]);
    expect(await textsIn(roomId(lidOf(hilda)))).to.deep.equal(['before', 'meanwhile']);
  });

  it('names no device in any event', async () => {
    await world.phones.addPhone(CAROL);
    await linkSession(world, 'carol', CAROL);
    const sent = await world.api.post('/send-message', {
      clientId: 'carol',
      to: ALICE.number,
      body: 'from a device',
    });
    await world.receiver.find(({ body }) => body.includes('from a device') && body.includes('"acme"'));
    expect(sent.status).to.equal(200);
    const { groups } = (await world.api.post('/get-groups', { clientId: 'acme' })).body;
    const groupJid = Array.isArray(groups) ? groups[0]?.jid : '';
    const answers = [
      world.api.get('/clients'),
      world.api.get('/health/clients'),
      world.api.get(`/profile-picture?clientId=acme&jid=${lidOf(alice)}:1@lid`),
      world.api.post('/check-state', { clientId: 'acme' }),
      world.api.post('/get-group-participants', { clientId: 'acme', groupJid }),
      world.api.post('/user-info', { clientId: 'acme', jid: CAROL.number }),
      world.api.post('/check-owner-lid', { clientId: 'acme', number: CAROL.number }),
      ...(await rooms()).map(({ chatRoomId }) => world.api.get(`/chatrooms/${chatRoomId}/messages`)),
    ];
    const told = [
      ...world.receiver.calls.map(({ body }) => body),
      JSON.stringify(await rooms()),
      ...(await Promise.all(answers)).map(({ status, body }) => {
        expect(status, JSON.stringify(body)).to.equal(200);
        return JSON.stringify(body);
      }),
    ];
    for (const text of told) expect(text).not.to.match(/[0-9]:[0-9]+@/);
  });
});
