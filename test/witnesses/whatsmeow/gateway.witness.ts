import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { EventEnvelope } from '../../../src/contract/events/envelope.js';
import { ALICE, BOB, CAROL, pnJid } from '../../sandbox/support/world.js';
import { eventIn, extraEventOf, type ReceivedCall } from '../../support/receiver.js';
import type { WitnessEvent } from '../witness.js';
import { besideGateway } from './beside-gateway.js';
import { type Bot, type Complaint, hashOf } from './day.js';

const EXPECTED: readonly Complaint[] = [
  {
    text: /Server returned different participant list hash/,
    reason:
      'whatsmeow ignores news of devices unless it knows the list under the number, and asks after that',
    isOptional: true,
  },
  {
    text: /device list hash changed from 2:47DEQpj8 to .* New hash doesn't match/,
    reason: 'whatsmeow adds a device to its list under the other address, which is empty until it has asked',
    isOptional: true,
  },
];

besideGateway('messages', ['message_status', 'presence', 'group_update'], EXPECTED, (day) => {
  const aliceJid = pnJid(ALICE);
  const bobJid = pnJid(BOB);
  const post = (path: string, body: object) => day.post(path, { to: BOB, ...body });

  /** The event of a message; that of its status is another one. */
  async function event(id: string): Promise<EventEnvelope> {
    const isOfMessage = (call: ReceivedCall) =>
      eventIn(call)?.messageId === id && /^message\.(received|sent)$/.test(eventIn(call)?.event ?? '');
    const found = eventIn(await day.world.receiver.find(isOfMessage));
    if (!found) throw new Error('unreachable: the call was found by its event');
    return found;
  }

  describe('a bot that talks to a number of the gateway', () => {
    let bob: Bot;

    before(async () => {
      bob = await day.linked(BOB);
    });

    const contents: Record<string, [object, object]> = {
      text: [{ conversation: 'Hello gateway' }, { type: 'text', body: 'Hello gateway' }],
      location: [
        { locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'Berlin' } },
        { type: 'location' },
      ],
      contact: [
        {
          contactMessage: {
            ...{ displayName: 'Carol' },
            vcard: `BEGIN:VCARD\nVERSION:3.0\nFN:Carol\nTEL;waid=${CAROL.slice(1)}:${CAROL}\nEND:VCARD`,
          },
        },
        { type: 'contact' },
      ],
    };
    for (const [kind, [message, expected]] of Object.entries(contents)) {
      it(`reaches the webhook with a ${kind}`, async () => {
        const id = await bob.send(aliceJid, message);
        expect(await event(id)).to.include({ event: 'message.received', clientId: 'acme', ...expected });
        await bob.heard('receipt', ({ MessageIDs }) => String(MessageIDs) === id);
      });
    }

    it('reaches the webhook with a file, a reaction, an edit, a poll, a vote and a deletion', async () => {
      const bytes = randomBytes(40_000);
      const uploaded = await bob.take('upload', { kind: 'image', file: bytes.toString('base64') });
      const image = {
        imageMessage: Object.assign({ mimetype: 'image/jpeg', caption: 'a picture' }, uploaded),
      };
      const file = await event(await bob.send(aliceJid, image));
      expect(file).to.include({ type: 'image', body: 'a picture' });
      const sha256 = Buffer.from(hashOf(bytes), 'hex').toString('base64');
      expect(file.media?.download.fileSha256).to.equal(sha256);
      const first = String((await post('/send-message', { body: 'what do you think?' })).messageId);
      await bob.message(first);
      const reaction = await bob.build(aliceJid, 'BuildReaction', [aliceJid, aliceJid, first, '👍']);
      expect(await event(reaction)).to.include({ type: 'reaction' });
      const text = await bob.send(aliceJid, { conversation: 'to be changed' });
      await event(text);
      const edit = await bob.build(aliceJid, 'BuildEdit', [aliceJid, text, { conversation: 'changed' }]);
      const told = await day.world.receiver.find((call) => eventIn(call)?.body === 'changed');
      expect(eventIn(told)?.clientId, edit).to.equal('acme');
      const poll = String(
        (await post('/send-poll-message', { pollName: 'Lunch?', pollOptions: ['yes', 'no'] })).messageId,
      );
      const { info } = await bob.message(poll);
      const vote = await bob.build(aliceJid, 'BuildPollVote', [info, ['yes']]);
      expect((await event(vote)).pollVote?.selectedHashes).to.deep.equal([hashOf(Buffer.from('yes'))]);
      await bob.build(aliceJid, 'BuildRevoke', [aliceJid, bobJid, text]);
      await day.world.phones.waitForMessage(ALICE, (one) => one.messageId === text && one.revoked);
    });

    it('receives all that the API sends, and its receipts become statuses', async () => {
      const text = String((await post('/send-message', { body: 'from the API' })).messageId);
      const { info } = await bob.message(text);
      const status = (id: string, name: string) =>
        extraEventOf(
          day.world.receiver,
          'message_status',
          (one) => one.messageId === id && one.status === name,
        );
      await status(text, 'delivered');
      const { Sender: sender, Chat: chat } = Object(info);
      await bob.call('MarkRead', [text], new Date().toISOString(), chat, sender);
      await status(text, 'read');
      const bytes = randomBytes(30_000);
      const form = new FormData();
      for (const [name, value] of Object.entries({ clientId: 'acme', to: BOB, caption: 'a document' }))
        form.append(name, value);
      form.append('file', new File([bytes], 'report.bin', { type: 'application/octet-stream' }));
      const sent = await day.world.api.upload('/send-media-message?clientId=acme', form);
      const file = await bob.message(String(sent.body.messageId));
      expect(file).to.include({ sha256: hashOf(bytes) });
      const place = await post('/send-location', { latitude: 52.5, longitude: 13.4 });
      expect((await bob.message(String(place.messageId))).content).to.have.property('locationMessage');
      const reply = await post('/send-message', { body: 'a reply', quotedMessageId: text });
      const { content } = await bob.message(String(reply.messageId));
      expect(JSON.stringify(content)).to.include(`"stanzaID":"${text}"`);
      const edited = await post('/edit-message', { messageId: text, body: 'edited by the API' });
      expect(edited).not.to.equal(undefined);
      await bob.heard('message', (one) => JSON.stringify(one.content).includes('edited by the API'));
    });

    it('writes while the daemon is stopped, and reaches the webhook after its start', async () => {
      await day.world.stopDaemon();
      const ids = [];
      for (let count = 0; count < 20; count++)
        ids.push(await bob.send(aliceJid, { conversation: `while it is stopped ${count}` }));
      await day.world.startDaemon();
      await day.world.connected();
      for (const id of ids) expect(await event(id)).to.include({ event: 'message.received' });
    });

    it('shares a group with the number', async () => {
      const created = await bob.call('CreateGroup', { Name: 'Both', Participants: [aliceJid] });
      const { JID: jid } = Object(created);
      await post('/set-enable-group-ai', { enabled: true, to: undefined });
      const id = await bob.send(jid, { conversation: 'to the group' });
      expect(await event(id)).to.include({ isGroup: true, body: 'to the group' });
      const answer = await post('/send-message', { to: jid, body: 'from the API to the group' });
      // the sender key comes in an event of its own, under the same id
      const isText = (one: WitnessEvent) => one.id === answer.messageId && one.text !== '';
      expect((await bob.heard('message', isText)).text).to.equal('from the API to the group');
    });
  });

  describe('a second companion of the same phone', () => {
    let second: Bot;

    before(async () => {
      second = await day.linked(ALICE);
    });

    const isEcho = (one: WitnessEvent) => Object(one.info).IsFromMe === true;

    it('gets what the session gets, and what it sends', async () => {
      const { messageId } = await day.world.phones.write(BOB, {
        to: ALICE,
        text: 'to all devices',
      });
      expect(await second.message(messageId)).to.include({ text: 'to all devices' });
      expect(await event(messageId)).to.include({ body: 'to all devices' });
      const sent = await post('/send-message', { body: 'by the session' });
      const echo = await second.message(String(sent.messageId));
      expect(isEcho(echo)).to.equal(true);
    });

    it('has its own sends announced as sent by the number', async () => {
      const id = await second.send(bobJid, { conversation: 'by the second companion' });
      expect(await event(id)).to.include({ event: 'message.sent', fromMe: true });
    });

    it('hears of changes by the session, and the other way round', async () => {
      await second.after(() => post('/pin-chat', { pinned: true }), 'pin');
      const { lid } = await day.world.phones.phone(BOB);
      await second.take('patch', { build: 'archive', args: [lid, true, new Date(0).toISOString(), null] });
      await day.world.phones.waitForChat(ALICE, ({ archived }) => archived);
    });

    it('leaves, and the session goes on', async () => {
      await second.call('Logout');
      const sent = await post('/send-message', { body: 'still here' });
      const id = String(sent.messageId);
      await day.world.phones.waitForMessage(BOB, ({ messageId }) => messageId === id);
    });
  });
});
