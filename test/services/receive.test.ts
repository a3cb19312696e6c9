import { expect } from 'chai';
import { pino } from 'pino';
import type { GatewayEvent } from '../../src/events/catalogue.js';
import type { IncomingMessage } from '../../src/link/link.js';
import { Contacts } from '../../src/services/contacts.js';
import { Receiver } from '../../src/services/receive/receive.js';
import { StoreSteps } from '../../src/services/store-steps.js';
import { openStore } from '../../src/store/open.js';
import type { SessionRecord, Store } from '../../src/store/store.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const SESSION: SessionRecord = {
  clientId: 'acme',
  lid: '90000000000001',
  pn: '15550000001',
  jid: '15550000001:1@s.whatsapp.net',
  name: 'Alice',
  orgId: '',
  webhookUrl: 'https://example.org/hook',
  webhookToken: '',
  pollLookupUrl: '',
  enableGroupAi: false,
  extraEvents: [],
  apiSecretHash: '',
  status: 'connected',
  statusReason: '',
  createdAt: 0,
};

// the sandbox has no groups, broadcasts or channels yet: here the link's messages are written by hand
describe('what becomes an event', () => {
  let folder: TempDir;
  let store: Store;
  let receiver: Receiver;
  let events: GatewayEvent[];
  let counted: string[];
  beforeEach(async () => {
    folder = await makeTempDir();
    store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
    events = [];
    counted = [];
    const clock = new ManualClock();
    receiver = new Receiver({
      store,
      steps: new StoreSteps(store, clock),
      contacts: new Contacts(store.contacts, clock),
      announcer: {
        announce: async (event) => {
          events.push(event);
          return { deliveryId: 'd', delivered: true, reason: '' };
        },
      },
      observer: {
        received: (type) => counted.push(type),
        withoutReceiver: () => counted.push('without receiver'),
        unknownKind: (name) => counted.push(name),
        notAdmitted: (reason) => counted.push(reason),
      },
      clock,
      log: pino({ level: 'silent' }),
    });
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  async function receive(message: Partial<IncomingMessage>, session = SESSION): Promise<GatewayEvent[]> {
    receiver.receive(session, {
      messageId: 'M1',
      chat: '90000000000002@lid',
      fromMe: false,
      pushName: 'Bob',
      timestamp: Date.UTC(2026, 0, 2, 3, 4, 5),
      content: { conversation: 'hello' },
      journalIds: [],
      offline: false,
      ...message,
    });
    await receiver.idle();
    return events;
  }
  const GROUP = {
    chat: '120363040000000000@g.us',
    participant: '90000000000002@lid',
    participantAlt: '15550000002@s.whatsapp.net',
  };

  for (const chat of ['status@broadcast', '123@broadcast', '120363040000000000@newsletter']) {
    it(`never a message of ${chat}`, async () => {
      expect(await receive({ chat })).to.deep.equal([]);
      expect(counted).to.have.length(1);
    });
  }

  it('a group message only when the session wants them, with who wrote it', async () => {
    expect(await receive(GROUP)).to.deep.equal([]);
    const [event] = await receive(GROUP, { ...SESSION, enableGroupAi: true });
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
    const [event] = await receive({ content: { eventMessage: { name: 'Team dinner' } } });
    expect(event).to.include({ type: 'text', body: '[event] Team dinner' });
    expect(counted).to.deep.equal(['eventMessage', 'text']);
  });

  it('nothing for the housekeeping between devices', async () => {
    expect(await receive({ content: { protocolMessage: { type: 6 } } })).to.deep.equal([]);
  });

  it('one room and one person, whether the phone number or the LID came first', async () => {
    await receive({ chat: '15550000002@s.whatsapp.net', messageId: 'M1' });
    await receive({ chat: '90000000000002@lid', chatAlt: '15550000002@s.whatsapp.net', messageId: 'M2' });
    await receive({ chat: '15550000002@s.whatsapp.net', messageId: 'M3' });
    await receive({ chat: '90000000000002:7@lid', messageId: 'M4' });
    for (const event of events.slice(1)) {
      expect(event).to.include({
        chatRoomId: 'acme-90000000000001-90000000000002',
        clientLid: '90000000000002',
        remoteJid: '90000000000002@lid',
        remotePhone: '+15550000002',
        remoteName: 'Bob',
      });
    }
  });

  it('counted when it has nowhere to go', async () => {
    await receive({}, { ...SESSION, webhookUrl: '' });
    expect(counted).to.include('without receiver');
  });

  it('once, when the same journal entry comes again while the first is on its way', async () => {
    const message = { journalIds: ['entry-1'] };
    await Promise.all([receive(message), receive(message)]);
    expect(events).to.have.length(1);
  });
});
