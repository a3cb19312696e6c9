import { type AnyMessageContent, type BinaryNode, proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { MessageView, WriteContent } from '../../src/client/sandbox/client.js';
import { systemClock } from '../../src/domain/clock.js';
import { child } from '../../src/sandbox/wire/stanza.js';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

const CARD = 'BEGIN:VCARD\nVERSION:3.0\nFN:Carol\nTEL;type=CELL;waid=15550000003:+1 555 000 0003\nEND:VCARD';
const SECRET_BYTES = 32;

interface FromClient {
  what: string;
  content: AnyMessageContent;
  held: Partial<MessageView>;
}

const FROM_CLIENT: FromClient[] = [
  {
    what: 'a location',
    content: {
      location: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'Office', address: 'Main Street 1' },
    },
    held: {
      type: 'location',
      text: 'Office',
      location: { latitude: 52.5, longitude: 13.4, name: 'Office', address: 'Main Street 1', live: false },
    },
  },
  {
    what: 'a card',
    content: { contacts: { displayName: 'Carol', contacts: [{ displayName: 'Carol', vcard: CARD }] } },
    held: { type: 'contact', contact: { displayName: 'Carol', phone: CAROL, vcard: CARD } },
  },
  {
    what: 'several cards',
    content: {
      contacts: {
        displayName: '2 contacts',
        contacts: [
          { displayName: 'Carol', vcard: CARD },
          { displayName: 'Nobody', vcard: 'BEGIN:VCARD\nEND:VCARD' },
        ],
      },
    },
    held: {
      type: 'contact',
      contacts: [
        { displayName: 'Carol', phone: CAROL, vcard: CARD },
        { displayName: 'Nobody', phone: '', vcard: 'BEGIN:VCARD\nEND:VCARD' },
      ],
    },
  },
  {
    what: 'a poll with one choice',
    content: { poll: { name: 'When?', values: ['now', 'later'], selectableCount: 1 } },
    held: {
      type: 'poll',
      text: 'When?',
      poll: { name: 'When?', options: ['now', 'later'], selectableCount: 1, votes: {} },
    },
  },
  {
    what: 'a poll with any number of choices',
    content: { poll: { name: 'What?', values: ['tea', 'cake'], selectableCount: 0 } },
    held: {
      type: 'poll',
      poll: { name: 'What?', options: ['tea', 'cake'], selectableCount: 0, votes: {} },
    },
  },
];

interface FromPhone {
  what: string;
  content: WriteContent;
  /** The part of the message that a client must receive. */
  find(message: proto.IMessage): unknown;
  found: unknown;
  /** The stanza's `type`. */
  stanzaType: string;
}

const FROM_PHONE: FromPhone[] = [
  {
    what: 'a location',
    content: { location: { latitude: -1.25, longitude: 36.8, name: 'Here', address: 'Road 2' } },
    find: ({ locationMessage }) => ({ ...locationMessage }),
    found: { degreesLatitude: -1.25, degreesLongitude: 36.8, name: 'Here', address: 'Road 2' },
    stanzaType: 'media',
  },
  {
    what: 'a live location',
    content: { location: { latitude: 1, longitude: 2, live: true } },
    find: ({ liveLocationMessage: live }) => [live?.degreesLatitude, live?.degreesLongitude],
    found: [1, 2],
    stanzaType: 'media',
  },
  {
    what: 'a card',
    content: { contact: { displayName: 'Carol; C', phone: CAROL } },
    find: ({ contactMessage: card }) => [
      card?.displayName,
      card?.vcard?.split('\n').filter((line) => /^(FN|TEL)/.test(line)),
    ],
    found: ['Carol; C', ['FN:Carol\\; C', 'TEL;type=CELL;type=VOICE;waid=15550000003:+15550000003']],
    stanzaType: 'media',
  },
  {
    what: 'several cards',
    content: {
      contacts: [
        { displayName: 'Carol', phone: CAROL },
        { displayName: 'Bob', phone: BOB },
      ],
    },
    find: ({ contactsArrayMessage }) => contactsArrayMessage?.contacts?.map((card) => card.displayName),
    found: ['Carol', 'Bob'],
    stanzaType: 'media',
  },
  {
    what: 'a poll with one choice',
    content: { poll: { name: 'When?', options: ['now', 'later'] } },
    find: ({ pollCreationMessageV3: poll }) => [
      poll?.name,
      poll?.selectableOptionsCount,
      poll?.options?.map((option) => option.optionName),
    ],
    found: ['When?', 1, ['now', 'later']],
    stanzaType: 'poll',
  },
  {
    what: 'a poll with several choices',
    content: { poll: { name: 'What?', options: ['tea', 'cake', 'both'], selectableCount: 2 } },
    find: ({ pollCreationMessage: poll }) => poll?.selectableOptionsCount,
    found: 2,
    stanzaType: 'poll',
  },
  {
    what: 'a text with a link',
    content: {
      text: 'see https://example.org/a',
      linkPreview: { matchedText: 'https://example.org/a', title: 'A', description: 'about A' },
    },
    find: ({ extendedTextMessage: text }) => [text?.text, text?.matchedText, text?.title, text?.description],
    found: ['see https://example.org/a', 'https://example.org/a', 'A', 'about A'],
    stanzaType: 'text',
  },
];

describe('Sandbox: contents', () => {
  const world = new SandboxWorld();
  let alice: BaileysDevice;

  before(async () => {
    await world.open();
    alice = await world.linked(ALICE);
  });
  after(() => world.close());

  const held = (number: string, id: string) =>
    world.client.waitForMessage(number, ({ messageId }) => messageId === id);

  for (const { what, content, held: expected } of FROM_CLIENT) {
    it(`shows ${what} of a client on both phones`, async () => {
      const { id } = await alice.send(pnJid(BOB), content);
      expect(await held(BOB, id)).to.deep.include({ ...expected, from: ALICE, to: BOB, fromMe: false });
      expect(await held(ALICE, id)).to.deep.include({ ...expected, fromMe: true });
    });
  }

  for (const { what, content, find, found, stanzaType } of FROM_PHONE) {
    it(`delivers ${what} of a phone to a client and to the other phone`, async () => {
      const stanza = nextStanza(alice);
      const { messageId } = await world.client.write(BOB, { to: ALICE, ...content });
      const { message } = await alice.message(messageId);
      expect(find(message ?? {})).to.deep.equal(found);
      expect(message?.messageContextInfo?.messageSecret).to.have.length(SECRET_BYTES);
      expect((await stanza).attrs).to.include({ id: messageId, type: stanzaType });
      const [own, theirs] = await Promise.all([held(BOB, messageId), held(ALICE, messageId)]);
      const { receipts: _, fromMe: __, ...view } = own;
      expect(theirs).to.deep.include(view);
    });
  }

  it('marks a poll in the unencrypted part of its stanza', async () => {
    const stanza = nextStanza(alice);
    await world.client.write(BOB, { to: ALICE, poll: { name: 'When?', options: ['now', 'later'] } });
    expect(child(await stanza, 'meta')?.attrs).to.include({ polltype: 'creation' });
  });

  it('shows the text of a quoted message of any kind in its preview', async () => {
    const { id } = await alice.send(pnJid(BOB), {
      location: { degreesLatitude: 1, degreesLongitude: 2, name: 'Office' },
    });
    await held(BOB, id);
    const { messageId } = await world.client.write(BOB, {
      to: ALICE,
      text: 'there?',
      quotedMessageId: id,
      forwarded: true,
    });
    const answer = await alice.message(messageId);
    const quoted = answer.message?.extendedTextMessage?.contextInfo?.quotedMessage;
    expect(quoted?.locationMessage?.name).to.equal('Office');
    expect(quoted?.messageContextInfo).to.equal(null);
    expect(await held(ALICE, messageId)).to.include({
      quotedMessageId: id,
      quotedText: 'Office',
      forwarded: true,
    });
  });

  it('writes a disappearing message with its expiry', async () => {
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'gone soon', ephemeral: 86_400 });
    const { message } = await alice.message(messageId);
    const inner = message?.ephemeralMessage?.message?.extendedTextMessage;
    expect(inner).to.have.nested.property('contextInfo.expiration', 86_400);
    expect(await held(ALICE, messageId)).to.include({ type: 'text', text: 'gone soon', ephemeral: 86_400 });
  });

  describe('with buttons', () => {
    const params = (fields: object) => JSON.stringify({ display_text: 'Label', ...fields });
    const interactiveMessage = {
      body: { text: 'Well?' },
      footer: { text: 'fine print' },
      nativeFlowMessage: {
        buttons: [
          { name: 'quick_reply', buttonParamsJson: params({ id: 'yes' }) },
          { name: 'cta_url', buttonParamsJson: params({ url: 'https://example.org', merchant_url: 'x' }) },
          { name: 'cta_call', buttonParamsJson: params({ phone_number: CAROL }) },
          { name: 'cta_copy', buttonParamsJson: params({ id: 'c', copy_code: '4711' }) },
        ],
      },
    };
    const flow = node('interactive', { type: 'native_flow', v: '1' }, [
      node('native_flow', { v: '9', name: 'mixed' }),
    ]);
    const business = { actual_actors: '2', host_storage: '2', privacy_mode_ts: '1700000000' };
    const quality = node('quality_control', { source_type: 'third_party', decision_id: 'abc' });

    async function send(messageId: string, additionalNodes: BinaryNode[]) {
      const ack = new Promise<BinaryNode>((resolve) => alice.socket.ws.once('CB:ack,class:message', resolve));
      const message = { viewOnceMessage: { message: { interactiveMessage } } };
      await alice.socket.relayMessage(pnJid(BOB), message, { messageId, additionalNodes });
      return (await ack).attrs.error;
    }

    it('shows buttons when the stanza asks phones for them', async () => {
      expect(await send('3EB0AA01', [node('biz', business, [flow, quality])])).to.equal(undefined);
      const message = await held(BOB, '3EB0AA01');
      expect(message).to.include({
        type: 'buttons',
        text: 'Well?',
        bodyText: 'Well?',
        footerText: 'fine print',
      });
      expect(message).to.include({ rendered: true });
      expect(message.buttons).to.deep.equal([
        { type: 'quick_reply', displayText: 'Label', id: 'yes' },
        { type: 'cta_url', displayText: 'Label', url: 'https://example.org' },
        { type: 'cta_call', displayText: 'Label', phoneNumber: CAROL },
        { type: 'cta_copy', displayText: 'Label', id: 'c', copyCode: '4711' },
      ]);
    });

    it('accepts buttons without that stanza node, and does not show them', async () => {
      expect(await send('3EB0AA02', [])).to.equal(undefined);
      expect(await held(BOB, '3EB0AA02')).to.include({ type: 'buttons', rendered: false });
    });

    it('refuses buttons of the old format, and buttons without a type', async () => {
      expect(await send('3EB0AA03', [node('biz', {}, [node('buttons', {})])])).to.equal('405');
      const bare = node('interactive', { type: 'native_flow', v: '1' });
      expect(await send('3EB0AA04', [node('biz', {}, [bare])])).to.equal('479');
      await send('3EB0AA05', []);
      await held(BOB, '3EB0AA05');
      const ids = (await world.client.messages(BOB)).map(({ messageId }) => messageId);
      expect(ids).not.to.include('3EB0AA03').and.not.to.include('3EB0AA04');
    });
  });

  it('follows the timer of a private chat, whoever sets it', async () => {
    const set = await alice.send(pnJid(BOB), { disappearingMessagesInChat: 86_400 });
    expect(await held(BOB, set.id)).to.include({ type: 'timer', text: '', timer: 86_400 });
    const first = await world.client.write(BOB, { to: ALICE, text: 'soon gone' });
    const { message } = await alice.message(first.messageId);
    const info = message?.ephemeralMessage?.message?.extendedTextMessage?.contextInfo;
    expect(info?.expiration).to.equal(86_400);
    const { timestamp } = await held(BOB, set.id);
    expect(Number(info?.ephemeralSettingTimestamp)).to.equal(timestamp);
    const reaction = { messageId: first.messageId, emoji: '👍' };
    const { messageId } = await world.client.write(BOB, { to: ALICE, reaction });
    expect((await alice.message(messageId)).message).to.have.property('reactionMessage');
    expect(await held(ALICE, first.messageId)).to.include({ ephemeral: 86_400 });
    const off = await world.client.write(BOB, { to: ALICE, timer: 0 });
    expect(await held(ALICE, off.messageId)).to.include({ type: 'timer', timer: 0 });
    const second = await world.client.write(BOB, { to: ALICE, text: 'stays' });
    expect((await held(ALICE, second.messageId)).ephemeral).to.equal(undefined);
  });

  it('sends any message of the protocol from a phone', async () => {
    const invite = { inviteCode: 'abc', groupJid: '1@g.us', groupName: 'Us' };
    const raw = Buffer.from(proto.Message.encode({ groupInviteMessage: invite }).finish()).toString('base64');
    const { messageId } = await world.client.write(BOB, { to: ALICE, raw });
    const { message } = await alice.message(messageId);
    expect(message?.groupInviteMessage).to.include(invite);
    expect(await held(ALICE, messageId)).to.include({ type: 'unknown', text: 'groupInviteMessage' });
  });

  it('lists the field names of an unknown content', async () => {
    const { id } = await alice.send(pnJid(BOB), { requestPhoneNumber: true });
    expect(await held(BOB, id)).to.include({ type: 'unknown', text: 'requestPhoneNumberMessage' });
  });
});

describe('Sandbox: the time of a message', () => {
  const world = new SandboxWorld();

  afterEach(() => world.close());

  it('the time of a message is equal on both phones and in the stanza, even when a second ends during the send', async () => {
    let now = Date.now();
    await world.open({ clock: { ...systemClock, now: () => (now += 1_000) } });
    const alice = await world.linked(ALICE);
    const stanza = nextStanza(alice);
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'now' });
    const { attrs } = await stanza;
    const views = await Promise.all(
      [BOB, ALICE].map((number) =>
        world.client.waitForMessage(number, (held) => held.messageId === messageId),
      ),
    );
    const seconds = Number(attrs.t);
    expect(views.map(({ timestamp }) => timestamp)).to.deep.equal([seconds, seconds]);
  });
});

/** The next message stanza that a client gets. */
function nextStanza(device: BaileysDevice): Promise<BinaryNode> {
  return new Promise((resolve) => device.socket.ws.once('CB:message', resolve));
}

function node(tag: string, attrs: Record<string, string>, content?: BinaryNode[]): BinaryNode {
  return content ? { tag, attrs, content } : { tag, attrs };
}
