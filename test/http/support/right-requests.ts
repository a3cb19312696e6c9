import type { RequestRoute } from '@hapi/hapi';
import type { FailedDelivery } from '../../../src/store/store.js';

export const FILE_ID = '7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51';
const BOB = '+15550000002';
const GROUP = '120363040000000001@g.us';
/** A body that names the session where a route takes one in the body. */
const BODIES: Record<string, object> = {
  '/pair-phone': { phone: '15550000001' },
  '/set-webhook': { webhookUrl: '' },
  '/set-org-id': { orgId: 'org1' },
  '/set-api-secret': { secret: 'secret-of-acme-0123456789' },
  '/set-enable-group-ai': { enabled: true },
  '/send-message': { to: BOB, body: 'Hello' },
  '/send-media-message': { to: BOB, downloadUrl: 'https://example.com/a.pdf' },
  '/send-poll-message': { to: BOB, pollName: 'Lunch?', pollOptions: ['Pizza', 'Soup'] },
  '/send-interactive-message': {
    to: BOB,
    bodyText: 'Ok?',
    buttons: [{ type: 'quick_reply', displayText: 'Yes', id: 'yes' }],
  },
  '/send-reaction': { to: BOB, messageId: '3A01', emoji: '👍' },
  '/edit-message': { to: BOB, messageId: '3EB0', body: 'Hello!' },
  '/send-location': { to: BOB, latitude: 52.52, longitude: 13.405 },
  '/send-contact': { to: BOB, displayName: 'Carol', phone: '15550000003' },
  '/send-typing': { to: BOB },
  '/delete-message': { to: BOB, messageId: '3EB0', fromMe: true, mode: 'everyone' },
  '/mark-read': { to: BOB, messageIds: ['3A01'] },
  '/mark-unread': { to: BOB },
  '/user-info': { jid: BOB },
  '/create-group': { subject: 'Team', participants: [BOB] },
  '/get-group-participants': { groupJid: GROUP },
  '/update-group-members': { groupJid: GROUP, action: 'add', participants: [BOB] },
  '/group-invite-link': { groupJid: GROUP },
  '/leave-group': { groupJid: GROUP },
  '/send-test-event': { type: 'text' },
  '/listen-webhook': { webhookUrl: 'https://example.com', webhookToken: 'a-token-of-a-listener' },
  '/nodes/drain': { node: 'node-1' },
};
/** What a route needs in its query beside the session. */
const QUERIES: Record<string, string> = {
  '/media-files': '&orgId=org1',
  '/profile-picture': '&jid=90000000000002',
};
const NO_CLIENT_IN_BODY = [
  '/start',
  '/failed-deliveries/{id}/resend',
  '/chatrooms/{chatRoomId}/read',
  '/nodes/drain',
];

/** A request that a route takes; it names the session wherever that can be named. */
export function rightRequest(
  { method, path }: Pick<RequestRoute, 'method' | 'path'>,
  clientId: string,
): { url: string; payload?: string } {
  const url = `${pathFor(path, clientId)}?clientId=${clientId}${QUERIES[path] ?? ''}`;
  if (method !== 'post') return { url };
  const inBody = NO_CLIENT_IN_BODY.includes(path) ? {} : { clientId };
  return { url, payload: JSON.stringify({ ...inBody, ...BODIES[path] }) };
}

/** A right value for every parameter of a path. */
function pathFor(path: string, clientId: string): string {
  return path
    .replace('{id}', `delivery-of-${clientId}`)
    .replace('{chatRoomId}', `${clientId}-1-2`)
    .replace('{file}', 'start.js')
    .replace('/media-files/{messageId}', `/media-files/${fileOf(clientId)}`)
    .replace('{messageId}', '3EB0');
}

/** Id of a session's file. */
export function fileOf(clientId: string): string {
  return clientId === 'acme' ? FILE_ID : `file-of-${clientId}`;
}

/** The delivery that a right request names. */
export function failedDelivery(clientId: string): FailedDelivery {
  return {
    id: `delivery-of-${clientId}`,
    clientId,
    url: 'https://example.com',
    type: 'text',
    messageId: '3EB0',
    body: '{"type":"text"}',
    reason: 'HTTP 500',
    attempts: 4,
    failedAt: 0,
  };
}
