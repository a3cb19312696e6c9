import Joi from 'joi';
import { flag, oneOf, record, type TypeOf, text } from '../schema.js';
import { callView, presenceView } from './activity.js';
import { groupView } from './groups.js';
import { passkeyView } from './linking.js';
import { changeView, chatstateView, chatView, messageView, receiptState } from './message-views.js';
import { controlOperation } from './operation.js';
import { deviceView } from './phones.js';
import { type StanzaEvent, stanzaEvent } from './stanzas.js';

const events = {
  message: record({ type: oneOf('message'), number: text, message: messageView }),
  status: record({ type: oneOf('status'), number: text, status: messageView }),
  change: record({ type: oneOf('change'), number: text, change: changeView }),
  receipt: record({
    type: oneOf('receipt'),
    number: text,
    messageId: text,
    from: text,
    state: receiptState,
  }),
  device: record({
    type: oneOf('device'),
    number: text,
    device: deviceView,
    change: oneOf('linked', 'unlinked', 'connected', 'disconnected'),
  }),
  passkey: record({ type: oneOf('passkey'), number: text, passkey: passkeyView }),
  group: record({ type: oneOf('group'), group: groupView }),
  chat: record({ type: oneOf('chat'), number: text, chat: chatView }),
  chatstate: record({ type: oneOf('chatstate'), number: text, chatstate: chatstateView }),
  call: record({ type: oneOf('call'), number: text, call: callView }),
  presence: record({ type: oneOf('presence'), number: text, presence: presenceView }),
};

/** An event of `GET /stream`: its `type` says which. */
export type NetworkEvent = StanzaEvent | TypeOf<(typeof events)[keyof typeof events]>;
export const networkEvent = Joi.alternatives<NetworkEvent>(...Object.values(events), stanzaEvent).meta({
  name: 'NetworkEvent',
});

export const streams = {
  stream: controlOperation({
    method: 'GET',
    path: '/stream',
    summary: 'Watch the events of the network as server-sent events',
    description: 'Complete from the first byte of the answer on. The data of each event is a NetworkEvent.',
    query: record({ stanzas: flag.default(false).description('Include all stanzas') }),
    answer: 'text/event-stream',
  }),
};
