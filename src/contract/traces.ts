import { operation } from './operation.js';
import {
  clientId,
  listOf,
  messageId,
  named,
  oneOf,
  optional,
  record,
  type TypeOf,
  text,
  timeOrEmpty,
} from './schema.js';

const step = record({
  at: timeOrEmpty.description('Time of the step; empty if it is not kept'),
  step: oneOf(
    'received',
    'unreadable',
    'processed',
    'written_down',
    'held_back',
    'cancelled',
    'acknowledged',
    'unacknowledged',
    'recorded',
    'status',
    'announced',
    'attempted',
    'dropped',
    'waiting',
    'failed',
  ).example('received'),
  detail: text.description('Description for people'),
});

export const messageTrace = named('MessageTrace', {
  clientId,
  messageId,
  direction: oneOf('in', 'out').description('`out`: the linked number sent it'),
  chat: text.description('Jid of the chat; empty if unknown'),
  steps: listOf(step).description('The steps, oldest first; steps without a time come last'),
  conclusion: text.description('The conclusion from the steps, as a sentence'),
  traceId: optional(text).description(
    'Id of the trace at the OpenTelemetry collector; absent without tracing',
  ),
});
export type MessageTrace = TypeOf<typeof messageTrace>;
export type TraceStep = MessageTrace['steps'][number];

export const traces = {
  messageTrace: operation({
    method: 'GET',
    path: '/message-trace',
    owner: 'session',
    summary: 'Get the history of one message, inbound or own, from the network to its receiver',
    description:
      "Read from the store, and from the last 2,000 entries of the live stream of the session's node since its start. " +
      'Contains no content of the message. 404 `message_unknown`: the message never arrived, belongs to another session, or is older than the records.',
    query: record({ clientId, messageId }),
    answer: messageTrace,
    example: {
      clientId: 'acme',
      messageId: '3EB0A9253D5F6C2B1E7A90',
      direction: 'in',
      chat: '90000000000002@lid',
      steps: [
        { at: '2026-11-22T10:00:00.000Z', step: 'received', detail: 'the network delivered it' },
        {
          at: '2026-11-22T10:00:04.000Z',
          step: 'failed',
          detail: 'text: the receiver answered 500 (attempts: 4, https://example.com/webhook)',
        },
      ],
      conclusion:
        'The event was not delivered. Deliver it again: switchboard failed resend 01K0000000000000000000000A',
    },
    errors: ['message_unknown'],
  }),
};
