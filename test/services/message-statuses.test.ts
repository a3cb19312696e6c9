import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { pino } from 'pino';
import type { MessageStatus } from '../../src/domain/message-status.js';
import type { MessageContent } from '../../src/link/link.js';
import { MessageStatuses } from '../../src/services/inbox/message-statuses.js';
import type { RoomChange } from '../../src/services/inbox/room-changes.js';
import { StoreSteps } from '../../src/services/store-steps.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { sent, trace } from '../contracts/store/harness.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { HOSTED, ROOM, SENT_AT, SESSION } from './receive-rig.js';

const BOB_JID = '90000000000002@lid';

describe('how far own messages have come', () => {
  let folder: TempDir;
  let store: Store;
  let changes: RoomChange[];
  /** Messages on their way into the history. */
  let arriving: Map<string, Promise<void>>;
  let statuses: MessageStatuses;

  beforeEach(async () => {
    folder = await makeTempDir();
    store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
    changes = [];
    arriving = new Map();
    statuses = new MessageStatuses({
      store,
      links: { decode: (encoded) => proto.Message.decode(encoded) },
      steps: new StoreSteps(store, new ManualClock()),
      settled: async (_clientId, messageId) => arriving.get(messageId),
      onRoomChange: (change) => changes.push(change),
      log: pino({ level: 'silent' }),
    });
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  const note = (messageId: string, status: MessageStatus, session = HOSTED) =>
    statuses.note(session, { messageId, status, at: SENT_AT });
  const known = async (messageId = 'M1') => {
    await statuses.idle();
    return (await store.history.statuses('acme', [messageId])).get(messageId);
  };
  const remember = (messageId: string, fromMe = true) =>
    store.traces.add('acme', trace(messageId, { chat: BOB_JID, fromMe }));
  const send = (messageId: string, content: MessageContent) =>
    store.sends.put('acme', sent(messageId, { content: proto.Message.encode(content).finish() }));

  it('is noted, and told of as a change of the room', async () => {
    await remember('M1');
    note('M1', 'delivered');
    expect(await known()).to.equal('delivered');
    expect(changes).to.deep.equal([{ clientId: 'acme', chatRoomId: ROOM, messageId: 'M1' }]);
  });

  it('is told of once for each step, whoever and however many they are', async () => {
    await remember('M1');
    for (const status of ['delivered', 'delivered', 'read', 'delivered', 'read'] as const) {
      note('M1', status);
      await statuses.idle();
    }
    expect(await known()).to.equal('read');
    expect(changes).to.have.length(2);
  });

  it('is that of the recorded message, also when it is told while that is being recorded', async () => {
    let arrived: () => void = () => undefined;
    arriving.set(
      'M1',
      new Promise((resolve) => {
        arrived = resolve;
      }),
    );
    note('M1', 'delivered');
    await remember('M1');
    arrived();
    expect(await known()).to.equal('delivered');
    expect(changes).to.have.length(1);
  });

  it('is noted of what was sent and, for a crash, is not recorded yet', async () => {
    await send('M1', { conversation: 'hello' });
    note('M1', 'delivered');
    expect(await known()).to.equal('delivered');
    expect(changes).to.deep.equal([]);
  });

  it('is noted of nothing that is no own message', async () => {
    await remember('M2', false);
    await send('M3', { reactionMessage: { key: { id: 'M1' }, text: '👍' } });
    for (const messageId of ['M1', 'M2', 'M3']) {
      note(messageId, 'delivered');
      expect(await known(messageId)).to.equal(undefined);
    }
    expect(changes).to.deep.equal([]);
  });

  it('is a failure of stored messages only: another attempt may succeed under the same id', async () => {
    await send('M1', { conversation: 'hello' });
    note('M1', 'failed');
    expect(await known()).to.equal(undefined);
    await remember('M1');
    note('M1', 'failed');
    expect(await known()).to.equal('failed');
  });

  it('is noted nowhere for a session without a workspace', async () => {
    await remember('M1');
    note('M1', 'delivered', SESSION);
    expect(await known()).to.equal(undefined);
  });

  it('is not noted any more of a session that is being deleted', async () => {
    await remember('M1');
    let arrived: () => void = () => undefined;
    arriving.set(
      'M1',
      new Promise((resolve) => {
        arrived = resolve;
      }),
    );
    note('M1', 'delivered');
    const ended = statuses.end('acme');
    arrived();
    await ended;
    expect(await known()).to.equal(undefined);
    note('M1', 'read');
    expect(await known(), 'of a session that begins anew').to.equal('read');
  });
});
