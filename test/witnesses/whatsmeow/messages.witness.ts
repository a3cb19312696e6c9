import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { MessageView, WriteContent } from '../../../src/client/sandbox/client.js';
import { ALICE, BOB, CAROL, pnJid } from '../../sandbox/support/world.js';
import type { WitnessEvent } from '../witness.js';
import { type Bot, hashOf, partOfDay } from './day.js';

const EMOJI = '👍';

partOfDay(
  'messages',
  [
    {
      text: /Error decrypting message|mismatching MAC/,
      reason: 'the test damages a copy',
    },
    {
      text: /Server returned different participant list hash/,
      reason:
        'whatsmeow ignores news of devices unless it knows the list under the number, and asks after that',
    },
    { text: /Unavailable message/, reason: 'the test withholds copies' },
  ],
  (day) => {
    const { world } = day;
    let alice: Bot;
    const bobJid = pnJid(BOB);

    /** Bob writes; resolves with what the bot has read. */
    async function fromBob(wish: WriteContent & object): Promise<WitnessEvent> {
      const { messageId } = await world.client.write(BOB, { to: ALICE, ...wish });
      return alice.message(messageId);
    }

    /** The message on Bob's phone. */
    function atBob(
      id: string,
      matches: (message: MessageView) => boolean = () => true,
    ): Promise<MessageView> {
      return world.client.waitForMessage(BOB, (one) => one.messageId === id && matches(one));
    }

    before(async () => {
      alice = await day.linked(ALICE);
    });

    describe('from a person', () => {
      const media = (kind: 'image' | 'video' | 'audio' | 'document' | 'sticker', mimeType: string) => {
        const bytes = randomBytes(50_000);
        return { bytes, media: { kind, mimeType, base64: bytes.toString('base64') } };
      };
      const files = {
        'an image': media('image', 'image/jpeg'),
        'a video': media('video', 'video/mp4'),
        'a voice note': media('audio', 'audio/ogg; codecs=opus'),
        'a document': media('document', 'application/pdf'),
        'a sticker': media('sticker', 'image/webp'),
      };
      for (const [name, { bytes, media }] of Object.entries(files)) {
        it(`reads ${name} and its file`, async () => {
          const extra = media.kind === 'audio' ? { voice: true, seconds: 3 } : {};
          const received = await fromBob({ media: { ...media, ...extra } });
          expect(received).to.include({ size: bytes.length, sha256: hashOf(bytes) });
        });
      }

      const contents: Record<string, [WriteContent & object, string]> = {
        'a text': [{ text: 'Hello' }, 'conversation'],
        'a text with a link': [
          { text: 'https://a.example', linkPreview: { matchedText: 'https://a.example', title: 'A' } },
          'extendedTextMessage',
        ],
        'a location': [{ location: { latitude: 52.5, longitude: 13.4, name: 'Berlin' } }, 'locationMessage'],
        'a live location': [
          { location: { latitude: 52.5, longitude: 13.4, live: true } },
          'liveLocationMessage',
        ],
        'a contact': [{ contact: { displayName: 'Carol', phone: CAROL } }, 'contactMessage'],
        'several contacts': [
          {
            contacts: [
              { displayName: 'Carol', phone: CAROL },
              { displayName: 'Bob', phone: BOB },
            ],
          },
          'contactsArrayMessage',
        ],
        'a poll': [{ poll: { name: 'Lunch?', options: ['yes', 'no'], selectableCount: 1 } }, 'poll'],
        'a timer': [{ timer: 86_400 }, 'protocolMessage'],
      };
      for (const [name, [wish, field]] of Object.entries(contents)) {
        it(`reads ${name}`, async () => {
          const { content } = await fromBob(wish);
          expect(JSON.stringify(content)).to.include(field);
        });
      }

      it('reads replies, mentions and forwarded messages', async () => {
        const quoted = await fromBob({ text: 'the first' });
        const { messageId } = await world.client.write(BOB, {
          ...{ to: ALICE, text: 'the second', quotedMessageId: String(quoted.id), mentions: [ALICE] },
          ...{ forwarded: true, forwardingScore: 3 },
        });
        const { content } = await alice.message(messageId);
        const context = JSON.stringify(content);
        expect(context).to.include(`"stanzaID":"${quoted.id}"`).and.include('"forwardingScore":3');
        expect(context).to.include('mentionedJID');
      });

      it('reads reactions, edits, encrypted edits, pins and deletions', async () => {
        const { id } = await fromBob({ text: 'to be changed' });
        const messageId = String(id);
        const reaction = await fromBob({ reaction: { messageId, emoji: EMOJI } });
        expect(reaction).to.have.nested.property('content.reactionMessage.text', EMOJI);
        const edit = await fromBob({ edit: { messageId, text: 'changed' } });
        expect(JSON.stringify(edit.content)).to.include('"changed"');
        const wrapped = await fromBob({ edit: { messageId, text: 'changed again', wrapped: true } });
        expect(JSON.stringify(wrapped.content)).to.include('"changed again"');
        // this release decrypts such edits of events only
        const encrypted = await fromBob({ encryptedEdit: { messageId, text: 'in secret' } });
        expect(encrypted.error).to.include('unsupported secret enc type: MESSAGE_EDIT');
        const pin = await fromBob({ pin: { messageId } });
        expect(pin).to.have.nested.property('content.pinInChatMessage.type', 'PIN_FOR_ALL');
        const revoked = await fromBob({ revoke: { messageId } });
        expect(revoked).to.have.nested.property('content.protocolMessage.type', 'REVOKE');
      });

      it('reads the votes for a poll of its own', async () => {
        const options = ['red', 'blue'];
        const poll = await alice.build(bobJid, 'BuildPollCreation', ['Colour?', options, 1]);
        await atBob(poll);
        const vote = await fromBob({ vote: { pollMessageId: poll, options: ['blue'] } });
        expect(vote.error).to.equal(undefined);
        const blue = Buffer.from(hashOf(Buffer.from('blue')), 'hex').toString('base64');
        expect(vote.vote).to.deep.equal([blue]);
      });

      it('reads what the owner writes on the phone', async () => {
        const { messageId } = await world.client.write(ALICE, { to: BOB, text: 'from the phone' });
        const received = await alice.message(messageId);
        expect(received).to.have.nested.property('info.IsFromMe', true);
        expect(received).to.have.property('text', 'from the phone');
      });

      it('requests a damaged message again, and reads it once', async () => {
        const { messageId } = await world.client.write(BOB, {
          ...{ to: ALICE, text: 'damaged at first', deviceCopy: 'damaged' },
        });
        await alice.heard('undecryptableMessage', ({ Info }) => JSON.stringify(Info).includes(messageId));
        const received = await alice.message(messageId);
        expect(received).to.include({ text: 'damaged at first', retries: 1 });
      });

      it('gets a message from the own phone of which the network has no copy', async () => {
        const { messageId } = await world.client.write(BOB, {
          ...{ to: ALICE, text: 'only on phones', deviceCopy: 'unavailable' },
        });
        expect(await alice.message(messageId)).to.include({ text: 'only on phones', fromPhone: true });
      });

      it('has a file uploaded again by its phone when the network has deleted it', async () => {
        const received = await fromBob({ media: { kind: 'image', mimeType: 'image/jpeg', size: 2_000 } });
        await world.client.expireMedia(String(received.id));
        const { content, info } = received;
        const key = /"mediaKey":"([^"]+)"/.exec(JSON.stringify(content))?.[1];
        const { event, ...retry } = await alice.after(
          () => alice.call('SendMediaRetryReceipt', info, key),
          'mediaRetry',
        );
        expect(event).to.equal('mediaRetry');
        expect(retry).to.include({ MessageID: received.id, Error: null });
      });
    });

    describe('to a person', () => {
      const kinds: Record<string, [object, string]> = {
        'a text': [{ conversation: 'Hello Bob' }, 'text'],
        'a location': [
          { locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'Berlin' } },
          'location',
        ],
        'a contact': [
          {
            contactMessage: {
              displayName: 'Carol',
              vcard: `BEGIN:VCARD\nVERSION:3.0\nFN:Carol\nTEL;waid=${CAROL.slice(1)}:${CAROL}\nEND:VCARD`,
            },
          },
          'contact',
        ],
      };
      for (const [name, [message, type]] of Object.entries(kinds)) {
        it(`sends ${name}, and hears that it was delivered and read`, async () => {
          const id = await alice.send(bobJid, message);
          expect(await atBob(id)).to.have.property('type', type);
          const ofThis = ({ MessageIDs }: WitnessEvent) => String(MessageIDs).includes(id);
          await alice.heard('receipt', (one) => ofThis(one) && one.Type === '');
          await world.client.read(BOB, [id]);
          await alice.heard('receipt', (one) => ofThis(one) && one.Type === 'read');
        });
      }

      const files: Record<string, string> = {
        image: 'image/jpeg',
        video: 'video/mp4',
        audio: 'audio/ogg; codecs=opus',
        document: 'application/pdf',
        sticker: 'image/webp',
      };
      for (const [kind, mimetype] of Object.entries(files)) {
        it(`sends a file of the kind ${kind}`, async () => {
          const bytes = randomBytes(60_000);
          const uploaded = await alice.take('upload', { kind, file: bytes.toString('base64') });
          const message = { [`${kind}Message`]: Object.assign({ mimetype }, uploaded) };
          const id = await alice.send(bobJid, message);
          expect(await atBob(id)).to.deep.include({ type: kind });
          expect((await atBob(id)).media).to.include({ sha256: hashOf(bytes), mimeType: mimetype });
        });
      }

      it('replies, reacts, edits, pins, votes and deletes', async () => {
        const first = await fromBob({ text: 'what do you think?' });
        const own = pnJid(ALICE);
        const id = await alice.send(bobJid, {
          extendedTextMessage: {
            text: 'much',
            contextInfo: {
              ...{ stanzaID: first.id, participant: bobJid },
              quotedMessage: { conversation: 'what do you think?' },
            },
          },
        });
        expect(await atBob(id)).to.include({ text: 'much', quotedMessageId: first.id });
        await alice.build(bobJid, 'BuildReaction', [bobJid, bobJid, first.id, EMOJI]);
        await atBob(String(first.id), ({ reactions }) => reactions[ALICE] === EMOJI);
        await alice.build(bobJid, 'BuildEdit', [bobJid, id, { conversation: 'very much' }]);
        await atBob(id, ({ text, edited }) => edited && text === 'very much');
        const key = { remoteJID: bobJid, fromMe: true, ID: id };
        await alice.send(bobJid, {
          messageContextInfo: { messageAddOnDurationInSecs: 86_400 },
          pinInChatMessage: { key, type: 'PIN_FOR_ALL', senderTimestampMS: Date.now() },
        });
        await atBob(id, ({ pin }) => pin?.by === ALICE);
        await alice.build(bobJid, 'BuildRevoke', [bobJid, own, id]);
        await atBob(id, ({ revoked }) => revoked);
        const poll = await fromBob({ poll: { name: 'Lunch?', options: ['yes', 'no'], selectableCount: 1 } });
        await alice.build(bobJid, 'BuildPollVote', [poll.info, ['yes']]);
        await atBob(String(poll.id), (one) => JSON.stringify(one.poll).includes(ALICE));
      });

      it('sets the timer of the chat', async () => {
        await alice.call('SetDisappearingTimer', bobJid, 7 * 86_400 * 1e9, new Date().toISOString());
        await world.client.waitForMessage(BOB, ({ type, timer }) => type === 'timer' && timer === 604_800);
        await alice.call('SetDisappearingTimer', bobJid, 0, new Date().toISOString());
      });

      it('tells that it has read and played', async () => {
        const text = await world.client.write(BOB, { to: ALICE, text: 'read me' });
        const { info } = await alice.message(text.messageId);
        const { Sender: sender, Chat: chat } = Object(info);
        const now = new Date().toISOString();
        await alice.call('MarkRead', [text.messageId], now, chat, sender);
        await atBob(text.messageId, ({ receipts }) => receipts[ALICE] === 'read');
        const note = await fromBob({
          media: { kind: 'audio', mimeType: 'audio/ogg; codecs=opus', size: 500, voice: true },
        });
        await alice.call('MarkRead', [note.id], now, chat, sender, 'played');
        await atBob(String(note.id), ({ receipts }) => receipts[ALICE] === 'played');
      });

      it('hears what its owner reads on the phone', async () => {
        const { id } = await fromBob({ text: 'for the phone' });
        await alice.after(
          () => world.client.read(ALICE, [String(id)]),
          'receipt',
          ({ Type }) => String(Type).startsWith('read'),
        );
      });

      it('writes to all devices of a person, by number and by LID', async () => {
        const tablet = await world.linked(BOB);
        await alice.send(bobJid, { conversation: 'tells of the tablet' });
        await alice.send(bobJid, { conversation: 'to both devices' });
        await tablet.text('to both devices');
        const { lid } = await world.client.phone(BOB);
        const id = await alice.send(lid, { conversation: 'to the LID' });
        await atBob(id);
        await tablet.text('to the LID');
      });

      it('encrypts again for a device that cannot read its message', async () => {
        await world.client.fault({ kind: 'ask-again', number: BOB, count: 1 });
        const id = await alice.send(bobJid, { conversation: 'once more' });
        await atBob(id);
        expect((await world.client.stats()).resent).to.equal(1);
      });
    });
  },
);
