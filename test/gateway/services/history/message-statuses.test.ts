import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import type { MessageStatus } from '../../../../src/domain/room.js';
import type { MessageContent } from '../../../../src/gateway/link/link.js';
import { MessageStatuses } from '../../../../src/gateway/services/history/message-statuses.js';
import { notifyingRooms, type RoomChange } from '../../../../src/gateway/services/history/room-changes.js';
import { roomRename } from '../../../../src/gateway/services/identities/stored-names.js';
import type { Store } from '../../../../src/gateway/store/store.js';
import { message, roomUpdate, sent, trace } from '../../../contracts/store/harness.js';
import { HOSTED, ROOM, SENT_AT, SESSION } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

const BOB_JID = '90000000000002@lid';

describe('MessageStatuses', () => {
  let rig: Rig;
  let store: Store;
  let changes: RoomChange[];
  /** Messages on their way into the history. */
  let arriving: Map<string, Promise<void>>;
  let statuses: MessageStatuses;

  beforeEach(async () => {
    rig = await Rig.start();
    store = rig.store;
    changes = [];
    arriving = new Map();
    statuses = new MessageStatuses({
      store,
      links: { decode: (encoded) => proto.Message.decode(encoded) },
      retry: rig.retry,
      inbound: { settled: async (_clientId, messageId) => arriving.get(messageId) },
      onRoomChange: (change) => changes.push(change),
      log: rig.log,
    });
  });
  afterEach(() => rig.close());

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

  it('writes a status, and reports a change of the room', async () => {
    await remember('M1');
    note('M1', 'delivered');
    expect(await known()).to.equal('delivered');
    expect(changes).to.deep.equal([{ clientId: 'acme', chatRoomId: ROOM, messageId: 'M1' }]);
  });

  it('reports each step once, however many receipts come', async () => {
    await remember('M1');
    for (const status of ['delivered', 'delivered', 'read', 'delivered', 'read'] as const) {
      note('M1', status);
      await statuses.idle();
    }
    expect(await known()).to.equal('read');
    expect(changes).to.have.length(2);
  });

  it('waits for a message that is being recorded', async () => {
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

  it('writes the status of a sent message whose recording a crash interrupted', async () => {
    await send('M1', { conversation: 'hello' });
    note('M1', 'delivered');
    expect(await known()).to.equal('delivered');
    expect(changes).to.deep.equal([]);
  });

  it('ignores receipts for messages of others', async () => {
    await remember('M2', false);
    await send('M3', { reactionMessage: { key: { id: 'M1' }, text: '👍' } });
    for (const messageId of ['M1', 'M2', 'M3']) {
      note(messageId, 'delivered');
      expect(await known(messageId)).to.equal(undefined);
    }
    expect(changes).to.deep.equal([]);
  });

  it('writes a failure of stored messages only: another attempt may succeed under the same id', async () => {
    await send('M1', { conversation: 'hello' });
    note('M1', 'failed');
    expect(await known()).to.equal(undefined);
    await remember('M1');
    note('M1', 'failed');
    expect(await known()).to.equal('failed');
  });

  it('writes nothing for a session without a workspace', async () => {
    await remember('M1');
    note('M1', 'delivered', SESSION);
    expect(await known()).to.equal(undefined);
  });

  it('writes nothing for a session that is being deleted', async () => {
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

const WRITTEN_ROOM = 'acme-1-2';
const ROW = { clientId: 'acme', chatRoomId: WRITTEN_ROOM, messageId: 'M1' };

describe('notifyingRooms', () => {
  let rig: Rig;
  let store: Store;
  let changes: RoomChange[];

  beforeEach(async () => {
    rig = await Rig.start();
    changes = [];
    store = notifyingRooms(rig.store, (change) => changes.push(change));
  });
  afterEach(() => rig.close());

  const record = () => store.history.record('acme', roomUpdate(), message('M1'));

  it('reports a message that is added, changed and removed', async () => {
    await record();
    await store.history.update('acme', message('M1', { body: 'better' }));
    await store.history.remove('acme', WRITTEN_ROOM, 'M1');
    expect(changes).to.deep.equal([ROW, ROW, ROW]);
  });

  it('reports only the room when only the room changes', async () => {
    await record();
    changes.length = 0;
    await store.history.updateRoom('acme', WRITTEN_ROOM, { unreadCount: 0 });
    await store.history.updateRoom('acme', WRITTEN_ROOM, { avatarId: 'F1' });
    expect(changes).to.deep.equal(Array(2).fill({ clientId: 'acme', chatRoomId: WRITTEN_ROOM }));
  });

  it('reports the former id of a renamed room', async () => {
    await record();
    changes.length = 0;
    await store.history.rekey('acme', roomRename(WRITTEN_ROOM, { lid: '3', pn: '2' }));
    expect(changes).to.deep.equal([{ clientId: 'acme', chatRoomId: 'acme-1-3', formerId: WRITTEN_ROOM }]);
  });

  it('reports nothing when nothing changes', async () => {
    await store.history.update('acme', message('M1'));
    await store.history.remove('acme', WRITTEN_ROOM, 'M1');
    await store.history.updateRoom('acme', WRITTEN_ROOM, { unreadCount: 0 });
    await store.history.rekey('acme', roomRename(WRITTEN_ROOM, { lid: '3', pn: '2' }));
    expect(changes).to.deep.equal([]);
  });

  it('reports a failed write, because the store may have applied it', async () => {
    const fail = (..._given: unknown[]) =>
      Promise.reject(new GatewayError('store_unavailable', 'no answer came'));
    const failing = { ...rig.store.history, record: fail, update: fail };
    const { history } = notifyingRooms({ history: failing }, (change) => changes.push(change));
    const codes = [
      history.record('acme', roomUpdate(), message('M1')),
      history.update('acme', message('M1')),
    ].map((writing) => writing.then(String, (error) => error.code));
    expect(await Promise.all(codes)).to.deep.equal(['store_unavailable', 'store_unavailable']);
    expect(changes).to.deep.equal([ROW, ROW]);
  });
});
