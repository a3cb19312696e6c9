import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError } from '../../src/domain/errors.js';
import { LIMITS } from '../../src/domain/limits.js';
import { GROUP, HOSTED, incoming, makeRig, type Rig, ROOM, SENT_AT, SESSION } from './receive-rig.js';

// broadcasts, channels and forged messages do not come over the sandbox: here the link's messages are written by hand
describe('what becomes an event', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await makeRig();
  });
  afterEach(() => rig.close());

  for (const chat of ['status@broadcast', '123@broadcast', '120363040000000000@newsletter']) {
    it(`never a message of ${chat}`, async () => {
      expect(await rig.receive({ chat }, HOSTED)).to.deep.equal([]);
      expect(rig.counted).to.have.length(1);
      expect(await rig.store.history.rooms('acme')).to.deep.equal([]);
    });
  }

  it('a group message only when the session wants them, with who wrote it', async () => {
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

  it('a message of a kind that nobody knows, shown as text and counted', async () => {
    const [event] = await rig.receive({ content: { eventMessage: { name: 'Team dinner' } } });
    expect(event).to.include({ type: 'text', body: '[event invitation] Team dinner' });
    expect(rig.counted).to.deep.equal(['eventMessage', 'text']);
  });

  it('nothing for the housekeeping between devices', async () => {
    expect(await rig.receive({ content: { protocolMessage: { type: 6 } } })).to.deep.equal([]);
  });

  it('one room and one person, whether the phone number or the LID came first', async () => {
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

  it('with the LID of whoever wrote what it quotes, where that is known, and mentions as in its text', async () => {
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

  it('counted when it has nowhere to go', async () => {
    await rig.receive({}, { ...SESSION, webhookUrl: '' });
    expect(rig.counted).to.include('without receiver');
  });

  it('once, when the same journal entry comes again while the first is on its way', async () => {
    const message = { journalIds: ['entry-1'] };
    await Promise.all([rig.receive(message), rig.receive(message)]);
    expect(rig.events).to.have.length(1);
  });
});

describe('what is remembered of messages', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await makeRig();
  });
  afterEach(() => rig.close());

  const secret = new Uint8Array(32).fill(7);
  const trace = (messageId: string) => rig.store.traces.get('acme', messageId);

  it('chat, author by both addresses, time and secret, and nothing of the content', async () => {
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

  it('before the receiver is told, which may react at once', async () => {
    let known: unknown;
    rig.beforeAnnounce = async () => {
      known = await trace('M1');
    };
    await rig.receive({});
    expect(known).to.have.property('messageId', 'M1');
  });

  it('the author in a group, also of messages that are not delivered', async () => {
    await rig.receive(GROUP);
    expect(rig.events).to.deep.equal([]);
    expect(await trace('M1')).to.include({
      chat: GROUP.chat,
      authorLid: GROUP.participant,
      authorPn: GROUP.participantAlt,
    });
  });

  it('own messages, sent by the phone or the API', async () => {
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

  it('the first of an id: nobody can take it over', async () => {
    await rig.receive({});
    await rig.receive({ chat: '90000000000003@lid' });
    expect(await trace('M1')).to.include({ authorLid: '90000000000002@lid' });
  });

  it('nothing of what is never admitted', async () => {
    await rig.receive({ chat: 'status@broadcast' });
    expect(await trace('M1')).to.equal(undefined);
  });
});

describe('what the history keeps', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await makeRig();
  });
  afterEach(() => rig.close());

  it('is nothing without an orgId', async () => {
    await rig.receive({});
    expect(await rig.history()).to.deep.equal([]);
  });

  it('is there before the receiver is told', async () => {
    let rows: unknown[] = [];
    rig.beforeAnnounce = async () => {
      rows = await rig.history();
    };
    await rig.receive({}, HOSTED);
    expect(rows).to.have.length(1);
  });

  it('are also group messages that are not delivered', async () => {
    expect(await rig.receive(GROUP, HOSTED)).to.deep.equal([]);
    const [row] = await rig.history('acme-90000000000001-120363040000000000');
    expect(row).to.include({ body: 'hello', author: '90000000000002@lid', pushname: 'Bob' });
    expect(row?.extras).to.have.nested.property('group.participant', '90000000000002');
  });

  it('are kinds that nobody knows, as they were shown', async () => {
    await rig.receive({ content: { eventMessage: { name: 'Team dinner' } } }, HOSTED);
    expect((await rig.history())[0]).to.include({
      messageType: 'chat',
      body: '[event invitation] Team dinner',
    });
  });

  it('are the pictures of an album, not the word that they will come', async () => {
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

  it('is recorded and announced again when a crash left it open', async () => {
    await rig.receive({ journalIds: ['entry-1'] }, HOSTED);
    await rig.receive({ journalIds: ['entry-1'], offline: true }, HOSTED);
    expect(rig.events).to.have.length(2);
    expect(await rig.history()).to.have.length(1);
    expect(await rig.store.history.room('acme', ROOM)).to.include({ unreadCount: 1 });
  });

  it('begins anew when its session left while the store was away, and came back', async () => {
    rig.away = true;
    rig.take({ journalIds: ['entry-1'] }, HOSTED);
    await setImmediate();
    rig.receiver.abandon('acme');
    const first = rig.receiver.idle();
    rig.away = false;
    rig.take({ journalIds: ['entry-1'] }, HOSTED);
    rig.clock.advance(10_000);
    await first;
    expect((await rig.history()).map(({ body }) => body)).to.deep.equal(['hello']);
    expect(rig.events).to.have.length(1);
  });

  describe('is left to the next owner of its session', () => {
    const open = async () => (await rig.store.journal.open('acme')).map(({ id }) => id);
    beforeEach(async () => {
      const [plain, stanza] = [new Uint8Array(1), new Uint8Array(1)];
      const entry = { id: 'entry-1', messageId: 'M1', plain, stanza, receivedAt: SENT_AT };
      await rig.store.keys.commit('acme', { journal: [entry] });
    });

    it('when this one may not write any more', async () => {
      rig.outage = () => new GatewayError('session_elsewhere', 'another node has it');
      rig.away = true;
      expect(await rig.receive({ journalIds: ['entry-1'] }, HOSTED)).to.deep.equal([]);
      expect(await open()).to.deep.equal(['entry-1']);
    });

    it('when it could not be delivered before the session had left', async () => {
      rig.beforeAnnounce = async () => rig.receiver.abandon('acme');
      await rig.receive({ journalIds: ['entry-1'] }, { ...SESSION, webhookUrl: '' });
      expect(await open()).to.deep.equal(['entry-1']);
    });
  });

  it('waits for a store that is away, and so does the event', async () => {
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

  it('does not hold an event up that it cannot take', async () => {
    rig.store.history.record = async () => {
      throw new Error('cannot be written');
    };
    await rig.receive({}, HOSTED);
    expect(rig.events).to.have.length(1);
  });

  describe('of an own send', () => {
    const send = () => incoming({ fromMe: true });

    it('is there when its caller is answered, whatever the receiver does', async () => {
      let deliver: () => void = () => undefined;
      const delivered = new Promise<void>((resolve) => {
        deliver = resolve;
      });
      rig.beforeAnnounce = () => delivered;
      const metaData = { fromAI: true };
      expect(await rig.receiver.echo(HOSTED, send(), metaData)).to.deep.equal({ recorded: true });
      expect((await rig.history())[0]).to.include({ fromAi: true, fromMe: true });
      deliver();
    });

    it('is not waited for without an orgId', async () => {
      expect(await rig.receiver.echo(SESSION, send())).to.deep.equal({ recorded: true });
    });

    it('is said to be missing when it cannot be written', async () => {
      rig.store.history.record = async () => {
        throw new Error('cannot be written');
      };
      expect(await rig.receiver.echo(HOSTED, send())).to.deep.equal({ recorded: false });
    });

    it('is said to be missing when the store is away for long, and written later', async () => {
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

    it('is recorded once when it is echoed twice at the same time', async () => {
      const both = [rig.receiver.echo(HOSTED, send()), rig.receiver.echo(HOSTED, send())];
      expect(await Promise.all(both)).to.deep.equal([{ recorded: true }, { recorded: true }]);
      await rig.receiver.idle();
      expect(rig.events).to.have.length(1);
    });
  });
});
