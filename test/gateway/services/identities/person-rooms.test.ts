import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { LIMITS } from '../../../../src/domain/limits.js';
import { HostedInbox } from '../../../../src/gateway/services/history/inbox.js';
import { Contacts } from '../../../../src/gateway/services/identities/contacts.js';
import { HOSTED, type Receiving, ROOM, SENT_AT } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

const BOB = { lid: '90000000000002', pn: '15550000002' };
/** The room of Bob while only his number is known. */
const BY_NUMBER = `acme-90000000000001-${BOB.pn}`;
const FROM_NUMBER = { chat: `${BOB.pn}@s.whatsapp.net` };
const FROM_BOTH = { chat: `${BOB.lid}@lid`, chatAlt: `${BOB.pn}@s.whatsapp.net` };

describe('PersonRooms: the room of a person', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
  });
  afterEach(() => rig.close());

  const rooms = async () => (await rig.store.history.rooms('acme')).map(({ chatRoomId }) => chatRoomId);
  const ids = async (room = ROOM) => (await rig.history(room)).map(({ messageId }) => messageId);
  const inbox = () =>
    new HostedInbox({
      store: rig.store,
      rooms: rig.roomsOf(HOSTED),
      fileLinks: { linkTo: () => '' },
    });

  it('the room of a person has the LID that the network returns when a message contains only the number', async () => {
    rig.people = [BOB];
    const [event] = await rig.receive(FROM_NUMBER, HOSTED);
    expect(event).to.include({
      chatRoomId: ROOM,
      clientLid: BOB.lid,
      remoteJid: `${BOB.lid}@lid`,
      remotePhone: `+${BOB.pn}`,
    });
    expect(await rooms()).to.deep.equal([ROOM]);
  });

  for (const [what, people] of Object.entries({
    'does not tell the LID': [{ lid: '', pn: BOB.pn }],
    'does not know the number': [],
  }))
    it(`the room of a person has the number while the network ${what}, and the LID is requested once`, async () => {
      let asked = 0;
      Object.defineProperty(rig, 'people', {
        get() {
          asked += 1;
          return people;
        },
      });
      for (const messageId of ['M1', 'M2', 'M3']) await rig.receive({ ...FROM_NUMBER, messageId }, HOSTED);
      expect(rig.events.map(({ chatRoomId }) => chatRoomId)).to.deep.equal([BY_NUMBER, BY_NUMBER, BY_NUMBER]);
      expect(rig.events[0]).to.include({
        clientLid: '',
        remoteJid: FROM_NUMBER.chat,
        remotePhone: `+${BOB.pn}`,
      });
      expect(asked).to.equal(1);
    });

  it('the room of a person does not wait long for a network that does not answer', async () => {
    rig.silence();
    rig.take(FROM_NUMBER, HOSTED);
    await rig.clock.scheduled(LIMITS.lidSearchMs);
    rig.clock.advance(LIMITS.lidSearchMs);
    await rig.receiver.idle();
    expect(rig.events[0]).to.include({ chatRoomId: BY_NUMBER });
  });

  it('the room of a person is renamed to the LID as soon as a message contains both addresses', async () => {
    await rig.receive({ ...FROM_NUMBER, messageId: 'M1' }, HOSTED);
    await rig.receive({ ...FROM_NUMBER, messageId: 'M2', timestamp: SENT_AT + 1_000 }, HOSTED);
    expect(await rooms()).to.deep.equal([BY_NUMBER]);
    await rig.receive({ ...FROM_BOTH, messageId: 'M3', timestamp: SENT_AT + 2_000 }, HOSTED);
    expect(await rooms()).to.deep.equal([ROOM]);
    expect(await ids()).to.deep.equal(['M1', 'M2', 'M3']);
    expect(await rig.store.history.room('acme', ROOM)).to.include({
      clientLid: BOB.lid,
      remoteJid: `${BOB.lid}@lid`,
      unreadCount: 3,
    });
    expect((await rig.history()).map(({ author }) => author)).to.deep.equal(Array(3).fill(`${BOB.lid}@lid`));
    expect((await rig.store.traces.get('acme', 'M1'))?.chat).to.equal(`${BOB.lid}@lid`);
  });

  it('the room of a person is merged with the existing room of the LID, including unread messages of both', async () => {
    await rig.receive({ ...FROM_NUMBER, messageId: 'N1' }, HOSTED);
    await rig.receive({ chat: `${BOB.lid}@lid`, messageId: 'L1', timestamp: SENT_AT + 1_000 }, HOSTED);
    await rig.receive({ ...FROM_NUMBER, messageId: 'N2', timestamp: SENT_AT + 2_000 }, HOSTED);
    expect(await rooms()).to.have.members([BY_NUMBER, ROOM]);
    await rig.learn({ ...BOB, source: 'mapping' });
    expect(await rooms()).to.deep.equal([ROOM]);
    expect(await ids()).to.deep.equal(['N1', 'L1', 'N2']);
    expect(await rig.store.history.room('acme', ROOM)).to.include({
      unreadCount: 3,
      lastMessageAt: SENT_AT + 2_000,
    });
  });

  it("the LID's room takes over reactions, votes and quotes of the person", async () => {
    await rig.receive({ ...FROM_NUMBER, messageId: 'M1' }, HOSTED);
    const reactionMessage = { key: { id: 'M1', fromMe: false }, text: '👍' };
    await rig.receive({ ...FROM_NUMBER, messageId: 'R1', content: { reactionMessage } }, HOSTED);
    const contextInfo = {
      stanzaId: 'M1',
      participant: FROM_NUMBER.chat,
      quotedMessage: { conversation: 'hello' },
    };
    const extendedTextMessage = {
      text: 'me too',
      contextInfo: { ...contextInfo, mentionedJid: [FROM_NUMBER.chat] },
    };
    await rig.receive({ ...FROM_NUMBER, messageId: 'M2', content: { extendedTextMessage } }, HOSTED);
    await rig.learn({ ...BOB, source: 'mapping' });
    const [first, second] = await rig.history();
    expect(first?.extras.reactions).to.deep.equal({ [BOB.lid]: '👍' });
    expect(second?.extras).to.have.nested.property('quoted.participant', BOB.lid);
    expect(second?.extras.mentions).to.deep.equal([BOB.lid]);
    const again = { reactionMessage: { ...reactionMessage, text: '' } };
    await rig.receive({ ...FROM_BOTH, messageId: 'R2', timestamp: SENT_AT + 1_000, content: again }, HOSTED);
    expect((await rig.history())[0]?.extras.reactions).to.deep.equal({});
  });

  it("the LID's room takes over pending changes", async () => {
    const reactionMessage = { key: { id: 'M1', fromMe: true }, text: '👍' };
    await rig.receive({ ...FROM_NUMBER, messageId: 'R1', content: { reactionMessage } }, HOSTED);
    await rig.receive({ ...FROM_BOTH, messageId: 'M1', fromMe: true }, HOSTED);
    expect((await rig.history())[0]?.extras.reactions).to.deep.equal({ [BOB.lid]: '👍' });
  });

  for (const [what, first, second] of [
    ['by LID, of a message that came by number', FROM_NUMBER, { chat: `${BOB.lid}@lid` }],
    ['by number, of a message that came by LID', { chat: `${BOB.lid}@lid` }, FROM_NUMBER],
  ] as const)
    it(`applies changes that arrived ${what}, once both rooms are merged`, async () => {
      const reactionMessage = { key: { id: 'M1', fromMe: false }, text: '👍' };
      const protocolMessage = { key: { id: 'M2', fromMe: false }, type: 0 };
      for (const messageId of ['M1', 'M2']) await rig.receive({ ...first, messageId }, HOSTED);
      await rig.receive({ ...second, messageId: 'R1', content: { reactionMessage } }, HOSTED);
      await rig.receive({ ...second, messageId: 'D2', content: { protocolMessage } }, HOSTED);
      await rig.learn({ ...BOB, source: 'mapping' });
      const [reacted, deleted] = await rig.history();
      expect(reacted?.extras.reactions).to.deep.equal({ [BOB.lid]: '👍' });
      expect(deleted?.deleted).to.equal(true);
    });

  it('the room of a person is found by its former id', async () => {
    await rig.receive({ ...FROM_NUMBER, messageId: 'M1' }, HOSTED);
    await rig.store.sessions.create(HOSTED);
    await rig.learn({ ...BOB, source: 'mapping' });
    const [message] = await inbox().messages(BY_NUMBER, { limit: 9 });
    expect(message).to.include({ messageId: 'M1', chatRoomId: ROOM });
    await inbox().markRead(BY_NUMBER);
    expect(await rig.store.history.room('acme', ROOM)).to.include({ unreadCount: 0 });
    const refused = await inbox()
      .messages('acme-90000000000001-15550000009', { limit: 9 })
      .catch((error) => error);
    expect(refused.code).to.equal('room_unknown');
  });

  it('the room of a person stays a single room under concurrent messages', async () => {
    for (let n = 0; n < 10; n += 1) {
      rig.take({ ...FROM_NUMBER, messageId: `N${n}`, timestamp: SENT_AT + n }, HOSTED);
      rig.take({ ...FROM_BOTH, messageId: `L${n}`, timestamp: SENT_AT + n }, HOSTED);
      if (n === 5) await setImmediate();
    }
    await rig.receiver.idle();
    expect(await rooms()).to.deep.equal([ROOM]);
    expect(await ids()).to.have.length(20);
    expect(await rig.store.history.room('acme', ROOM)).to.include({ unreadCount: 20 });
  });

  it('the room of a person is renamed at the next start when a crash came before', async () => {
    await rig.receive({ ...FROM_NUMBER, messageId: 'M1' }, HOSTED);
    await rig.store.contacts.learn('acme', { ...BOB, source: 'mapping', learntAt: 1 });
    expect(await rooms()).to.deep.equal([BY_NUMBER]);
    await rig.roomsOf(HOSTED).resume('acme');
    expect(await rooms()).to.deep.equal([ROOM]);
    expect(await ids()).to.deep.equal(['M1']);
  });

  it('delays no other room when it cannot be moved at the next start', async () => {
    const carol = { lid: '90000000000003', pn: '15550000003' };
    await rig.receive({ ...FROM_NUMBER, messageId: 'M1' }, HOSTED);
    await rig.receive({ chat: `${carol.pn}@s.whatsapp.net`, messageId: 'C1' }, HOSTED);
    for (const person of [BOB, carol])
      await rig.store.contacts.learn('acme', { ...person, source: 'mapping', learntAt: 1 });
    const { history } = rig.store;
    const rekey = history.rekey.bind(history);
    history.rekey = async (clientId, move) => {
      if (move.from === BY_NUMBER) throw new Error('what is sealed cannot be opened');
      return rekey(clientId, move);
    };
    await rig.roomsOf(HOSTED).resume('acme');
    expect(await rooms()).to.have.members([BY_NUMBER, `acme-90000000000001-${carol.lid}`]);
  });

  it('waits for an unavailable store', async () => {
    await rig.receive({ ...FROM_NUMBER, messageId: 'M1' }, HOSTED);
    const { history } = rig.store;
    const rekey = history.rekey.bind(history);
    let failures = 2;
    history.rekey = async (...move) => {
      if (failures-- > 0) throw rig.outage();
      return rekey(...move);
    };
    const learnt = rig.learn({ ...BOB, source: 'mapping' });
    for (const pauseMs of [250, 250]) {
      await rig.clock.scheduled(pauseMs);
      rig.clock.advance(pauseMs);
    }
    await learnt;
    expect(await rooms()).to.deep.equal([ROOM]);
  });

  it('the room of a person stays unchanged when it belongs to another person', async () => {
    await rig.receive({ chat: '15550000003@s.whatsapp.net', messageId: 'C1' }, HOSTED);
    await rig.receive({ ...FROM_NUMBER, messageId: 'M1' }, HOSTED);
    await rig.learn({ ...BOB, source: 'mapping' });
    expect(await rooms()).to.have.members([ROOM, 'acme-90000000000001-15550000003']);
  });

  it('the room of a person stays with the former owner of a number when another person takes it over', async () => {
    const carol = { lid: '90000000000003', pn: BOB.pn };
    await rig.receive({ ...FROM_BOTH, messageId: 'M1' }, HOSTED);
    await rig.receive({ chat: `${carol.lid}@lid`, chatAlt: FROM_NUMBER.chat, messageId: 'M2' }, HOSTED);
    await rig.receive({ ...FROM_NUMBER, messageId: 'M3', timestamp: SENT_AT + 1_000 }, HOSTED);
    const carols = `acme-90000000000001-${carol.lid}`;
    expect(await ids()).to.deep.equal(['M1']);
    expect(await ids(carols)).to.deep.equal(['M2', 'M3']);
    expect(rig.events[2]).to.include({ chatRoomId: carols, remotePhone: `+${BOB.pn}` });
    const contacts = new Contacts(rig.store.contacts, rig.clock);
    expect(await contacts.find('acme', { lid: BOB.lid })).to.include({ pn: '' });
  });

  it('follows a person to another number', async () => {
    await rig.receive({ ...FROM_BOTH, messageId: 'M1' }, HOSTED);
    const moved = { ...FROM_BOTH, chatAlt: '15550000009@s.whatsapp.net' };
    await rig.receive({ ...moved, messageId: 'M2', timestamp: SENT_AT + 1_000 }, HOSTED);
    expect(await rooms()).to.deep.equal([ROOM]);
    expect(rig.events[1]).to.include({ chatRoomId: ROOM, remotePhone: '+15550000009' });
  });
});

describe('PersonRooms: the room of a group', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
  });
  afterEach(() => rig.close());

  it('names each person once, by the LID that becomes known later', async () => {
    const chat = '120363040000000000@g.us';
    const room = 'acme-90000000000001-120363040000000000';
    const byNumber = { chat, participant: FROM_NUMBER.chat };
    const inbox = () =>
      new HostedInbox({
        store: rig.store,
        rooms: rig.roomsOf(HOSTED),
        fileLinks: { linkTo: () => '' },
      });
    const shown = async () => (await inbox().messages(room, { limit: 9 })).map(({ extras }) => extras);
    const react = (text: string) => ({ reactionMessage: { key: { id: 'M1', fromMe: false }, text } });
    const contextInfo = {
      stanzaId: 'M1',
      participant: FROM_NUMBER.chat,
      mentionedJid: [FROM_NUMBER.chat],
      quotedMessage: { conversation: 'hello' },
    };
    const content = { extendedTextMessage: { text: 'me too', contextInfo } };
    await rig.receive({ ...byNumber, messageId: 'M1' }, HOSTED);
    await rig.receive({ ...byNumber, messageId: 'R1', content: react('👍') }, HOSTED);
    await rig.receive({ ...byNumber, messageId: 'M2', content }, HOSTED);
    expect((await shown())[0]).to.deep.include({ reactions: { [BOB.pn]: '👍' } });

    await rig.learn({ ...BOB, source: 'group' });
    const [first, second] = await shown();
    expect(first).to.deep.include({ reactions: { [BOB.lid]: '👍' } });
    expect(first).to.have.nested.property('group.participant', BOB.lid);
    expect(second).to.have.nested.property('quoted.participant', BOB.lid);
    expect(second).to.deep.include({ mentions: [BOB.lid] });

    const byBoth = { chat, participant: `${BOB.lid}@lid`, participantAlt: FROM_NUMBER.chat };
    const later = { messageId: 'R2', timestamp: SENT_AT + 1_000, content: react('🎉') };
    await rig.receive({ ...byBoth, ...later }, HOSTED);
    expect((await rig.history(room))[0]?.extras.reactions).to.deep.equal({ [BOB.lid]: '🎉' });
  });
});
