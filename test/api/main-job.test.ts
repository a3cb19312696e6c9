import { expect } from 'chai';
import {
  ALICE,
  BOB,
  linkSession,
  nextQr,
  reached,
  startWorld,
  WEBHOOK_TOKEN,
  type World,
} from '../support/world.js';

describe('a gateway with one linked number, over the real wire', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
  });
  after(() => world.stop());

  it('returns the own jid once connected', async () => {
    const { body } = await world.api.post('/check-state', { clientId: 'acme' });
    expect(body).to.deep.equal({ status: true, state: '15550000001@s.whatsapp.net' });
  });

  it('shows no QR code after the pairing', async () => {
    const { body } = await world.api.get('/qr?clientId=acme');
    expect(body).to.deep.equal({ clientId: 'acme', status: 'connected', qr: '' });
  });

  it('sends a text that the other phone decrypts, and answers after the acknowledgement', async () => {
    const { status, body } = await world.api.post('/send-message', {
      clientId: 'acme',
      to: BOB.number,
      body: 'Hello Bob',
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.have.keys('status', 'messageId').and.include({ status: 'sent' });
    const held = await world.phones.waitForMessage(
      BOB.number,
      ({ messageId }) => messageId === body.messageId,
    );
    expect(held).to.include({ text: 'Hello Bob', type: 'text', from: ALICE.number, fromMe: false });
  });

  it('delivers a reply as the event of the contract', async () => {
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'Hello Alice' });
    const call = await world.receiver.find((candidate) => candidate.body.includes(messageId));
    const { lid } = await world.phones.phone(BOB.number);
    const own = await world.phones.phone(ALICE.number);
    const clientLid = lid.split('@')[0];
    const myLid = own.lid.split('@')[0];
    const { timestamp, ...event } = JSON.parse(call.body);
    expect(event).to.deep.equal({
      event: 'message.received',
      type: 'text',
      clientId: 'acme',
      orgId: '',
      chatRoomId: `acme-${myLid}-${clientLid}`,
      myLid,
      clientLid,
      remoteJid: lid,
      remoteName: 'Bob',
      remotePhone: BOB.number,
      remoteUsername: '',
      pushName: 'Bob',
      avatarUrl: '',
      fromMe: false,
      isGroup: false,
      messageId,
      body: 'Hello Alice',
      mentions: [],
      isForwarded: false,
    });
    expect(new Date(timestamp).toISOString()).to.equal(timestamp);
    expect(call.headers).to.include({
      authorization: `Bearer ${WEBHOOK_TOKEN}`,
      'content-type': 'application/json',
      'user-agent': 'Switchboard/1',
      'x-sn-event': 'text',
      'x-sn-attempt': '1',
    });
  });

  it('echoes an API send once, with its metaData as meta', async () => {
    const metaData = { fromAI: true, userId: 7, ticket: 'T-1' };
    const { body } = await world.api.post('/send-message', {
      clientId: 'acme',
      to: BOB.number,
      body: 'with meta',
      metaData,
    });
    const messageId = String(body.messageId);
    const call = await world.receiver.find((candidate) => candidate.body.includes(messageId));
    expect(JSON.parse(call.body)).to.deep.include({
      event: 'message.sent',
      fromMe: true,
      body: 'with meta',
      messageId,
      meta: { fromAI: true, userId: 7, raw: metaData },
    });
    // a message that comes after it shows that no second echo was on its way
    const marker = await world.phones.write(BOB.number, { to: ALICE.number, text: 'marker' });
    await world.receiver.find((candidate) => candidate.body.includes(marker.messageId));
    expect(world.receiver.calls.filter((candidate) => candidate.body.includes(messageId))).to.have.length(1);
  });

  it('delivers messages of the linked phone with fromMe', async () => {
    const { messageId } = await world.phones.write(ALICE.number, { to: BOB.number, text: 'from my phone' });
    const call = await world.receiver.find((candidate) => candidate.body.includes(messageId));
    const bob = await world.phones.phone(BOB.number);
    expect(JSON.parse(call.body)).to.include({
      event: 'message.sent',
      fromMe: true,
      body: 'from my phone',
      remoteJid: bob.lid,
      remotePhone: BOB.number,
    });
  });

  it('sends quotes and mentions, which the phone shows', async () => {
    const first = await world.phones.write(BOB.number, { to: ALICE.number, text: 'which one?' });
    await world.receiver.find((candidate) => candidate.body.includes(first.messageId));
    const bob = await world.phones.phone(BOB.number);
    const lid = bob.lid.split('@')[0];
    const { body } = await world.api.post('/send-message', {
      clientId: 'acme',
      to: lid,
      body: `this one, @${lid}`,
      quotedMessageId: first.messageId,
      mentions: [lid],
    });
    const held = await world.phones.waitForMessage(
      BOB.number,
      ({ messageId }) => messageId === body.messageId,
    );
    expect(held.quotedMessageId).to.equal(first.messageId);
    expect(held.mentions).to.deep.equal([BOB.number]);
  });

  it('delivers quotes, mentions and the forwarded flag of a phone', async () => {
    const { body } = await world.api.post('/send-message', {
      clientId: 'acme',
      to: BOB.number,
      body: 'quote me',
    });
    const { messageId } = await world.phones.write(BOB.number, {
      to: ALICE.number,
      text: 'quoted',
      quotedMessageId: String(body.messageId),
      mentions: [ALICE.number],
      forwarded: true,
    });
    const call = await world.receiver.find((candidate) => candidate.body.includes(`"${messageId}"`));
    const event = JSON.parse(call.body);
    const alice = await world.phones.phone(ALICE.number);
    expect(event.quoted).to.include({ messageId: body.messageId, body: 'quote me', type: 'text' });
    expect(event.mentions).to.deep.equal([alice.lid.split('@')[0]]);
    expect(event.isForwarded).to.equal(true);
  });

  it('reaches the same person by LID, by phone number in any format, and by full jid', async () => {
    const bob = await world.phones.phone(BOB.number);
    const forms = [bob.lid.split('@')[0], bob.lid, bob.jid, '+1 (555) 000-0002', '+1-555-000-0002'];
    const rooms = new Set<string>();
    for (const to of forms) {
      const { status, body } = await world.api.post('/send-message', {
        clientId: 'acme',
        to,
        body: `to ${to}`,
      });
      expect(status, `${to}: ${JSON.stringify(body)}`).to.equal(200);
      const call = await world.receiver.find((candidate) => candidate.body.includes(String(body.messageId)));
      rooms.add(JSON.parse(call.body).chatRoomId);
    }
    expect(rooms.size).to.equal(1);
  });

  it('reconnects after a restart, and delivers the messages that arrived meanwhile', async () => {
    await world.stopDaemon();
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'are you there?' });
    await world.startDaemon();
    await reached(world, 'acme', 'connected');
    const call = await world.receiver.find((candidate) => candidate.body.includes(messageId));
    expect(JSON.parse(call.body)).to.include({ event: 'message.received', body: 'are you there?' });
  });

  it('pairs again after a disconnect', async () => {
    const { body } = await world.api.post('/disconnect', { clientId: 'acme' });
    expect(body).to.deep.equal({ ok: true, clientId: 'acme' });
    expect((await world.phones.phone(ALICE.number)).devices).to.deep.equal([]);
    expect((await world.api.get('/qr?clientId=acme')).status).to.equal(404);
    await world.api.post('/start?clientId=acme');
    expect(await nextQr(world, 'acme')).to.match(/^https:\/\/wa\.me\/settings\/linked_devices#/);
  });
});
