import type { RequestRoute } from '@hapi/hapi';
import type { ObjectSchema } from 'joi';
import { CONTRACT } from '../../../../src/contract/index.js';
import type { Operation } from '../../../../src/contract/operation.js';
import { exampleOf } from '../../../../src/contract/print/openapi.js';
import { ERROR_STATUSES, type ErrorCode } from '../../../../src/domain/errors.js';
import type { PasskeyState } from '../../../../src/gateway/services/services.js';
import type { FailedDelivery } from '../../../../src/gateway/store/store.js';
import {
  ADDRESSED,
  CLIENT_ID,
  type Field,
  type Fields,
  MESSAGE_ID,
  META_DATA,
  SEND_REFUSALS,
} from '../../../support/send-refusals.js';
import { STARTED_AT } from './test-server.js';
import { WEB_URL } from './web.js';

export type { Field };

/** A route that takes a body. */
interface RouteCase {
  path: string;
  /** A body that is right, in place of the contract's example: with values at the bounds. */
  valid: Record<string, unknown>;
  fields: Record<string, Field>;
}

const RECEIVER_URL: Field = {
  wrong: [
    7,
    null,
    false,
    {},
    'example.com',
    '/hook',
    'ftp://example.com',
    'http:example.com',
    'https://',
    'http://a b',
  ],
  tooLong: `https://example.com/${'a'.repeat(2_048)}`,
};
const SECRET_TOKEN: Field = { wrong: [7, null, {}, 'tab\there', 'ümlaut', ' x'], tooLong: 'a'.repeat(1_025) };
const EXTRA_EVENTS: Field = {
  wrong: ['message_status', [7], ['no_such_event'], {}, ['message_status', 'message_status']],
};

const RECEIVER_ID: Field = {
  wrong: [2, null, {}, '', '0', 'two', '-2'],
  tooLong: '1'.repeat(9),
};
const RECEIVER_SETTINGS: Record<string, Field> = {
  name: { wrong: [7, null, {}], tooLong: 'a'.repeat(65) },
  token: SECRET_TOKEN,
  retry: { wrong: ['', 'always', 7, null] },
  filter: {
    wrong: [
      7,
      null,
      [],
      { types: [] },
      { types: ['no_such_type'] },
      { types: ['text', 'text'] },
      { direction: 'both' },
      { groups: 'only' },
      { rooms: 'room' },
      { senders: [7] },
      { senders: Array.from({ length: 101 }, (_, n) => String(n)) },
      { body: 'hello' },
    ],
  },
  headers: {
    wrong: [
      7,
      null,
      [],
      { 'x-key': 7 },
      { 'x-key': 'a\nb' },
      { 'x-key': ' a' },
      { 'x key': 'a' },
      { Authorization: 'Bearer a' },
      { 'X-SN-Delivery': 'a' },
      { 'Webhook-Id': 'a' },
      { 'Content-Type': 'text/plain' },
      { Host: 'example.com' },
      { 'Transfer-Encoding': 'chunked' },
      { 'x-key': 'a', 'X-Key': 'b' },
      { 'x-key': 'a'.repeat(1_025) },
      Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`x-${n}`, 'a'])),
      Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`x-${n}`, 'a'.repeat(1_000)])),
    ],
  },
  schedule: {
    wrong: [
      7,
      null,
      { attempts: 0 },
      { attempts: 7 },
      { attempts: '3' },
      { pauses: [] },
      { pauses: [0] },
      { pauses: [3_601] },
      { pauses: Array(21).fill(1) },
      { giveUpHours: 0 },
      { giveUpHours: 169 },
      { endless: true },
    ],
  },
};

const CHANNEL = '120363040000000001@newsletter';
const CHANNEL_JID: Field = {
  wrong: [7, null, {}, '', 'news', '120363040000000001@g.us', '@newsletter'],
  tooLong: `${'1'.repeat(130)}@newsletter`,
};

/** Id of an own message. */
export const OWN_MESSAGE = '3EB01';
/** The status that the document of the API names. */
export const OWN_STATUS = '3EB0C767D097B7C1A2B3C4';
/** The number of the session, with its device. */
const OWN_JID = '15550000001:1@s.whatsapp.net';
const ADDRESS = { clientId: 'acme', to: '+15550000002' };
const SECTIONS = [{ title: 'Warm', rows: [{ id: 'soup', title: 'Soup' }] }];

/** What the fields of a route that sends refuse. */
function refusedBy(path: string): Fields {
  const fields = SEND_REFUSALS[path];
  if (!fields) throw new Error(`no refusals of ${path}`);
  return fields;
}

/** The values that fields of routes refuse, where the contract does not tell them. */
const CASES: readonly RouteCase[] = [
  {
    path: '/start?clientId=acme',
    valid: {},
    fields: {
      webhookUrl: RECEIVER_URL,
      webhookToken: SECRET_TOKEN,
      pollLookupUrl: RECEIVER_URL,
      extraEvents: EXTRA_EVENTS,
    },
  },
  {
    path: '/pair-phone',
    valid: { clientId: 'acme', phone: '15550000001' },
    fields: {
      clientId: CLIENT_ID,
      phone: {
        wrong: [15550000001, '', 'abc', '0155', '+1 555', null],
        tooLong: '1'.repeat(16),
      },
    },
  },
  { path: '/reconnect', valid: { clientId: 'acme' }, fields: { clientId: CLIENT_ID } },
  { path: '/disconnect', valid: { clientId: 'acme' }, fields: { clientId: CLIENT_ID } },
  {
    path: '/set-webhook',
    valid: { clientId: 'acme', webhookUrl: 'https://example.com/hook' },
    fields: {
      clientId: CLIENT_ID,
      webhookUrl: { ...RECEIVER_URL },
      webhookToken: SECRET_TOKEN,
      pollLookupUrl: RECEIVER_URL,
      extraEvents: EXTRA_EVENTS,
    },
  },
  {
    path: '/set-org-id',
    valid: { clientId: 'acme', orgId: 'org1' },
    fields: {
      clientId: CLIENT_ID,
      orgId: { wrong: [7, null, {}], tooLong: 'o'.repeat(129) },
    },
  },
  {
    path: '/set-api-secret',
    valid: { clientId: 'acme', secret: 'sixteen-characters' },
    fields: {
      clientId: CLIENT_ID,
      secret: {
        wrong: [7, null, {}, 'fifteen-letters', 'ümlauts-are-no-header'],
        tooLong: 'a'.repeat(257),
      },
    },
  },
  {
    path: '/set-proxy',
    valid: { clientId: 'acme', proxy: 'socks5://user:password@127.0.0.1:1080' },
    fields: {
      clientId: CLIENT_ID,
      proxy: {
        wrong: [
          7,
          {},
          '',
          'proxy.example.com:1080',
          'ftp://h',
          'http://h/path',
          'socks5://h:0',
          'http://:p@h',
        ],
        tooLong: `http://${'a'.repeat(2_048)}`,
      },
    },
  },
  {
    path: '/set-enable-group-ai',
    valid: { clientId: 'acme', enabled: true },
    fields: { clientId: CLIENT_ID, enabled: { wrong: ['true', 1, null, {}] } },
  },
  {
    path: '/set-retention',
    valid: { clientId: 'acme', days: 90 },
    fields: {
      clientId: CLIENT_ID,
      days: { wrong: ['90', -1, 1.5, 36_501, {}] },
      keepEvents: { wrong: ['7', -1, 1.5, 31, null, {}] },
    },
  },
  {
    path: '/adopt',
    valid: {
      clientId: 'acme',
      begin: true,
      keys: [{ type: 'pre-key', id: '1', value: {} }],
      credentials: {},
    },
    fields: {
      clientId: CLIENT_ID,
      begin: { wrong: ['true', 1, null] },
      keys: { wrong: ['x', {}, null, [{}], [{ type: 'pre-key', id: 1, value: {} }]] },
      credentials: { wrong: ['x', 1, null, []] },
      received: { wrong: ['x', {}, null, [{}]] },
    },
  },
  {
    path: '/give-back',
    valid: { clientId: 'acme', jid: OWN_JID },
    fields: { clientId: CLIENT_ID, jid: { wrong: [1, null, {}] } },
  },
  {
    path: '/export',
    valid: { clientId: 'acme' },
    fields: { clientId: CLIENT_ID },
  },
  {
    path: '/export-keys',
    valid: { clientId: 'acme', after: { type: 'pre-key', id: '1' } },
    fields: { clientId: CLIENT_ID, after: { wrong: ['x', 1, null, [], {}, { type: 'pre-key' }] } },
  },
  {
    path: '/set-reject-calls',
    valid: { clientId: 'acme', enabled: true },
    fields: { clientId: CLIENT_ID, enabled: { wrong: ['true', 1, null, {}] } },
  },
  {
    path: '/pause-webhook',
    valid: { clientId: 'acme', paused: true },
    fields: { clientId: CLIENT_ID, paused: { wrong: ['true', 1, null, {}] } },
  },
  {
    path: '/listen-webhook',
    valid: {
      clientId: 'acme',
      webhookUrl: `${WEB_URL}/listener`,
      webhookToken: 'a-token-of-a-listener',
    },
    fields: {
      clientId: CLIENT_ID,
      webhookUrl: { ...RECEIVER_URL, wrong: [...RECEIVER_URL.wrong, ''] },
      webhookToken: { ...SECRET_TOKEN, wrong: [...SECRET_TOKEN.wrong, '', 'short'] },
      extraEvents: EXTRA_EVENTS,
      seconds: { wrong: ['ten', null, 4, 301, 7.5, {}] },
      takeOver: { wrong: ['yes', 1, null] },
    },
  },
  {
    path: '/unlisten-webhook',
    valid: { clientId: 'acme' },
    fields: { clientId: CLIENT_ID, webhookToken: { ...SECRET_TOKEN, wrong: [...SECRET_TOKEN.wrong, ''] } },
  },
  {
    path: '/receivers',
    valid: { clientId: 'acme', url: 'https://example.com/audit' },
    fields: {
      clientId: CLIENT_ID,
      url: { wrong: [...RECEIVER_URL.wrong, ''], tooLong: RECEIVER_URL.tooLong },
      ...RECEIVER_SETTINGS,
    },
  },
  {
    path: '/receivers/update',
    valid: { clientId: 'acme', id: '2' },
    fields: {
      clientId: CLIENT_ID,
      id: RECEIVER_ID,
      url: { wrong: [...RECEIVER_URL.wrong, ''], tooLong: RECEIVER_URL.tooLong },
      ...RECEIVER_SETTINGS,
      previousTokenFor: { wrong: ['3600', -1, 1.5, null, 604_801] },
      paused: { wrong: [7, 'yes', null] },
    },
  },
  {
    path: '/receivers/remove',
    valid: { clientId: 'acme', id: '2' },
    fields: { clientId: CLIENT_ID, id: RECEIVER_ID },
  },
  {
    path: '/replay',
    valid: { clientId: 'acme', from: '2026-11-22T10:00:00.000Z' },
    fields: {
      clientId: CLIENT_ID,
      receiver: RECEIVER_ID,
      from: { wrong: [{}, 'yesterday', null, true] },
      to: { wrong: [{}, 'yesterday', null, true] },
      ids: { wrong: [[], 'id', [7], ['short'], ['../'.repeat(9).slice(1)], null] },
      types: { wrong: [[], 'text', ['no_such_type'], ['text', 'text'], null] },
      ignoreFilter: { wrong: [7, 'yes', null] },
      limit: { wrong: [0, -1, 1.5, 1_001, null] },
      after: { wrong: ['1', '1-', 'x-01K0000000000000000000000A', 7, null] },
    },
  },
  {
    path: '/send-test-event',
    valid: { clientId: 'acme', type: 'text' },
    fields: {
      receiver: RECEIVER_ID,
      clientId: CLIENT_ID,
      type: { wrong: [7, null, '', 'no_such_type'] },
      fields: { wrong: ['text', [], { body: '' }, { body: 7 }, { event: 'message.sent' }, { fromMe: true }] },
    },
  },
  {
    path: '/send-message',
    valid: { ...ADDRESS, body: 'Hello' },
    fields: refusedBy('/send-message'),
  },
  {
    path: '/send-poll-message',
    valid: { ...ADDRESS, pollName: 'Lunch?', pollOptions: ['Pizza', 'Soup', 'Salad'] },
    fields: refusedBy('/send-poll-message'),
  },
  {
    path: '/send-interactive-message',
    valid: {
      ...ADDRESS,
      bodyText: 'Coming?',
      buttons: [
        { type: 'quick_reply', displayText: 'Yes', id: 'yes' },
        { type: 'cta_url', displayText: 'Menu', url: 'https://example.com' },
        { type: 'cta_call', displayText: 'Call', phoneNumber: '+15550000001' },
        { type: 'cta_copy', displayText: 'Copy', id: 'code', copyCode: 'LUNCH' },
      ],
    },
    fields: refusedBy('/send-interactive-message'),
  },
  {
    path: '/send-reaction',
    valid: { ...ADDRESS, messageId: OWN_MESSAGE, emoji: '👍' },
    fields: refusedBy('/send-reaction'),
  },
  {
    path: '/send-list-message',
    valid: { ...ADDRESS, bodyText: 'Lunch?', buttonText: 'Menu', sections: SECTIONS },
    fields: refusedBy('/send-list-message'),
  },
  {
    path: '/pin-message',
    valid: { ...ADDRESS, messageId: OWN_MESSAGE },
    fields: refusedBy('/pin-message'),
  },
  {
    path: '/star-message',
    valid: { ...ADDRESS, messageId: OWN_MESSAGE },
    fields: { ...ADDRESSED, messageId: MESSAGE_ID, starred: { wrong: ['true', 1, null] } },
  },
  {
    path: '/forward-message',
    valid: { ...ADDRESS, from: ADDRESS.to, messageId: OWN_MESSAGE },
    fields: {
      ...ADDRESSED,
      from: { wrong: [15550000002, null, {}, ''], tooLong: '1'.repeat(129) },
      messageId: MESSAGE_ID,
      metaData: META_DATA,
    },
  },
  {
    path: '/edit-message',
    valid: { ...ADDRESS, messageId: OWN_MESSAGE, body: 'Hello!' },
    fields: refusedBy('/edit-message'),
  },
  {
    path: '/send-location',
    valid: { ...ADDRESS, latitude: -90, longitude: 180 },
    fields: refusedBy('/send-location'),
  },
  {
    path: '/send-contact',
    valid: { ...ADDRESS, displayName: 'Ada', phone: '15550000003' },
    fields: refusedBy('/send-contact'),
  },
  {
    path: '/send-typing',
    valid: { ...ADDRESS, composing: false },
    fields: { ...ADDRESSED, composing: { wrong: ['true', 1, null] } },
  },
  {
    path: '/subscribe-presence',
    valid: { ...ADDRESS, seconds: 60 },
    fields: { ...ADDRESSED, seconds: { wrong: ['60', 0, 1.5, 3_601, null] } },
  },
  {
    path: '/delete-message',
    valid: { ...ADDRESS, messageId: OWN_MESSAGE, fromMe: true, mode: 'everyone', chatRoomId: 'acme-1-2' },
    fields: {
      ...ADDRESSED,
      messageId: MESSAGE_ID,
      fromMe: { wrong: ['true', 1, null] },
      mode: { wrong: ['all', 'Everyone', '', 7, null] },
      chatRoomId: { wrong: [7, null, {}, ''], tooLong: 'a'.repeat(257) },
    },
  },
  {
    path: '/mark-read',
    valid: { ...ADDRESS, messageIds: ['3EB01', '3EB02'] },
    fields: {
      ...ADDRESSED,
      messageIds: {
        wrong: ['3EB01', [], [''], [7], null, {}],
        tooLong: Array.from({ length: 1_001 }, (_, index) => `3EB0${index}`),
      },
    },
  },
  { path: '/mark-unread', valid: ADDRESS, fields: ADDRESSED },
  {
    path: '/request-history',
    valid: { clientId: 'acme', chatRoomId: unknownRoom('acme'), count: 50 },
    fields: {
      clientId: CLIENT_ID,
      chatRoomId: { wrong: [7, null, {}, ''], tooLong: 'a'.repeat(257) },
      count: { wrong: ['many', 0, 51, 1.5, null, {}] },
    },
  },
  {
    path: '/outbox/cancel',
    valid: { clientId: 'acme', messageId: OWN_MESSAGE },
    fields: { clientId: CLIENT_ID, messageId: MESSAGE_ID },
  },
  {
    path: '/archive-chat',
    valid: { ...ADDRESS, archived: false },
    fields: { ...ADDRESSED, archived: { wrong: ['true', 1, null] } },
  },
  {
    path: '/mute-chat',
    valid: { ...ADDRESS, until: '2126-01-01T00:00:00Z' },
    fields: {
      ...ADDRESSED,
      muted: { wrong: ['true', 1, null] },
      until: { wrong: [7, null, '', 'tomorrow', '2020-01-01T00:00:00Z'] },
    },
  },
  {
    path: '/pin-chat',
    valid: { ...ADDRESS, pinned: false },
    fields: { ...ADDRESSED, pinned: { wrong: ['true', 1, null] } },
  },
  {
    path: '/disappearing-messages',
    valid: { ...ADDRESS, seconds: 86_400 },
    fields: { ...ADDRESSED, seconds: { wrong: ['86400', 1, -1, 86_400.5, null] } },
  },
  {
    path: '/set-profile',
    valid: { clientId: 'acme', name: 'Ada', about: '', disappearingSeconds: 0 },
    fields: {
      clientId: CLIENT_ID,
      name: { wrong: [7, null, '', '  '], tooLong: 'a'.repeat(26) },
      about: { wrong: [7, null], tooLong: 'a'.repeat(140) },
      disappearingSeconds: { wrong: ['0', 60, null] },
    },
  },
  {
    path: '/post-status',
    valid: {
      clientId: 'acme',
      body: 'Closed',
      backgroundColor: '#1E6E4F',
      font: 0,
      audience: ['+15550000002'],
    },
    fields: {
      clientId: CLIENT_ID,
      body: { wrong: [7, null, '', ' '], tooLong: 'a'.repeat(65_537) },
      backgroundColor: { wrong: [7, null, '', 'red', '#12345'] },
      font: { wrong: ['1', null, -1, 11, 0.5] },
      caption: { wrong: [7, null], tooLong: 'a'.repeat(65_537) },
      audience: { wrong: [7, null, [], '+15550000002', [7]] },
      downloadUrl: { wrong: [7, null, '', 'ftp://example.com/a.jpg'] },
      metaData: META_DATA,
    },
  },
  {
    path: '/delete-status',
    valid: { clientId: 'acme', messageId: OWN_STATUS },
    fields: { clientId: CLIENT_ID, messageId: MESSAGE_ID },
  },
  {
    path: '/set-status-privacy',
    valid: { clientId: 'acme', mode: 'except', people: ['+15550000002'] },
    fields: {
      clientId: CLIENT_ID,
      mode: { wrong: [7, null, '', 'all'] },
      people: { wrong: [7, null, '+15550000002', [7]] },
    },
  },
  {
    path: '/update-group',
    valid: { clientId: 'acme', groupJid: '120363040000000001@g.us', subject: 'Team', announce: true },
    fields: {
      clientId: CLIENT_ID,
      groupJid: { wrong: [7, null, '', '15550000002@s.whatsapp.net'] },
      subject: { wrong: [7, null, '', ' '], tooLong: 'a'.repeat(26) },
      description: { wrong: [7, null], tooLong: 'a'.repeat(2_049) },
      announce: { wrong: ['true', 1, null] },
      locked: { wrong: ['true', 1, null] },
      membersAdd: { wrong: ['true', 1, null] },
      joinApproval: { wrong: ['true', 1, null] },
      disappearingSeconds: { wrong: ['0', 60, null] },
    },
  },
  {
    path: '/join-group',
    valid: { clientId: 'acme', invite: 'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv' },
    fields: {
      clientId: CLIENT_ID,
      invite: { wrong: [7, null, ''], tooLong: 'a'.repeat(257) },
    },
  },
  {
    path: '/nodes/drain',
    valid: { node: 'node-1' },
    fields: {
      node: { wrong: [7, null, {}, ''], tooLong: 'n'.repeat(257) },
      draining: { wrong: ['true', 1, null] },
    },
  },
  {
    path: '/follow-channel',
    valid: { clientId: 'acme', channelJid: CHANNEL },
    fields: { clientId: CLIENT_ID, channelJid: CHANNEL_JID },
  },
  {
    path: '/unfollow-channel',
    valid: { clientId: 'acme', channelJid: CHANNEL },
    fields: { clientId: CLIENT_ID, channelJid: CHANNEL_JID },
  },
  {
    path: '/post-channel',
    valid: { clientId: 'acme', channelJid: CHANNEL, body: 'News' },
    fields: {
      clientId: CLIENT_ID,
      channelJid: CHANNEL_JID,
      body: { wrong: [7, null, {}], tooLong: 'a'.repeat(65_537) },
      downloadUrl: { wrong: [7, null, {}, 'example.com', 'ftp://example.com'] },
    },
  },
  {
    path: '/delete-channel-post',
    valid: { clientId: 'acme', channelJid: CHANNEL, messageId: OWN_MESSAGE },
    fields: { clientId: CLIENT_ID, channelJid: CHANNEL_JID, messageId: MESSAGE_ID },
  },
];

export const FILE_ID = '7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51';
/** An assertion of the right form. */
export const ASSERTION = {
  id: 'Y3JlZGVudGlhbA',
  rawId: 'Y3JlZGVudGlhbA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'c2lnbmF0dXJl', userHandle: null },
};
/** A step of the ceremony at which an assertion is wanted. */
export const ASSERTION_NEEDED: PasskeyState = {
  step: 'assertion_needed',
  options: { challenge: 'Y2hhbGxlbmdl', rpId: 'whatsapp.com', userVerification: 'required' },
  expiresAt: STARTED_AT + 300_000,
};
const OPERATIONS: readonly Operation[] = CONTRACT.flatMap(({ operations }) => Object.values(operations));

/** What the contract says of a route. */
export function operationAt(method: string, path: string): Operation {
  const found = OPERATIONS.find((one) => one.path === path && one.method.toLowerCase() === method);
  if (!found) throw new Error(`the contract has no ${method} ${path}`);
  return found;
}

/** Values of the contract's examples that the services of a test do not know. */
const KNOWN_HERE: Record<string, unknown> = {
  ...{ id: '2', assertion: ASSERTION, messageId: OWN_MESSAGE, to: ADDRESS.to, from: ADDRESS.to },
  ...{ url: `${WEB_URL}/other`, webhookUrl: `${WEB_URL}/hook`, downloadUrl: `${WEB_URL}/picture.png` },
};

/** Right requests that a linked session on a node without others refuses, and with which code. */
const REFUSED: Record<string, ErrorCode> = {
  '/pair-phone': 'session_already_paired',
  '/pair-link': 'session_already_paired',
  '/passkey': 'passkey_not_asked',
  '/passkey/confirm': 'passkey_not_asked',
  '/adopt': 'session_already_paired',
  '/export-keys': 'session_already_paired',
  '/outbox/cancel': 'held_send_unknown',
  '/request-history': 'room_unknown',
  '/nodes/drain': 'nodes_unsupported',
};

/** The status, and the code of an error, that a right request is answered with: only the routes above are refused. */
export function rightAnswer({
  method,
  path,
}: Pick<RequestRoute, 'method' | 'path'>): [number, ErrorCode | undefined] {
  const code = method.toUpperCase() === 'POST' ? REFUSED[path] : undefined;
  return [code ? ERROR_STATUSES[code] : 200, code];
}

/** The example of the contract, for a session. */
function exampleFor({ path, body }: Operation, clientId: string): Record<string, unknown> {
  const { proxy, ...rest } = (body && exampleOf(body)) ?? {};
  // only the master token may start a session with a proxy
  const example = proxy === undefined || path === '/start' ? rest : { ...rest, proxy };
  if (path === '/give-back') return { ...example, clientId, jid: OWN_JID };
  if (path === '/request-history') return { ...example, clientId, chatRoomId: unknownRoom(clientId) };
  // no message of a chat
  if (path === '/delete-status') return { ...example, clientId };
  // times, where others have addresses
  const times = path === '/replay' ? ['from', 'to'] : [];
  const known = Object.entries({ ...KNOWN_HERE, clientId });
  const named = known.filter(([name]) => name in example && !times.includes(name));
  return { ...example, ...Object.fromEntries(named) };
}

/** A request that a route takes, as the contract shows it; it names the session wherever that can be named. */
export function rightRequest(
  { method, path }: Pick<RequestRoute, 'method' | 'path'>,
  clientId: string,
): { url: string; payload?: string } {
  const operation = operationAt(method, path);
  const query = new URLSearchParams({ clientId, ...requiredOf(operation.query) });
  const url = `${pathFor(path, clientId)}?${query}`;
  if (method !== 'post') return { url };
  return { url, payload: JSON.stringify(exampleFor(operation, clientId)) };
}

/** The names of the required fields, with their examples. */
function requiredIn(schema: ObjectSchema | undefined): [name: string, example: unknown][] {
  const keys: Record<string, { flags?: { presence?: string }; examples?: unknown[] }> =
    schema?.describe().keys ?? {};
  return Object.entries(keys).flatMap(([name, { flags, examples = [] }]) =>
    flags?.presence === 'required' ? [[name, examples[0]]] : [],
  );
}

/** The examples of the required fields of a query, but the session. */
function requiredOf(query: ObjectSchema | undefined): Record<string, string> {
  const others = requiredIn(query).filter(([name]) => name !== 'clientId');
  return Object.fromEntries(
    others.map(([name, example]) => [name, name === 'messageId' ? OWN_MESSAGE : String(example)]),
  );
}

/** A route that takes a body, with where it is asked and the names of the fields that it requires. */
interface BodyRoute extends RouteCase {
  url: string;
  required: readonly string[];
}

/** Routes whose bodies have tests of their own: one answers 200 to everything, the others need a one-time address. */
const isApart = ({ path, pathIsSecret = false }: Operation) => path === '/check-state' || pathIsSecret;

/** Every other route that takes a body. */
export const ROUTES: readonly BodyRoute[] = OPERATIONS.flatMap((operation) => {
  const { method, path, body } = operation;
  if (method !== 'POST' || !body || isApart(operation)) return [];
  const required = requiredIn(body).map(([name]) => name);
  const valid = exampleFor(operation, 'acme');
  const url = `${pathFor(path, 'acme')}${'clientId' in valid ? '' : '?clientId=acme'}`;
  const known = CASES.find((one) => one.path === path);
  return [{ path, valid, fields: {}, ...known, url, required }];
});

/** A right value for every parameter of a path. */
function pathFor(path: string, clientId: string): string {
  return path
    .replace('{id}', `delivery-of-${clientId}`)
    .replace('{chatRoomId}', `${clientId}-1-2`)
    .replace('{file}', 'start.js')
    .replace('/media-files/{messageId}', `/media-files/${fileOf(clientId)}`)
    .replace('{messageId}', '3EB0');
}

/** Id of a room that a session does not have. */
function unknownRoom(clientId: string): string {
  return `${clientId}-1-9`;
}

/** Id of a session's file. */
export function fileOf(clientId: string): string {
  return clientId === 'acme' ? FILE_ID : FILE_ID.replace('7', '9');
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
