import { count, flag, listOf, named, oneOf, optional, record, type TypeOf, text } from '../schema.js';
import { number, numberParams, partner, seconds, shortText } from './fields.js';
import { typingState } from './message-views.js';
import { controlOperation } from './operation.js';

const MAX_CALL_ID = 64;

/** A call from one person to another one, or to a group. */
export const callView = named('CallView', {
  callId: text,
  from: text.description("The caller's number"),
  to: text.description("The number of the person, or the group's jid, that is called"),
  video: flag,
  status: oneOf('ringing', 'accepted', 'rejected', 'cancelled', 'timeout', 'ended'),
  rejectedBy: optional(oneOf('phone', 'device')).description(
    'Whether the phone of a called person declined it, or a linked device',
  ),
  timestamp: seconds,
});
export type CallView = TypeOf<typeof callView>;

const ringRequest = named('RingRequest', {
  to: partner,
  video: optional(flag),
  notice: optional(flag).description(
    'The linked devices of the called people get a notice (`offer_notice`), with which they need not ring',
  ),
});
export type RingRequest = TypeOf<typeof ringRequest>;

/** Action of a person on a call. */
const callAction = oneOf('cancel', 'timeout', 'accept', 'reject', 'hangup').meta({ name: 'CallAction' });
export type CallAction = TypeOf<typeof callAction>;

/** A person's presence as others see it. */
export const presenceView = named('PresenceView', {
  online: flag.description('The phone or a linked device is online'),
  lastSeen: seconds.description('Seconds since the epoch; 0 before the first time'),
  devices: listOf(
    record({
      id: count,
      online: flag,
      subscriptions: listOf(text).description('Numbers and jids of groups that the device subscribed to'),
    }),
  ),
});
export type PresenceView = TypeOf<typeof presenceView>;

/** The person types in a chat on the phone. */
const typingRequest = named('TypingRequest', {
  to: partner,
  state: typingState.example('composing'),
});
export type TypingRequest = TypeOf<typeof typingRequest>;

const CALL = {
  callId: 'A1B2C3D4E5F60718293A4B5C6D7E8F90',
  from: '+15550000001',
  to: '+15550000002',
  video: false,
  status: 'ringing',
  timestamp: 1_795_255_200,
} as const;
const PRESENCE = { online: true, lastSeen: 1_795_255_200, devices: [] };

/** Calls, and what people show of themselves: that they type, and that they are online. */
export const activity = {
  ring: controlOperation({
    method: 'POST',
    path: '/phones/{number}/calls',
    summary: 'Call somebody, or a group',
    params: numberParams,
    body: ringRequest,
    status: 201,
    answer: callView,
    example: CALL,
    errors: ['group_unknown', 'group_forbidden'],
  }),
  calls: controlOperation({
    method: 'GET',
    path: '/phones/{number}/calls',
    summary: 'List the calls that the person made or got, oldest first',
    params: numberParams,
    answer: record({ calls: listOf(callView) }),
    example: { calls: [CALL] },
    client: { gives: 'calls' },
  }),
  act: controlOperation({
    method: 'POST',
    path: '/phones/{number}/calls/{callId}',
    summary: 'End or accept a call on the phone',
    description:
      'The caller may `cancel` or `hangup`, a called person may `accept` or `reject`, and `timeout` is what the ' +
      "caller's phone does after a minute.",
    params: record({ number, callId: shortText(MAX_CALL_ID) }),
    body: record({ action: callAction }),
    answer: callView,
    example: CALL,
    errors: ['call_unknown', 'call_forbidden', 'call_conflict'],
    client: { takes: ['action'] },
  }),
  type: controlOperation({
    method: 'POST',
    path: '/phones/{number}/typing',
    summary: 'Type on the phone',
    params: numberParams,
    body: typingRequest,
    errors: ['group_unknown', 'group_forbidden'],
  }),
  presence: controlOperation({
    method: 'GET',
    path: '/phones/{number}/presence',
    summary: "Show the person's presence",
    params: numberParams,
    answer: presenceView,
    example: PRESENCE,
  }),
  setOnline: controlOperation({
    method: 'POST',
    path: '/phones/{number}/presence',
    summary: 'Take the phone up, or put it away',
    params: numberParams,
    body: record({ online: flag.example(true) }),
    answer: presenceView,
    example: PRESENCE,
    client: { takes: ['online'] },
  }),
};
