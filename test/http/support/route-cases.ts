import { LIMITS } from '../../../src/domain/limits.js';

/** What a field must not be. */
export interface Field {
  /** Values of a wrong type or form. */
  wrong: unknown[];
  tooLong?: unknown;
  required?: boolean;
}

/** A route that takes a body. */
export interface RouteCase {
  path: string;
  /** A body that is right. */
  valid: Record<string, unknown>;
  fields: Record<string, Field>;
}

const CLIENT_ID: Field = {
  wrong: [7, null, true, ['acme'], {}, '', 'ac-me', 'acme!', 'ac me', 'äcme'],
  tooLong: 'a'.repeat(65),
  required: true,
};
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

const ADDRESS = { clientId: 'acme', to: '+15550000002' };
const ADDRESSED: Record<string, Field> = {
  clientId: CLIENT_ID,
  to: { wrong: [15550000002, null, {}, ''], tooLong: '1'.repeat(129), required: true },
};
const ENVELOPE: Record<string, Field> = {
  ...ADDRESSED,
  quotedMessageId: { wrong: [7, null, {}], tooLong: 'a'.repeat(129) },
  mentions: {
    wrong: ['90000000000002', '["90000000000002"]', [7], ['abc'], {}],
    tooLong: Array(1_025).fill('90000000000002'),
  },
  metaData: { wrong: ['text', '{"a":1}', 7, null, ['a']] },
};
const MESSAGE_ID: Field = { wrong: [7, null, {}, ''], tooLong: 'a'.repeat(129), required: true };

/** Every route that takes a body of one object. */
export const ROUTES: readonly RouteCase[] = [
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
        required: true,
      },
    },
  },
  { path: '/check-state', valid: { clientId: 'acme' }, fields: { clientId: CLIENT_ID } },
  { path: '/reconnect', valid: { clientId: 'acme' }, fields: { clientId: CLIENT_ID } },
  { path: '/disconnect', valid: { clientId: 'acme' }, fields: { clientId: CLIENT_ID } },
  {
    path: '/set-webhook',
    valid: { clientId: 'acme', webhookUrl: 'https://example.com/hook' },
    fields: {
      clientId: CLIENT_ID,
      webhookUrl: { ...RECEIVER_URL, required: true },
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
      orgId: { wrong: [7, null, {}], tooLong: 'o'.repeat(129), required: true },
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
        required: true,
      },
    },
  },
  {
    path: '/set-enable-group-ai',
    valid: { clientId: 'acme', enabled: true },
    fields: { clientId: CLIENT_ID, enabled: { wrong: ['true', 1, null, {}], required: true } },
  },
  {
    path: '/listen-webhook',
    valid: {
      clientId: 'acme',
      webhookUrl: 'http://127.0.0.1:4000/webhook',
      webhookToken: 'a-token-of-a-listener',
    },
    fields: {
      clientId: CLIENT_ID,
      webhookUrl: { ...RECEIVER_URL, wrong: [...RECEIVER_URL.wrong, ''], required: true },
      webhookToken: { ...SECRET_TOKEN, wrong: [...SECRET_TOKEN.wrong, '', 'short'], required: true },
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
    path: '/send-test-event',
    valid: { clientId: 'acme', type: 'text' },
    fields: {
      clientId: CLIENT_ID,
      type: { wrong: [7, null, '', 'no_such_type'], required: true },
      fields: { wrong: ['text', [], { body: '' }, { body: 7 }, { event: 'message.sent' }, { fromMe: true }] },
    },
  },
  {
    path: '/send-message',
    valid: { ...ADDRESS, body: 'Hello' },
    fields: {
      ...ENVELOPE,
      body: {
        wrong: [7, null, {}, '', ' \n'],
        tooLong: 'a'.repeat(LIMITS.textLength + 1),
        required: true,
      },
    },
  },
  {
    path: '/send-poll-message',
    valid: { ...ADDRESS, pollName: 'Lunch?', pollOptions: ['Pizza', 'Soup'] },
    fields: {
      ...ENVELOPE,
      pollName: { wrong: [7, null, {}, '', ' '], tooLong: 'a'.repeat(256), required: true },
      pollOptions: {
        wrong: ['Pizza', null, ['Pizza'], ['Pizza', 'Pizza'], ['Pizza', ''], ['Pizza', 7]],
        tooLong: Array.from({ length: 13 }, (_, index) => `option ${index}`),
        required: true,
      },
      selectableCount: { wrong: ['1', 0, 3, 1.5, -1, null] },
    },
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
    fields: {
      ...ENVELOPE,
      bodyText: { wrong: [7, null, {}, ''], tooLong: 'a'.repeat(LIMITS.textLength + 1), required: true },
      footerText: { wrong: [7, null, {}], tooLong: 'a'.repeat(1_001) },
      buttons: {
        wrong: [
          'yes',
          null,
          [],
          ['yes'],
          [{}],
          [{ type: 'no_such_type', displayText: 'x' }],
          [{ type: 'quick_reply', displayText: 'no id' }],
          [{ type: 'quick_reply', id: 'no text' }],
          [{ type: 'cta_url', displayText: 'x', url: 'example.com' }],
          [{ type: 'cta_call', displayText: 'x', phoneNumber: 'call me' }],
          [{ type: 'cta_copy', displayText: 'x', id: 'x' }],
          [{ type: 'quick_reply', displayText: 'x', id: 'x', suprise: 1 }],
        ],
        tooLong: Array.from({ length: 11 }, (_, index) => ({
          type: 'quick_reply',
          displayText: `${index}`,
          id: `${index}`,
        })),
        required: true,
      },
    },
  },
  {
    path: '/send-reaction',
    valid: { ...ADDRESS, messageId: '3EB01', emoji: '👍' },
    fields: {
      ...ADDRESSED,
      messageId: MESSAGE_ID,
      emoji: { wrong: [7, null, {}, 'ok', '👍👍'], tooLong: '👍'.repeat(33), required: true },
      targetFromMe: { wrong: ['true', 1, null] },
    },
  },
  {
    path: '/edit-message',
    valid: { ...ADDRESS, messageId: '3EB01', body: 'Hello!' },
    fields: {
      ...ADDRESSED,
      messageId: MESSAGE_ID,
      body: { wrong: [7, null, {}, ''], tooLong: 'a'.repeat(LIMITS.textLength + 1), required: true },
    },
  },
  {
    path: '/send-location',
    valid: { ...ADDRESS, latitude: -90, longitude: 180 },
    fields: {
      ...ENVELOPE,
      latitude: { wrong: ['52', null, 90.01, -90.01], required: true },
      longitude: { wrong: ['13', null, 180.01, -180.01], required: true },
      name: { wrong: [7, null, {}], tooLong: 'a'.repeat(1_001) },
      address: { wrong: [7, null, {}], tooLong: 'a'.repeat(1_001) },
    },
  },
  {
    path: '/send-contact',
    valid: { ...ADDRESS, displayName: 'Ada', phone: '15550000003' },
    fields: {
      ...ENVELOPE,
      displayName: { wrong: [7, null, {}, ''], tooLong: 'a'.repeat(257), required: true },
      phone: { wrong: [15550000003, null, '', 'call me', '0155'], tooLong: '1'.repeat(17) },
      vcard: {
        wrong: [7, null, '', 'Ada', 'BEGIN:VCARD'],
        tooLong: `BEGIN:VCARD\n${'a'.repeat(65_536)}\nEND:VCARD`,
      },
    },
  },
  {
    path: '/send-typing',
    valid: { ...ADDRESS, composing: false },
    fields: { ...ADDRESSED, composing: { wrong: ['true', 1, null] } },
  },
  {
    path: '/delete-message',
    valid: { ...ADDRESS, messageId: '3EB01', fromMe: true, mode: 'everyone', chatRoomId: 'acme-1-2' },
    fields: {
      ...ADDRESSED,
      messageId: MESSAGE_ID,
      fromMe: { wrong: ['true', 1, null], required: true },
      mode: { wrong: ['all', 'Everyone', '', 7, null], required: true },
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
        required: true,
      },
    },
  },
  { path: '/mark-unread', valid: ADDRESS, fields: ADDRESSED },
  {
    path: '/nodes/drain',
    valid: { node: 'node-1' },
    fields: {
      node: { wrong: [7, null, {}, ''], tooLong: 'n'.repeat(257), required: true },
      draining: { wrong: ['true', 1, null] },
    },
  },
];
