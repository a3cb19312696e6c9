import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import type { SessionRecord } from '../../../../src/gateway/store/store.js';
import { sent } from '../../../contracts/store/harness.js';
import {
  GROUP,
  HOSTED,
  incoming,
  type Receiving,
  ROOM,
  SENT_AT,
  SESSION,
} from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

// broadcasts, channels and forged messages do not come over the sandbox: here the link's messages are written by hand
describe('Receiver: events', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
  });
  afterEach(() => rig.close());

  for (const [chat, reason] of Object.entries({
    '123@broadcast': 'broadcast',
    '120363040000000000@newsletter': 'newsletter',
    somewhere: 'unknown address',
  })) {
    it(`announces no message of ${chat}, and counts it as ${reason}`, async () => {
      expect(await rig.receive({ chat }, HOSTED)).to.deep.equal([]);
      expect(rig.counted).to.deep.equal([reason]);
      expect(await rig.store.history.rooms('acme')).to.deep.equal([]);
    });
  }

  describe('of statuses', () => {
    const STATUS = {
      chat: 'status@broadcast',
      participant: '90000000000002@lid',
      participantAlt: '15550000002@s.whatsapp.net',
    };

    it('are opt-in events with their author, and no messages', async () => {
      expect(
        await rig.receive({ ...STATUS, content: { conversation: 'At the lake' } }, HOSTED),
      ).to.deep.equal([]);
      expect(rig.posts).to.have.length(1);
      expect(rig.posts[0]).to.deep.include({
        ...{ event: 'status.post', type: 'status_post', messageId: 'M1', kind: 'text', body: 'At the lake' },
        ...{ from: '90000000000002', fromPhone: '+15550000002', fromName: 'Bob', fromMe: false },
        expiresAt: new Date(SENT_AT + 24 * 60 * 60_000).toISOString(),
      });
      expect(await rig.store.history.rooms('acme')).to.deep.equal([]);
      expect(await rig.store.traces.get('acme', 'M1')).to.equal(undefined);
    });

    it('do not come for reactions and other kinds', async () => {
      const key = { remoteJid: 'status@broadcast', id: 'M0', fromMe: true };
      await rig.receive({ ...STATUS, content: { reactionMessage: { key, text: '👍' } } });
      expect([rig.posts, rig.counted]).to.deep.equal([[], ['status']]);
    });

    it('name who deleted which status', async () => {
      const key = { remoteJid: 'status@broadcast', id: 'M0', fromMe: true };
      await rig.receive({ ...STATUS, content: { protocolMessage: { key, type: 0 } } });
      expect(rig.posts[0]).to.include({ kind: 'revoke', targetId: 'M0', from: '90000000000002' });
    });
  });

  it('announces a group message with its author, if the session wants group messages', async () => {
    expect(await rig.receive(GROUP)).to.deep.equal([]);
    const [event] = await rig.receive(GROUP, { ...SESSION, enableGroupAi: true });
    expect(event).to.deep.include({
      isGroup: true,
      remoteJid: '120363040000000000@g.us',
      chatRoomId: 'acme-90000000000001-120363040000000000',
      pushName: 'Bob',
      group: {
        jid: '120363040000000000@g.us',
        subject: '',
        participant: '90000000000002',
        participantPhone: '+15550000002',
      },
    });
  });

  it('announces a group message without an author as a message of an unknown person', async () => {
    const [event] = await rig.receive({ chat: GROUP.chat }, { ...SESSION, enableGroupAi: true });
    expect(event?.group).to.deep.equal({ jid: GROUP.chat, subject: '', participant: '' });
  });

  it('announces a plain message with these fields and no others', async () => {
    const [event] = await rig.receive({ chatAlt: '15550000002@s.whatsapp.net' });
    expect(event).to.deep.equal({
      ...{ event: 'message.received', type: 'text', clientId: 'acme', orgId: '', body: 'hello' },
      ...{ timestamp: new Date(SENT_AT).toISOString(), chatRoomId: ROOM, messageId: 'M1' },
      ...{ myLid: '90000000000001', clientLid: '90000000000002', remoteJid: '90000000000002@lid' },
      ...{ remoteName: 'Bob', remotePhone: '+15550000002', remoteUsername: '', pushName: 'Bob' },
      ...{ avatarUrl: '', fromMe: false, isGroup: false, mentions: [], isForwarded: false },
    });
  });

  it('announces a message of an unknown kind as text, and counts it', async () => {
    const [event] = await rig.receive({ content: { eventMessage: { name: 'Team dinner' } } });
    expect(event).to.include({ type: 'text', body: '[event invitation] Team dinner' });
    expect(rig.counted).to.deep.equal(['eventMessage', 'text']);
  });

  it('announces the messages of a chat in the order of their arrival, if the receiver has durable retries', async () => {
    const { ofMessage } = rig.store.journal;
    let answer = () => {};
    const isSlow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    rig.store.journal.ofMessage = async (clientId, messageId) => {
      if (messageId === 'M1') await isSlow;
      return ofMessage(clientId, messageId);
    };
    const session: SessionRecord = { ...SESSION, retry: 'durable' };
    for (const messageId of ['M1', 'M2']) rig.take({ messageId }, session);
    await new Promise<void>((resolve) => {
      rig.beforeAnnounce = async () => resolve();
      rig.take({ messageId: 'M3', chat: '90000000000003@lid' }, session);
    });
    answer();
    await rig.receiver.idle();
    expect(rig.events.map(({ messageId }) => messageId)).to.deep.equal(['M3', 'M1', 'M2']);
  });

  it('announces no protocol messages between devices', async () => {
    expect(await rig.receive({ content: { protocolMessage: { type: 6 } } })).to.deep.equal([]);
  });

  it('names one room and one person, whether the phone number or the LID came first', async () => {
    await rig.receive({ chat: '15550000002@s.whatsapp.net', messageId: 'M1' });
    await rig.receive({ chat: '90000000000002@lid', chatAlt: '15550000002@s.whatsapp.net', messageId: 'M2' });
    await rig.receive({ chat: '15550000002@s.whatsapp.net', messageId: 'M3' });
    await rig.receive({ chat: '90000000000002:7@lid', messageId: 'M4' });
    for (const event of rig.events.slice(1)) {
      expect(event).to.include({
        chatRoomId: ROOM,
        clientLid: '90000000000002',
        remoteJid: '90000000000002@lid',
        remotePhone: '+15550000002',
        remoteName: 'Bob',
      });
    }
  });

  it('names the author of a quoted message by LID if it is known, and mentions people as in the text', async () => {
    await rig.receive({ chatAlt: '15550000002@s.whatsapp.net' });
    const authors = {
      15550000001: '90000000000001',
      15550000002: '90000000000002',
      15550000009: '15550000009',
    };
    for (const [number, participant] of Object.entries(authors)) {
      const jid = `${number}@s.whatsapp.net`;
      const contextInfo = { stanzaId: 'M1', participant: jid, mentionedJid: [jid] };
      const content = { extendedTextMessage: { text: `@${number}`, contextInfo } };
      await rig.receive({ messageId: `M${number}`, content });
      expect(rig.events.at(-1)).to.deep.include({
        mentions: [number],
        quoted: { messageId: 'M1', participant, body: '', type: 'text' },
      });
    }
  });

  it('counts an event without a receiver', async () => {
    await rig.receive({}, { ...SESSION, webhookUrl: '' });
    expect(rig.counted).to.include('without receiver');
  });

  it('announces a message once when its journal entry is redelivered while the first is in flight', async () => {
    const message = { journalIds: ['entry-1'] };
    await Promise.all([rig.receive(message), rig.receive(message)]);
    expect(rig.events).to.have.length(1);
  });
});

describe('Receiver: traces of messages', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
  });
  afterEach(() => rig.close());

  const secret = new Uint8Array(32).fill(7);
  const trace = (messageId: string) => rig.store.traces.get('acme', messageId);

  it('keep chat, both addresses of the author, time and secret, and nothing of the content', async () => {
    const content = { conversation: 'hello', messageContextInfo: { messageSecret: secret } };
    await rig.receive({ content, chatAlt: '15550000002@s.whatsapp.net' });
    expect(await trace('M1')).to.deep.equal({
      messageId: 'M1',
      chat: '90000000000002@lid',
      fromMe: false,
      authorLid: '90000000000002@lid',
      authorPn: '15550000002@s.whatsapp.net',
      secret: Buffer.from(secret),
      sentAt: SENT_AT,
    });
  });

  it('keep one address of the author where only one is known', async () => {
    await rig.receive({ messageId: 'M2', chat: '90000000000004@lid' });
    await rig.receive({ messageId: 'M3', chat: '15550000005@s.whatsapp.net' });
    expect(await trace('M2')).to.include({ authorLid: '90000000000004@lid', authorPn: '' });
    expect(await trace('M3')).to.include({ authorLid: '', authorPn: '15550000005@s.whatsapp.net' });
  });

  it('are written before the message is announced', async () => {
    let known: unknown;
    rig.beforeAnnounce = async () => {
      known = await trace('M1');
    };
    await rig.receive({});
    expect(known).to.have.property('messageId', 'M1');
  });

  it('keep the author in a group, even for messages that are not delivered', async () => {
    await rig.receive(GROUP);
    expect(rig.events).to.deep.equal([]);
    expect(await trace('M1')).to.include({
      chat: GROUP.chat,
      authorLid: GROUP.participant,
      authorPn: GROUP.participantAlt,
    });
  });

  it('keep own messages, whether the phone or the API sent them', async () => {
    await rig.receive({ fromMe: true, pushName: '' });
    await rig.receiver.echo(SESSION, incoming({ messageId: 'M2', fromMe: true }));
    await rig.receiver.idle();
    for (const id of ['M1', 'M2']) {
      expect(await trace(id)).to.include({
        fromMe: true,
        chat: '90000000000002@lid',
        authorLid: '90000000000001@lid',
        authorPn: '15550000001@s.whatsapp.net',
      });
    }
  });

  it('keep the first message of an id: no later one replaces it', async () => {
    await rig.receive({});
    await rig.receive({ chat: '90000000000003@lid' });
    expect(await trace('M1')).to.include({ authorLid: '90000000000002@lid' });
  });

  it('keep nothing of a message that is not admitted', async () => {
    await rig.receive({ chat: 'status@broadcast' });
    expect(await trace('M1')).to.equal(undefined);
  });
});

describe('Receiver: history', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
  });
  afterEach(() => rig.close());

  it('records nothing without an orgId', async () => {
    await rig.receive({});
    expect(await rig.history()).to.deep.equal([]);
  });

  it('records a message before it announces it', async () => {
    let rows: unknown[] = [];
    rig.beforeAnnounce = async () => {
      rows = await rig.history();
    };
    await rig.receive({}, HOSTED);
    expect(rows).to.have.length(1);
  });

  it('records group messages that are not delivered too', async () => {
    expect(await rig.receive(GROUP, HOSTED)).to.deep.equal([]);
    const [row] = await rig.history('acme-90000000000001-120363040000000000');
    expect(row).to.include({ body: 'hello', author: '90000000000002@lid', pushname: 'Bob' });
    expect(row?.extras).to.have.nested.property('group.participant', '90000000000002');
  });

  it('records a message of an unknown kind as it was announced', async () => {
    await rig.receive({ content: { eventMessage: { name: 'Team dinner' } } }, HOSTED);
    expect((await rig.history())[0]).to.include({
      messageType: 'chat',
      body: '[event invitation] Team dinner',
    });
  });

  it('records the pictures of an album, not the announcement of the album', async () => {
    const album = { expectedImageCount: 2, expectedVideoCount: 0 };
    await rig.receive({ messageId: 'A1', content: { albumMessage: album } }, HOSTED);
    const ephemeral = { message: { albumMessage: album } };
    await rig.receive({ messageId: 'A2', content: { ephemeralMessage: ephemeral } }, HOSTED);
    expect([rig.events, await rig.history()]).to.deep.equal([[], []]);
    expect(rig.counted).to.deep.equal(['album', 'album']);
    const message = { imageMessage: { mimetype: 'image/jpeg' } };
    await rig.receive({ messageId: 'A3', content: { associatedChildMessage: { message } } }, HOSTED);
    expect(rig.events.map(({ type }) => type)).to.deep.equal(['image']);
  });

  it('records and announces a message again after a crash that left it open', async () => {
    await rig.receive({ journalIds: ['entry-1'] }, HOSTED);
    await rig.receive({ journalIds: ['entry-1'], offline: true }, HOSTED);
    expect(rig.events).to.have.length(2);
    expect(await rig.history()).to.have.length(1);
    expect(await rig.store.history.room('acme', ROOM)).to.include({ unreadCount: 1 });
  });

  it('restarts a message when the session left during a store outage and came back', async () => {
    rig.away = true;
    rig.take({ journalIds: ['entry-1'] }, HOSTED);
    await setImmediate();
    rig.receiver.abort('acme');
    const first = rig.receiver.idle();
    rig.away = false;
    rig.take({ journalIds: ['entry-1'] }, HOSTED);
    rig.clock.advance(10_000);
    await first;
    expect((await rig.history()).map(({ body }) => body)).to.deep.equal(['hello']);
    expect(rig.events).to.have.length(1);
  });

  describe('Receiver: a session that moves to another owner', () => {
    const open = async () => (await rig.store.journal.open('acme')).map(({ id }) => id);
    beforeEach(async () => {
      const [plain, stanza] = [new Uint8Array(1), new Uint8Array(1)];
      const entry = { id: 'entry-1', messageId: 'M1', plain, stanza, receivedAt: SENT_AT };
      await rig.store.keys.commit('acme', { journal: [entry] });
    });

    it('keeps a message for the next owner when this node has lost the lease', async () => {
      rig.outage = () => new GatewayError('session_elsewhere', 'another node has it');
      rig.away = true;
      expect(await rig.receive({ journalIds: ['entry-1'] }, HOSTED)).to.deep.equal([]);
      expect(await open()).to.deep.equal(['entry-1']);
    });

    it('keeps a message for the next owner when it was not delivered before the session left', async () => {
      rig.beforeAnnounce = async () => rig.receiver.abort('acme');
      await rig.receive({ journalIds: ['entry-1'] }, { ...SESSION, webhookUrl: '' });
      expect(await open()).to.deep.equal(['entry-1']);
    });
  });

  it('delays the record and the event while the store is unavailable', async () => {
    rig.away = true;
    rig.take({}, HOSTED);
    await rig.clock.scheduled(250);
    expect(rig.events).to.deep.equal([]);
    rig.away = false;
    rig.clock.advance(250);
    await rig.receiver.idle();
    expect(await rig.history()).to.have.length(1);
    expect(rig.events).to.have.length(1);
  });

  it('announces a message that the history cannot record', async () => {
    rig.store.history.record = async () => {
      throw new Error('cannot be written');
    };
    await rig.receive({}, HOSTED);
    expect(rig.events).to.have.length(1);
  });

  describe('the record of an own send', () => {
    const send = () => incoming({ fromMe: true });

    it('the record of a send is written before its caller is answered, whatever the receiver does', async () => {
      let deliver: () => void = () => undefined;
      const delivered = new Promise<void>((resolve) => {
        deliver = resolve;
      });
      rig.beforeAnnounce = () => delivered;
      const metaData = { fromAI: true };
      expect(await rig.receiver.echo(HOSTED, send(), { metaData })).to.deep.equal({ recorded: true });
      expect((await rig.history())[0]).to.include({ fromAi: true, fromMe: true });
      deliver();
    });

    it('the record of a send is not awaited without an orgId', async () => {
      expect(await rig.receiver.echo(SESSION, send())).to.deep.equal({ recorded: true });
    });

    it('the record of a send is reported as missing when it cannot be written', async () => {
      rig.store.history.record = async () => {
        throw new Error('cannot be written');
      };
      expect(await rig.receiver.echo(HOSTED, send())).to.deep.equal({ recorded: false });
    });

    it('the record of a send is reported as missing during a long store outage, and written later', async () => {
      rig.away = true;
      const answer = rig.receiver.echo(HOSTED, send());
      await rig.clock.scheduled(250);
      rig.clock.advance(LIMITS.recordWaitMs);
      expect(await answer).to.deep.equal({ recorded: false });
      rig.away = false;
      await rig.clock.scheduled(500);
      rig.clock.advance(500);
      await rig.receiver.idle();
      expect(await rig.history()).to.have.length(1);
      expect(rig.events).to.have.length(1);
    });

    it("the network's copy of an own send is not announced, and changes no record", async () => {
      const content = new Uint8Array([1]);
      const record = { messageId: 'M1', to: '90000000000002@lid', content, metaData: '', fileName: '' };
      const times = { sentAt: SENT_AT, acknowledged: true, closed: true };
      await rig.store.sends.put('acme', sent('M1', { ...record, ...times }));
      expect(await rig.receive({ fromMe: true, messageId: 'M1' }, HOSTED)).to.deep.equal([]);
      expect(await rig.history()).to.deep.equal([]);
      // the phone's own messages are no copies
      expect(await rig.receive({ fromMe: true, messageId: 'M2' }, HOSTED)).to.have.length(1);
    });

    it('the record of a send is written once for two simultaneous echoes', async () => {
      const both = [rig.receiver.echo(HOSTED, send()), rig.receiver.echo(HOSTED, send())];
      expect(await Promise.all(both)).to.deep.equal([{ recorded: true }, { recorded: true }]);
      await rig.receiver.idle();
      expect(rig.events).to.have.length(1);
    });
  });
});
