import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Store } from '../../../src/gateway/store/store.js';
import { picture } from './contacts.js';
import { expectedFile } from './files.js';
import {
  bytes,
  contact,
  entry,
  expectFailure,
  failed,
  idempotent,
  keptEvent,
  message,
  newFile,
  pendingChange,
  roomUpdate,
  type StoreHarness,
  sent,
  session,
  text,
  trace,
  waiting,
} from './harness.js';
import { MOVE } from './rekey.js';

/** Life cycle and what spans the concerns: ping, forget, close, persistence. */
export function lifeContract(harness: () => StoreHarness): void {
  describe('a store that is opened and closed', () => {
    it('identifies itself and answers', async () => {
      const { store } = harness();
      expect(store.name).to.match(/^[a-z]+$/);
      await store.ping();
    });

    it('keeps everything across closing and opening', async () => {
      await fill(harness().store, 'acme');
      const before = await everything(harness().store, 'acme');
      expect(before).to.deep.equal(FILLED);
      expect(await everything(await harness().reopen(), 'acme')).to.deep.equal(before);
    });

    it('forgets one session, and nothing of the others', async () => {
      const { store } = harness();
      await fill(store, 'acme');
      await fill(store, 'other');
      await store.forget('acme');
      expect(await everything(store, 'acme')).to.deep.equal(NOTHING);
      expect(await everything(store, 'other')).to.deep.equal(FILLED);
      const reopened = await harness().reopen();
      expect(await everything(reopened, 'acme')).to.deep.equal(NOTHING);
      expect(await everything(reopened, 'other')).to.deep.equal(FILLED);
    });

    it('accepts forgetting an unknown session', async () => {
      await harness().store.forget('nobody');
    });

    it('creates a forgotten session with an empty state', async () => {
      const { store } = harness();
      await fill(store, 'acme');
      await store.forget('acme');
      await fill(store, 'acme');
      expect(await everything(store, 'acme')).to.deep.equal(FILLED);
      expect(await everything(await harness().reopen(), 'acme')).to.deep.equal(FILLED);
    });

    it('throws store_unavailable from every method once it is closed', async () => {
      const { store } = harness();
      await fill(store, 'acme');
      await store.close();
      for (const call of calls(store)) await expectFailure(call(), 'store_unavailable');
    });

    it('closes twice without an error', async () => {
      await harness().store.close();
      await harness().store.close();
    });
  });
}

/** Writes something of everything. */
export async function fill(store: Store, clientId: string): Promise<void> {
  await store.sessions.create(session(clientId));
  await store.keys.commit(clientId, {
    credentials: bytes('creds'),
    keys: [{ type: 'session', id: 'a', value: bytes('A') }],
    journal: [entry('h1'), entry('h2')],
  });
  await store.journal.close(clientId, ['h2'], 2_000);
  await store.contacts.learn(clientId, contact({ lid: 'L1', pn: 'P1' }));
  for (const messageId of ['M1', 'M2']) await store.sends.put(clientId, sent(messageId));
  await store.idempotency.claim(clientId, idempotent('k1', { answer: 'first' }));
  await store.traces.add(clientId, trace('M1'));
  await store.history.record(clientId, roomUpdate({ chatRoomId: 'R1' }), message('M1', { chatRoomId: 'R1' }));
  await store.history.advance(clientId, { messageId: 'M1', status: 'read', at: 1_000 });
  await store.history.addPending(clientId, pendingChange('C1'));
  await store.files.write(newFile({ clientId }), Readable.from([bytes('bytes of the file')]));
  await store.expectedFiles.add(expectedFile(`F1-${clientId}`, { clientId }));
  await store.pictures.put(clientId, picture());
  await store.failedDeliveries.add(failed(`01-${clientId}`, { clientId }), 10);
  await store.waitingDeliveries.add(waiting(`W1-${clientId}`, { clientId }));
  await store.keptEvents.add(keptEvent(`K1-${clientId}`, { clientId }));
}

/** The visible data of a session. Reads the idempotency key by claiming it. */
async function everything(store: Store, clientId: string): Promise<object> {
  return {
    session: (await store.sessions.get(clientId))?.webhookToken,
    credentials: text(await store.keys.credentials(clientId)),
    key: text((await store.keys.get(clientId, 'session', ['a'])).get('a')),
    open: (await store.journal.open(clientId)).map(({ plain }) => text(plain)),
    closed: (await store.journal.get(clientId, 'h2'))?.closedAt,
    contact: (await store.contacts.find(clientId, { lid: 'L1' }))?.pn,
    sent: text((await store.sends.get(clientId, 'M1'))?.content),
    secret: text((await store.traces.get(clientId, 'M1'))?.secret),
    rooms: (await store.history.rooms(clientId)).map(({ name, unreadCount }) => [name, unreadCount]),
    messages: (await store.history.messages(clientId, 'R1', { limit: 9 })).map(({ body }) => body),
    statuses: [...(await store.history.statuses(clientId, ['M1']))],
    pending: (await store.history.pending(clientId, 'acme-1-2', 'M1')).map(({ messageId }) => messageId),
    files: await filesOf(store, clientId),
    expected: (await store.expectedFiles.list(clientId)).map(({ since }) => since),
    picture: (await store.pictures.get(clientId, '2@lid', true))?.url,
    answer: (await store.idempotency.claim(clientId, idempotent('k1'))).answer,
    failed: (await store.failedDeliveries.list({ clientId, limit: 9 })).map(({ attempts }) => attempts),
    waiting: (await store.waitingDeliveries.list(clientId)).map(({ since }) => since),
    kept: (await store.keptEvents.get(clientId, `K1-${clientId}`))?.size,
  };
}

async function filesOf({ files }: Store, clientId: string): Promise<(string | undefined)[]> {
  const listed = await files.list(clientId, { page: 1, limit: 9 });
  return Promise.all(
    listed.files.map(async ({ id }) => {
      const opened = await files.open(id);
      return opened && (await buffer(opened.stream)).toString();
    }),
  );
}

const FILLED = {
  session: 'webhook token',
  credentials: 'creds',
  key: 'A',
  open: ['plain h1'],
  closed: 2_000,
  contact: 'P1',
  sent: 'content M1',
  secret: 'secret M1',
  rooms: [['Ann', 1]],
  messages: ['body M1'],
  statuses: [['M1', 'read']],
  pending: ['C1'],
  files: ['bytes of the file'],
  expected: [1_000],
  picture: 'https://pps.example/1?sig=s',
  answer: 'first',
  failed: [8],
  waiting: [1_000],
  kept: 500,
};

const NOTHING = {
  session: undefined,
  credentials: undefined,
  key: undefined,
  open: [],
  closed: undefined,
  contact: undefined,
  sent: undefined,
  secret: undefined,
  rooms: [],
  messages: [],
  statuses: [],
  pending: [],
  files: [],
  expected: [],
  picture: undefined,
  answer: '',
  failed: [],
  waiting: [],
  kept: undefined,
};

function calls(store: Store): (() => Promise<unknown>)[] {
  const { sessions, keys, journal, contacts, sends, traces, history, files, expectedFiles } = store;
  const { pictures, idempotency, failedDeliveries, waitingDeliveries, keptEvents } = store;
  return [
    () => store.ping(),
    () => store.forget('acme'),
    () => sessions.create(session('new')),
    () => sessions.get('acme'),
    () => sessions.list(),
    () => sessions.update('acme', { name: 'x' }),
    () => keys.credentials('acme'),
    () => keys.get('acme', 'session', ['a']),
    () => keys.get('acme', 'session', []),
    () => keys.page('acme', undefined, 10),
    () => journal.since('acme', 0, 10),
    () => keys.commit('acme', { credentials: bytes('x') }),
    () => keys.commit('unseen', { journal: [entry('h')] }),
    () => keys.clear('acme'),
    () => journal.get('acme', 'h1'),
    () => journal.open('acme'),
    () => journal.countOpen(),
    () => journal.countOpen('acme'),
    () => journal.close('acme', ['h1'], 1),
    () => journal.prune(1),
    () => contacts.learn('acme', contact({ lid: 'L9' })),
    () => contacts.find('acme', { lid: 'L1' }),
    () => contacts.find('acme', {}),
    () => sends.put('acme', sent('M2')),
    () => sends.get('acme', 'M1'),
    () => sends.acknowledge('acme', 'M1'),
    () => sends.finish('acme', 'M1'),
    () => sends.prune(1),
    () => traces.add('acme', trace('M2')),
    () => traces.get('acme', 'M1'),
    () => traces.rekey('acme', '1@s.whatsapp.net', '2@lid'),
    () => traces.prune(1),
    () => history.record('acme', roomUpdate(), message('M2')),
    () => history.message('acme', 'R1', 'M1'),
    () => history.update('acme', message('M1', { chatRoomId: 'R1' })),
    () => history.remove('acme', 'R1', 'M1'),
    () => history.messages('acme', 'R1', { limit: 1 }),
    () => history.messages('acme', 'R1', { limit: 0 }),
    () => history.oldest('acme', 'R1', 1),
    () => history.messages('acme', 'R1', { limit: 1, before: 'M1' }),
    () => history.rooms('acme'),
    () => history.room('acme', 'R1'),
    () => history.updateRoom('acme', 'R1', {}),
    () => history.updateRoom('acme', 'R1', { name: 'N' }),
    () => history.roomsByNumber('acme'),
    () => history.rekey('acme', MOVE),
    () => history.addPending('acme', pendingChange('C2')),
    () => history.pending('acme', 'acme-1-2', 'M1'),
    () => history.pendingTargets('acme', 'acme-1-2'),
    () => history.removePending('acme', 'acme-1-2', 'M1'),
    () => history.advance('acme', { messageId: 'M2', status: 'read', at: 1 }),
    () => history.statuses('acme', ['M1']),
    () => history.prunePending(1),
    () => history.prune(1),
    () => files.write(newFile({ messageId: 'M9' }), Readable.from([bytes('x')])),
    () => files.write(newFile(), Readable.from([bytes('x')])),
    () => files.get(randomUUID()),
    () => files.ofMessage('acme', 'acme-1-2', 'M1'),
    () => files.open(randomUUID()),
    () => files.list('acme', { page: 1, limit: 1 }),
    () => files.remove(randomUUID()),
    () => files.removeAll('acme'),
    () => files.prune(1),
    () => files.check({ repair: false }),
    () => expectedFiles.add(expectedFile('F2')),
    () => expectedFiles.get('F1'),
    () => expectedFiles.list('acme'),
    () => expectedFiles.remove('F1'),
    () => pictures.get('acme', '2@lid', true),
    () => pictures.put('acme', picture()),
    () => idempotency.claim('acme', idempotent('k2')),
    () => idempotency.answer('acme', 'k1', 'x'),
    () => idempotency.prune(1),
    () => failedDeliveries.add(failed('02'), 1),
    () => failedDeliveries.list({ limit: 1 }),
    () => failedDeliveries.list({ clientId: 'acme', limit: 1 }),
    () => failedDeliveries.get('01-acme'),
    () => failedDeliveries.counts(),
    () => failedDeliveries.counts('acme'),
    () => failedDeliveries.countsOf('acme'),
    () => failedDeliveries.remove('01-acme'),
    () => failedDeliveries.removeOf('acme', '2'),
    () => failedDeliveries.prune(1),
    () => waitingDeliveries.add(waiting('02')),
    () => waitingDeliveries.list('acme'),
    () => waitingDeliveries.get('W1-acme'),
    () => waitingDeliveries.noteAttempts('acme', 'W1-acme', 2),
    () => waitingDeliveries.remove('W1-acme'),
    () => keptEvents.add(keptEvent('02')),
    () => keptEvents.list({ clientId: 'acme', order: 'oldest first', limit: 1 }),
    () => keptEvents.get('acme', 'K1-acme'),
    () => keptEvents.bytes('acme'),
    () => keptEvents.removeOldest('acme', 1),
    () => keptEvents.prune(1),
    () => keptEvents.prune(1, 'acme'),
  ];
}
