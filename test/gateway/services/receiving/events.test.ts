import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import { GROUP, groupOf, HOSTED, type Receiving } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

const BOB_JID = '90000000000002@lid';
const SESSION = { ...HOSTED, enableGroupAi: true };
const GROUP_ROOM = 'acme-90000000000001-120363040000000000';

describe('Receiver: names in events', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
  });
  afterEach(() => rig.close());

  it('names the group in the event and its room', async () => {
    rig.groups.set(GROUP.chat, groupOf('90000000000003', 'Friends'));
    const [event] = await rig.receive(GROUP, SESSION);
    expect(event).to.deep.include({
      remoteName: 'Friends',
      remotePhone: '',
      remoteUsername: '',
      pushName: 'Bob',
    });
    expect(event?.group).to.deep.equal({
      jid: GROUP.chat,
      subject: 'Friends',
      participant: '90000000000002',
      participantPhone: '+15550000002',
    });
    expect(await rig.store.history.room('acme', GROUP_ROOM)).to.include({ name: 'Friends' });
  });

  it('leaves the subject of a group empty when the network does not send it in time', async () => {
    rig.silence();
    rig.take(GROUP, SESSION);
    await rig.clock.scheduled(LIMITS.groupAskMs);
    rig.clock.advance(LIMITS.groupAskMs);
    await rig.receiver.idle();
    expect(rig.events[0]).to.have.nested.property('group.subject', '');
    expect(await rig.store.history.room('acme', GROUP_ROOM)).to.include({ name: '' });
  });

  it('names people by the user names that the network sends', async () => {
    await rig.receive({ username: 'bob' });
    await rig.receive({ ...GROUP, messageId: 'M2', username: 'bob' }, SESSION);
    await rig.receive({ messageId: 'M3' });
    expect(rig.events[0]).to.include({ remoteUsername: 'bob' });
    expect(rig.events[1]).to.have.nested.property('group.participantUsername', 'bob');
    expect(rig.events[2], 'it is remembered').to.include({ remoteUsername: 'bob' });
  });

  it('links the picture of a person or a group', async () => {
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

  it('names no device', async () => {
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

const DOCUMENT = {
  documentMessage: {
    directPath: '/v/x.enc',
    mediaKey: Buffer.from('key'),
    mimetype: 'application/pdf',
    fileName: 'offer.pdf',
  },
};

describe('Receiver: the event of a message with a file', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
  });
  afterEach(() => rig.close());

  const linkIn = (index: number) => rig.events[index]?.media?.downloadUrl;

  it('links the file, whose download is already scheduled', async () => {
    rig.beforeAnnounce = async () => void expect(rig.expectedFiles).to.have.length(1);
    await rig.receive({ content: DOCUMENT }, HOSTED);
    const [row] = await rig.history();
    expect(rig.expectedFiles).to.deep.equal([row?.fileId]);
    expect(linkIn(0)).to.equal(`https://files.example/${row?.fileId}/offer.pdf`);
  });

  it('contains the same link when the message is announced again', async () => {
    await rig.receive({ content: DOCUMENT }, HOSTED);
    await rig.receive({ content: DOCUMENT }, HOSTED);
    expect(linkIn(1)).to.equal(linkIn(0)).and.not.equal(undefined);
  });

  it('contains no link without a workspace', async () => {
    await rig.receive({ content: DOCUMENT });
    expect(rig.events[0]?.media).to.not.have.property('downloadUrl');
    expect(rig.expectedFiles).to.deep.equal([]);
  });

  it('contains no link when the message could not be written to the history', async () => {
    rig.store.history.record = () => Promise.reject(new Error('not taken'));
    await rig.receive({ content: DOCUMENT }, HOSTED);
    expect(rig.events[0]?.media).to.include({ fileName: 'offer.pdf' }).and.not.have.property('downloadUrl');
  });

  it('contains no link when the message lacks the keys of the file', async () => {
    const { documentMessage } = DOCUMENT;
    await rig.receive({ content: { documentMessage: { ...documentMessage, mediaKey: null } } }, HOSTED);
    expect(rig.events[0]?.media).to.not.have.property('downloadUrl');
    expect(rig.expectedFiles).to.deep.equal([]);
  });

  it('waits for an unavailable store, and is recorded once', async () => {
    const { record } = rig.store.history;
    let failures = 1;
    rig.store.history.record = async (...recorded) => {
      await record(...recorded);
      if (failures-- > 0) throw new GatewayError('store_unavailable', 'after it was written');
      return false;
    };
    rig.take({ content: DOCUMENT }, HOSTED);
    await rig.clock.scheduled(250);
    rig.clock.advance(250);
    await rig.receiver.idle();
    const rows = await rig.history();
    expect(rows).to.have.length(1);
    expect(linkIn(0)).to.include(rows[0]?.fileId ?? '-');
  });
});
