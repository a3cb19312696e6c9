import type { CallAction, CallView, RingRequest } from '../../contract/sandbox/index.js';
import type { Account, Companion } from '../state/account.js';
import { type Call, viewOf } from '../state/call-board.js';
import { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { notPlayed, Refusal } from '../wire/refusals.js';
import { child, type Stanza, stanza } from '../wire/stanza.js';
import { hasBlocked } from './blocks.js';

// Only the signalling of calls is played: nobody hears anything.

/** The statuses that an action leads to, and those from which it is possible. */
const ACTIONS: Readonly<
  Record<CallAction, { by: 'caller' | 'called'; from: CallView['status']; to: CallView['status'] }>
> = {
  cancel: { by: 'caller', from: 'ringing', to: 'cancelled' },
  timeout: { by: 'caller', from: 'ringing', to: 'timeout' },
  accept: { by: 'called', from: 'ringing', to: 'accepted' },
  reject: { by: 'called', from: 'ringing', to: 'rejected' },
  hangup: { by: 'caller', from: 'accepted', to: 'ended' },
};

/** `reason` of the `<terminate>` that linked devices of the called people get (whatsapp-rust `handlers/call.rs`). */
const REASONS: Partial<Record<CallView['status'], string>> = {
  accepted: 'accepted_elsewhere',
  rejected: 'rejected_elsewhere',
  timeout: 'timeout',
};

/** A person calls. @throws Refusal or GroupRefusal when nobody can be called */
export function ring(
  network: Network,
  caller: Account,
  { to, video = false, notice = false }: RingRequest,
): CallView {
  const chat = network.directory.requireChat(to);
  if (chat === caller) throw new Refusal('invalid_request', '"to" must be another person');
  const isGroup = chat instanceof Group;
  if (isGroup && !chat.has(caller))
    throw new Refusal('group_forbidden', `${caller.number} is no member of ${chat.chatId}`);
  const others = isGroup ? network.directory.membersOf(chat) : [chat];
  const called = others.filter((person) => person !== caller && !hasBlocked(person, caller));
  const call = network.calls.add({ caller, chat, called, video, timestamp: network.now() });
  tell(network, call, notice ? noticeOf(network, call) : offerOf(network, call));
  return changed(network, call);
}

/**
 * The caller or a called person does something on the phone.
 * @throws Refusal 404 for an unknown call, 403 when it is not this person's to do, 409 when it is too late
 */
export function actOnCall(network: Network, person: Account, callId: string, action: CallAction): CallView {
  const call = network.calls.get(callId);
  if (!call) throw new Refusal('call_unknown', `there is no call ${callId}`);
  const { by, from, to } = ACTIONS[action];
  const may = by === 'caller' ? call.caller === person : call.called.includes(person);
  if (!may) {
    const who = by === 'caller' ? 'caller' : 'called person';
    throw new Refusal('call_forbidden', `only the ${who} can ${action} a call`);
  }
  if (call.status !== from) throw new Refusal('call_conflict', `the call is ${call.status}`);
  call.status = to;
  if (to === 'rejected') call.rejectedBy = 'phone';
  tell(network, call, terminateOf(network, call));
  return changed(network, call);
}

/** A linked device declines a call, which ends it. Everything else, such as a link to a call, is refused with 501. */
export function routeCall(network: Network, companion: Companion, received: Stanza): void {
  const { id = '', to } = received.attrs;
  const element = child(received);
  const ack = { class: 'call', id, from: to, type: element?.tag };
  if (element?.tag !== 'reject') {
    companion.connection?.send(stanza('ack', { ...ack, error: '501' }, [notPlayed()]));
    return;
  }
  companion.connection?.send(stanza('ack', ack));
  const call = network.calls.get(element?.attrs['call-id'] ?? '');
  const isRinging = call?.status === 'ringing' && call.called.includes(companion.account);
  if (!isRinging) return;
  call.status = 'rejected';
  call.rejectedBy = 'device';
  tell(network, call, terminateOf(network, call), companion);
  changed(network, call);
}

/** The app of the caller, which an offer names (whatsmeow `call.go`). */
const CALLER_APP = { platform: 'android', version: '2.25.30.75' };

function changed(network: Network, call: Call): CallView {
  const view = viewOf(call);
  for (const { number } of [call.caller, ...call.called])
    network.events.emit(() => ({ type: 'call', number, call: view }));
  return view;
}

/** Puts an element of a call into the mailboxes of the called people's devices. */
function tell(network: Network, call: Call, element: Stanza, except?: Companion): void {
  const attrs = {
    from: callerJid(network, call),
    t: String(network.now()),
    notify: call.caller.record.name,
    ...(element.tag === 'offer' && CALLER_APP),
  };
  for (const { companions } of call.called) {
    for (const companion of companions.values()) {
      if (companion === except) continue;
      companion.mailbox.push(stanza('call', { id: network.newId(), ...attrs }, [element]));
    }
  }
}

function offerOf(network: Network, call: Call): Stanza {
  const media = [stanza('audio', { enc: 'opus', rate: '16000' }), ...(call.video ? [stanza('video')] : [])];
  return stanza('offer', namesOf(network, call), media);
}

/** A notice of a call, mostly of one in a group (whatsmeow `CallOfferNotice`, whatsapp-rust `stanza/call.rs`). */
function noticeOf(network: Network, call: Call): Stanza {
  return stanza('offer_notice', { media: call.video ? 'video' : 'audio', ...namesOf(network, call) });
}

function terminateOf(network: Network, call: Call): Stanza {
  return stanza('terminate', { ...namesOf(network, call), reason: REASONS[call.status] });
}

/** The attributes by which the elements name the call (whatsmeow `call.go`). */
function namesOf(network: Network, call: Call): Record<string, string> {
  const { caller, chat, id } = call;
  const isByLid = network.addressing === 'lid' && !caller.record.hideLid;
  return {
    'call-id': id,
    'call-creator': callerJid(network, call),
    ...(isByLid && { caller_pn: caller.jid('pn') }),
    ...(chat instanceof Group && { 'group-jid': chat.jid(), type: 'group' }),
  };
}

function callerJid(network: Network, { caller }: Call): string {
  return caller.privateJid(network.addressing);
}
