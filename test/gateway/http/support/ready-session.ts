import { proto } from '@whiskeysockets/baileys';
import { STATUS_JID } from '../../../../src/domain/address.js';
import { writeAudience } from '../../../../src/domain/status-audience.js';
import { sent } from '../../../contracts/store/harness.js';
import { keep } from '../../../support/kept-store.js';
import { addFile } from './kept-files.js';
import { BOB_LID } from './played-network.js';
import { failedDelivery, fileOf, OWN_MESSAGE, OWN_STATUS } from './route-cases.js';
import type { TestServer } from './test-server.js';
import { WEB_URL } from './web.js';

/** Milliseconds for which a message can be edited. */
const EDITABLE_MS = 15 * 60_000;

/**
 * Makes a session anew, with everything that right requests name: a linked number, a webhook and another receiver, an own
 * message, a room with a message and its file, and a failed delivery.
 */
export async function makeReady(api: TestServer, clientId = 'acme'): Promise<void> {
  const { services, store, clock } = api;
  const { sessions } = services;
  if (sessions.has(clientId)) await sessions.disconnect(clientId);
  const webhook = { webhookUrl: `${WEB_URL}/hook`, extraEvents: ['presence' as const] };
  await sessions.start(clientId, webhook);
  await api.become(clientId, 'connected');
  await sessions.setOrgId(clientId, 'org1');
  await services.receivers.add(clientId, { url: `${WEB_URL}/audit` }, 'operator');
  const content = proto.Message.encode({ conversation: 'Hello' }).finish();
  const record = { to: BOB_LID, content, sentAt: clock.now(), acknowledged: true, closed: true };
  await store.sends.put(
    clientId,
    sent(OWN_MESSAGE, { ...record, counted: 'message', fileName: '', metaData: '' }),
  );
  const status = { to: STATUS_JID, audience: writeAudience({ setting: 'contacts', people: [BOB_LID] }) };
  await store.sends.put(clientId, sent(OWN_STATUS, { ...record, ...status, fileName: '', metaData: '' }));
  const { lid } = sessions.find(clientId).record;
  const row = { chatRoomId: `${clientId}-${lid}-90000000000002`, fromMe: true, content, sentAt: clock.now() };
  await keep(store, OWN_MESSAGE, row, clientId);
  const media = { mimeType: 'image/jpeg', mediaType: 'image', fileName: 'a.jpg', fileSize: clientId.length };
  const id = fileOf(clientId);
  await keep(store, '3EB0', { chatRoomId: `${clientId}-1-2`, fileId: id, media, content }, clientId);
  await addFile(api, clientId, Buffer.from(clientId), { id });
  await store.failedDeliveries.add({ ...failedDelivery(clientId), url: webhook.webhookUrl }, 100);
}

/** Whether it still is as `makeReady` left it, as far as later requests need it. */
export async function isReady({ services, store, clock }: TestServer, clientId = 'acme'): Promise<boolean> {
  const { sessions, receivers } = services;
  if (!sessions.has(clientId) || sessions.get(clientId).status !== 'connected') return false;
  const ids = (await receivers.list(clientId)).map(({ id }) => id);
  const failed = await store.failedDeliveries.get(failedDelivery(clientId).id);
  const message = await store.sends.get(clientId, OWN_MESSAGE);
  const isYoung = message !== undefined && message.sentAt > clock.now() - EDITABLE_MS / 2;
  return ids.includes('1') && ids.includes('2') && failed !== undefined && isYoung;
}
