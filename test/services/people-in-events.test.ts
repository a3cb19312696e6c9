import { expect } from 'chai';
import { LIMITS } from '../../src/domain/limits.js';
import { GROUP, groupOf, HOSTED, makeRig, type Rig } from './receive-rig.js';

const BOB_JID = '90000000000002@lid';
const SESSION = { ...HOSTED, enableGroupAi: true };
const GROUP_ROOM = 'acme-90000000000001-120363040000000000';

describe('events tell', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await makeRig();
  });
  afterEach(() => rig.close());

  it('what a group is called, and so does its room', async () => {
    rig.groups.set(GROUP.chat, groupOf('90000000000003', 'Friends'));
    const [event] = await rig.receive(GROUP, SESSION);
    expect(event).to.deep.include({ remoteName: 'Friends', pushName: 'Bob' });
    expect(event?.group).to.deep.equal({
      jid: GROUP.chat,
      subject: 'Friends',
      participant: '90000000000002',
      participantPhone: '+15550000002',
    });
    expect(await rig.store.history.room('acme', GROUP_ROOM)).to.include({ name: 'Friends' });
  });

  it('no subject of a group that the network does not tell in time', async () => {
    rig.silence();
    rig.take(GROUP, SESSION);
    await rig.clock.scheduled(LIMITS.groupAskMs);
    rig.clock.advance(LIMITS.groupAskMs);
    await rig.receiver.idle();
    expect(rig.events[0]).to.have.nested.property('group.subject', '');
    expect(await rig.store.history.room('acme', GROUP_ROOM)).to.include({ name: '' });
  });

  it('the user names of people that the network tells', async () => {
    await rig.receive({ username: 'bob' });
    await rig.receive({ ...GROUP, messageId: 'M2', username: 'bob' }, SESSION);
    await rig.receive({ messageId: 'M3' });
    expect(rig.events[0]).to.include({ remoteUsername: 'bob' });
    expect(rig.events[1]).to.have.nested.property('group.participantUsername', 'bob');
    expect(rig.events[2], 'it is remembered').to.include({ remoteUsername: 'bob' });
  });

  it('where the picture of a person or a group is', async () => {
    rig.avatars.set(BOB_JID, 'https://files.example/bob.jpg');
    rig.avatars.set(GROUP.chat, 'https://files.example/group.jpg');
    await rig.receive({});
    await rig.receive({ ...GROUP, messageId: 'M2' }, SESSION);
    await rig.receive({ chat: '90000000000003@lid', messageId: 'M3' });
    expect(rig.events.map(({ avatarUrl }) => avatarUrl)).to.deep.equal([
      'https://files.example/bob.jpg',
      'https://files.example/group.jpg',
      '',
    ]);
  });

  it('no device of anybody', async () => {
    const devices = {
      chat: '90000000000002:12@lid',
      chatAlt: '15550000002:12@s.whatsapp.net',
      participant: '90000000000002:12@lid',
      participantAlt: '15550000002:12@s.whatsapp.net',
    };
    const contextInfo = {
      stanzaId: 'M0',
      participant: '90000000000003:7@lid',
      quotedMessage: { conversation: 'before' },
      mentionedJid: ['15550000004:3@s.whatsapp.net'],
    };
    const content = { extendedTextMessage: { text: 'hello', contextInfo } };
    await rig.receive({ ...devices, content }, SESSION);
    await rig.receive({ ...devices, chat: GROUP.chat, messageId: 'M2', content }, SESSION);
    const told = JSON.stringify([rig.events, await rig.store.history.rooms('acme'), await rig.history()]);
    expect(told).to.include('"participant":"90000000000003"').and.include('"15550000004"');
    expect(told).not.to.match(/[0-9]:[0-9]+@/);
  });
});
