import { Readable } from 'node:stream';
import type { Store } from '../../../../src/gateway/store/store.js';
import { picture } from '../../../contracts/store/contacts.js';
import {
  bytes,
  contact,
  entry,
  failed,
  idempotent,
  keptEvent,
  message,
  newFile,
  pendingChange,
  roomUpdate,
  sent,
  session,
  trace,
  waiting,
} from '../../../contracts/store/harness.js';
import { FROM, MOVE } from '../../../contracts/store/rekey.js';

/** Secrets that no database may contain in any common encoding. */
export const SECRETS = {
  credentials: 'SECRET-credentials',
  key: 'SECRET-signal-key',
  plain: 'SECRET-plaintext',
  stanza: 'SECRET-stanza',
  webhookToken: 'SECRET-webhook-token',
  webhookUrl: 'https://hook.example/SECRET-in-url',
  pollLookupUrl: 'https://poll.example/SECRET-in-url',
  proxy: 'socks5://alice:SECRET-proxy@proxy.example.com:1080',
  changedToken: 'SECRET-changed-token',
  previousToken: 'SECRET-previous-token',
  receivers: '{"token":"SECRET-receiver-token"}',
  content: 'SECRET-sent-content',
  metaData: 'SECRET-meta-data',
  sentFileName: 'SECRET-sent-file-name',
  heldRequest: 'SECRET-held-request',
  answer: 'SECRET-answer',
  failedBody: 'SECRET-failed-body',
  waitingBody: 'SECRET-waiting-body',
  keptBody: 'SECRET-kept-body',
  failedUrl: 'https://hook.example/SECRET-failed',
  traceSecret: 'SECRET-of-a-message',
  roomName: 'SECRET-room-name',
  changedRoomName: 'SECRET-changed-room-name',
  lastMessage: 'SECRET-last-message',
  body: 'SECRET-message-body',
  editedBody: 'SECRET-edited-body',
  pushname: 'SECRET-pushname',
  fileName: 'SECRET-file-name',
  extras: 'SECRET-extras',
  messageContent: 'SECRET-message-content',
  storedFileName: 'SECRET-stored-file-name',
  caption: 'SECRET-caption',
  pendingChange: 'SECRET-pending-change',
  movedBody: 'SECRET-moved-body',
  pictureUrl: 'https://pps.example/SECRET-picture',
  encryptionKey: 'encryption-key-of-32-characters!',
};

/** Puts every secret where it belongs, in the session `acme`. */
export async function fillWithSecrets(store: Store): Promise<void> {
  const { webhookToken, previousToken, webhookUrl, pollLookupUrl, proxy, receivers } = SECRETS;
  const texts = { webhookToken, previousToken, webhookUrl, pollLookupUrl, proxy, receivers };
  await store.sessions.create(session('acme', texts));
  await store.sessions.update('acme', { webhookToken: SECRETS.changedToken });
  await store.keys.commit('acme', {
    credentials: bytes(SECRETS.credentials),
    keys: [{ type: 'session', id: 'a', value: bytes(SECRETS.key) }],
    journal: [
      entry('h1', {
        messageId: 'MESSAGE-acme',
        plain: bytes(SECRETS.plain),
        stanza: bytes(SECRETS.stanza),
      }),
    ],
  });
  await store.contacts.learn('acme', contact({ lid: 'LID-acme' }));
  const { metaData, sentFileName, heldRequest: held } = SECRETS;
  await store.sends.put(
    'acme',
    sent('M1', { content: bytes(SECRETS.content), metaData, fileName: sentFileName, held }),
  );
  await store.idempotency.claim('acme', idempotent('k1'));
  await store.idempotency.answer('acme', 'k1', SECRETS.answer);
  await store.traces.add('acme', trace('M1', { secret: bytes(SECRETS.traceSecret) }));
  await fillHistory(store);
  const { storedFileName: fileName, caption } = SECRETS;
  await store.files.write(newFile({ fileName, caption }), Readable.from([bytes('FILE-acme')]));
  await store.pictures.put('acme', picture({ url: SECRETS.pictureUrl }));
  await store.failedDeliveries.add(failed('01A', { body: SECRETS.failedBody, url: SECRETS.failedUrl }), 10);
  await store.waitingDeliveries.add(waiting('01A', { body: SECRETS.waitingBody }));
  await store.keptEvents.add(keptEvent('01A', { body: SECRETS.keptBody }));
}

async function fillHistory({ history }: Store): Promise<void> {
  const { roomName, lastMessage, body, editedBody, pushname, fileName, extras, messageContent } = SECRETS;
  const kept = message('M1', {
    body,
    pushname,
    media: { mimeType: 'image/jpeg', mediaType: 'image', fileName, fileSize: 7 },
    extras: { note: extras },
    content: bytes(messageContent),
  });
  await history.record('acme', roomUpdate({ name: roomName, lastMessage }), kept);
  await history.update('acme', { ...kept, body: editedBody });
  await history.updateRoom('acme', 'acme-1-2', { name: SECRETS.changedRoomName });
  await history.addPending('acme', pendingChange('C1', { change: { body: SECRETS.pendingChange } }));
  const moved = message('M1', { chatRoomId: FROM, body: SECRETS.movedBody });
  await history.record('acme', roomUpdate({ chatRoomId: FROM, name: roomName, lastMessage }), moved);
  await history.rekey('acme', {
    ...MOVE,
    to: 'acme-1-3',
    room: (room) => ({ ...room, chatRoomId: 'acme-1-3' }),
    message: (found) => ({ ...found, chatRoomId: 'acme-1-3' }),
  });
}

/** The texts that the bytes contain. */
export function found(raw: Buffer, texts: readonly string[]): string[] {
  return texts.filter((secret) => writings(secret).some((writing) => raw.includes(writing)));
}

function writings(secret: string): string[] {
  const plain = Buffer.from(secret);
  return [secret, plain.toString('hex'), plain.toString('base64').replace(/.?=*$/, '')];
}
