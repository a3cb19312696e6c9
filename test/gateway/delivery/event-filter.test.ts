import { expect } from 'chai';
import type { GatewayEvent } from '../../../src/contract/events/catalogue.js';
import { type EventFilter, passes } from '../../../src/gateway/delivery/event-filter.js';
import { textEvent } from '../../support/rig/deliveries.js';

const BOB = '90000000000002';
const GROUP = '120363040000000001';
const CHANNEL = `${GROUP}@newsletter`;
const conversation = {
  ...{ clientId: 'acme', orgId: '', timestamp: '2026-01-02T03:04:05.000Z', myLid: '90000000000001' },
  ...{ chatRoomId: `acme-90000000000001-${BOB}`, clientLid: BOB, remoteJid: `${BOB}@lid`, isGroup: false },
};
const inGroup = {
  chatRoomId: `acme-90000000000001-${GROUP}`,
  ...{ clientLid: GROUP, remoteJid: `${GROUP}@g.us`, isGroup: true },
};
const carol = { jid: `${GROUP}@g.us`, subject: 'Team', participant: '90000000000003' };

const EVENTS = {
  text: textEvent(),
  sent: { ...textEvent(), event: 'message.sent', fromMe: true },
  image: { ...textEvent(), type: 'image' },
  group: {
    ...textEvent(),
    ...inGroup,
    remotePhone: '',
    group: { ...carol, participantPhone: '+15550000003' },
  },
  call: {
    ...{ ...conversation, event: 'call', type: 'call', callId: 'C1', status: 'offer', fromName: 'Bob' },
    ...{ from: BOB, fromPhone: '+15550000002', isVideo: false, rejected: false, offline: false },
  },
  update: {
    ...{ ...conversation, ...inGroup, event: 'group.update', type: 'group_update', changeId: 'G1' },
    ...{
      change: 'added',
      fromMe: false,
      by: { user: '90000000000003', phone: '', name: '' },
      members: [],
      value: '',
    },
  },
  status: {
    ...{ event: 'message.status', type: 'message_status', clientId: 'acme', orgId: '', timestamp: '' },
    ...{ messageId: 'M1', status: 'read', by: BOB, code: '' },
  },
  session: {
    ...{ event: 'session.status', type: 'session_status', clientId: 'acme', orgId: '', timestamp: '' },
    ...{ status: 'connected', previousStatus: 'reconnecting', reason: '' },
  },
  post: {
    ...{ event: 'channel.post', type: 'channel_post', clientId: 'acme', orgId: '', timestamp: '' },
    ...{ channelJid: CHANNEL, messageId: 'P1', serverId: 1, action: 'posted', fromMe: false },
    ...{ kind: 'text', body: 'News' },
  },
} as const satisfies Record<string, GatewayEvent>;

const MESSAGES = ['text', 'sent', 'image', 'group'];

const CASES: readonly [
  name: string,
  filter: EventFilter,
  optedIn: readonly string[],
  passing: readonly string[],
][] = [
  ['without a part', {}, [], MESSAGES],
  ['without a part, in a session that opted in to calls', {}, ['call'], [...MESSAGES, 'call']],
  ['by type', { types: ['image', 'session_status'] }, ['call'], ['image', 'session']],
  [
    'by received',
    { direction: 'received' },
    ['call', 'group_update'],
    ['text', 'image', 'group', 'call', 'update'],
  ],
  ['by sent', { direction: 'sent' }, ['message_status', 'session_status'], ['sent', 'status']],
  ['by groups', { groups: true }, ['group_update', 'session_status'], ['group', 'update']],
  ['without groups', { groups: false }, ['call', 'session_status'], ['text', 'sent', 'image', 'call']],
  ['by a chatRoomId', { rooms: [conversation.chatRoomId] }, ['call'], ['text', 'sent', 'image', 'call']],
  ['by the jid of a group', { rooms: [`${GROUP}@g.us`] }, ['group_update'], ['group', 'update']],
  ['by the number of a room', { rooms: ['+15550000002'] }, [], ['text', 'sent', 'image']],
  ['by two rooms', { rooms: [GROUP, BOB] }, ['message_status'], MESSAGES],
  [
    'by the LID of a sender',
    { senders: [BOB] },
    ['call', 'message_status'],
    ['text', 'image', 'call', 'status'],
  ],
  ['by the number of a member', { senders: ['+15550000003'] }, [], ['group']],
  ['by the own LID', { senders: ['90000000000001'] }, [], ['sent']],
  ['by an empty sender', { senders: [''] }, ['group_update', 'session_status'], []],
  ['by a channel', { senders: [CHANNEL] }, ['channel_post'], ['post']],
  ['by the jid of a channel as a room', { rooms: [CHANNEL] }, ['channel_post'], []],
  [
    'by all parts',
    { types: ['text'], direction: 'received', groups: true, senders: ['90000000000003'] },
    [],
    ['group'],
  ],
];

describe('the filter of a receiver', () => {
  for (const [name, filter, optedIn, passing] of CASES) {
    it(`passes the right events, filtered ${name}`, () => {
      const passed = Object.entries(EVENTS).flatMap(([event, value]) =>
        passes(filter, value, optedIn) ? [event] : [],
      );
      expect(passed).to.deep.equal(passing);
    });
  }
});
