import { Readable } from 'node:stream';
import type { Backend } from '../../../../src/gateway/store/store.js';
import { picture } from '../../../contracts/store/contacts.js';
import { expectedFile } from '../../../contracts/store/files.js';
import {
  bytes,
  contact,
  failed,
  idempotent,
  keptEvent,
  message,
  newFile,
  pendingChange,
  roomUpdate,
  sent,
  trace,
  waiting,
} from '../../../contracts/store/harness.js';
import { MOVE } from '../../../contracts/store/rekey.js';

/** Writes something of the session `acme`, other than the last time, of what `fill` has written. */
export type SessionWrite = (store: Backend) => Promise<unknown>;

let writes = 0;
const another = () => `other ${++writes}`;

/** Refused by the server, in an order in which each finds something to change. */
export const FENCED_BY_SERVER: Readonly<Record<string, SessionWrite>> = {
  'sessions.update': ({ sessions }) => sessions.update('acme', { name: another() }),
  'keys.commit': ({ keys }) => keys.commit('acme', { credentials: bytes(another()) }),
  'keys.clear': ({ keys }) => keys.clear('acme'),
  'journal.close': ({ journal }) => journal.close('acme', ['h1'], 3_000),
  'history.record': ({ history }) =>
    history.record('acme', roomUpdate({ chatRoomId: 'R1' }), message('M9', { chatRoomId: 'R1' })),
  'history.update': ({ history }) =>
    history.update('acme', message('M1', { chatRoomId: 'R1', body: another() })),
  'history.advance': ({ history }) =>
    history.advance('acme', { messageId: 'M9', status: 'delivered', at: 2_000 }),
  'history.addPending': ({ history }) => history.addPending('acme', pendingChange('C9')),
  'history.removePending': ({ history }) => history.removePending('acme', 'acme-1-2', 'M1'),
  'history.remove': ({ history }) => history.remove('acme', 'R1', 'M1'),
  'history.rekey': ({ history }) => history.rekey('acme', { ...MOVE, from: 'R1' }),
  forget: (store) => store.forget('acme'),
};

/** Refused by the process alone. */
export const FENCED_BY_PROCESS: Readonly<Record<string, SessionWrite>> = {
  'contacts.learn': ({ contacts }) => contacts.learn('acme', contact({ lid: 'L1', name: another() })),
  'sends.put': ({ sends }) => sends.put('acme', sent('M1', { to: another() })),
  'sends.acknowledge': ({ sends }) => sends.acknowledge('acme', 'M1'),
  'sends.close': ({ sends }) => sends.close('acme', 'M1'),
  'sends.finish': ({ sends }) => sends.finish('acme', 'M2'),
  'traces.add': ({ traces }) => traces.add('acme', trace(another(), { chat: '15550000007@s.whatsapp.net' })),
  'traces.rekey': ({ traces }) => traces.rekey('acme', '15550000007@s.whatsapp.net', '7@lid'),
  'files.write': ({ files }) => files.write(newFile({ messageId: another() }), Readable.from([bytes('x')])),
  'expectedFiles.add': ({ expectedFiles }) => expectedFiles.add(expectedFile(another())),
  'pictures.put': ({ pictures }) => pictures.put('acme', picture({ version: another() })),
  'idempotency.claim': ({ idempotency }) => idempotency.claim('acme', idempotent(another())),
  'idempotency.answer': ({ idempotency }) => idempotency.answer('acme', 'k1', another()),
  'failedDeliveries.add': ({ failedDeliveries }) => failedDeliveries.add(failed(another()), 10),
  'waitingDeliveries.add': ({ waitingDeliveries }) => waitingDeliveries.add(waiting(another())),
  'waitingDeliveries.noteAttempts': ({ waitingDeliveries }) =>
    waitingDeliveries.noteAttempts('acme', 'W1-acme', 2),
  'keptEvents.add': ({ keptEvents }) => keptEvents.add(keptEvent(another())),
  'keptEvents.removeOldest': ({ keptEvents }) => keptEvents.removeOldest('acme', 1),
};

/** They change nothing. */
export const READS: readonly string[] = [
  'ping',
  ...['sessions.get', 'sessions.list', 'keys.credentials', 'keys.get', 'keys.page'],
  ...[
    'journal.get',
    'journal.ofMessage',
    'journal.since',
    'journal.open',
    'journal.countOpen',
    'contacts.find',
    'contacts.named',
  ],
  ...['sends.get', 'sends.open', 'sends.held', 'sends.past', 'traces.get', 'traces.conversation'],
  ...['history.message', 'history.messages', 'history.oldest', 'history.rooms', 'history.room'],
  'history.roomsByNumber',
  ...['history.pending', 'history.pendingTargets', 'history.statuses'],
  ...['files.get', 'files.ofMessage', 'files.open', 'files.list'],
  ...['expectedFiles.get', 'expectedFiles.list', 'pictures.get'],
  ...['failedDeliveries.list', 'failedDeliveries.get', 'failedDeliveries.counts'],
  'failedDeliveries.countsOf',
  ...['waitingDeliveries.list', 'waitingDeliveries.get'],
  ...['keptEvents.list', 'keptEvents.get', 'keptEvents.bytes'],
  ...['dataKeys.get', 'dataKeys.list', 'versions.get', 'restore.isUnfinished'],
];

/** Right on every node, see decision 15. */
export const FREE: readonly string[] = [
  // a session begins before it is claimed
  ...['sessions.create', 'dataKeys.putIfAbsent', 'dataKeys.replace'],
  // what people ask for on any node
  ...['history.updateRoom', 'history.checkRoom', 'files.remove', 'files.removeAll', 'files.check'],
  ...['expectedFiles.remove', 'failedDeliveries.remove', 'waitingDeliveries.remove'],
  'failedDeliveries.removeOf',
  // shared by all nodes
  'versions.put',
  // what is old
  ...['journal.prune', 'sends.prune', 'traces.prune', 'history.prune', 'history.prunePending'],
  ...['files.prune', 'idempotency.prune', 'failedDeliveries.prune', 'keptEvents.prune'],
  // into a store that no node uses
  ...['restore.begin', 'restore.insert', 'restore.insertFile', 'restore.end'],
  'close',
];

/** All methods of a store but those of its cluster, by their paths. */
export function methodsOf({ cluster: _, ...store }: Backend): string[] {
  return Object.entries(store).flatMap(([name, part]) => {
    if (typeof part === 'function') return [name];
    return typeof part === 'object' ? Object.keys(part).map((method) => `${name}.${method}`) : [];
  });
}
