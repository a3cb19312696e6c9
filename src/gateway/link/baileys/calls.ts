import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  jidNormalizedUser,
} from '@whiskeysockets/baileys';
import type { CallStep } from '../events.js';
import { stanzaTime } from './incoming.js';

/** The elements of a `<call>` that change its status for people; the others concern the audio connection. */
const STEPS: ReadonlyMap<string, CallStep['step']> = new Map([
  ['offer', 'offer'],
  // a call in a group that a device may join, or one that rang before the device came online
  ['offer_notice', 'offer'],
  ['accept', 'accept'],
  ['reject', 'reject'],
  ['terminate', 'end'],
]);

/** The reasons of `<terminate>` that say what another device of the account did (whatsapp-rust `handlers/call.rs`). */
const ELSEWHERE: ReadonlyMap<string | undefined, CallStep['step']> = new Map([
  ['accepted_elsewhere', 'accept'],
  ['rejected_elsewhere', 'reject'],
]);

/**
 * The step in a `<call>` (whatsmeow `call.go`): one element with `call-id`, `call-creator`, `caller_pn` and `group-jid`.
 * @param now milliseconds since the epoch
 * @returns undefined for elements that are no step, and for a stanza without a caller
 */
export function callStepIn(node: BinaryNode, now: number): CallStep | undefined {
  const [child] = getAllBinaryNodeChildren(node);
  const known = child && STEPS.get(child.tag);
  if (!known) return undefined;
  const { attrs } = child;
  const callId = attrs['call-id'];
  const from = jidNormalizedUser(attrs['call-creator'] || node.attrs.from);
  if (!callId || !from) return undefined;
  const fromAlt = jidNormalizedUser(attrs.caller_pn || attrs.caller_lid);
  const group = attrs['group-jid'];
  const step = known === 'end' ? (ELSEWHERE.get(attrs.reason) ?? known) : known;
  return {
    callId,
    step,
    from,
    ...(fromAlt && { fromAlt }),
    ...(group && { group: jidNormalizedUser(group) }),
    pushName: node.attrs.notify || attrs.notify || '',
    ...(step === 'offer' && { isVideo: isVideo(child) }),
    timestamp: stanzaTime(node.attrs.t, now),
    offline: node.attrs.offline !== undefined,
  };
}

function isVideo(offer: BinaryNode): boolean {
  return getBinaryNodeChild(offer, 'video') !== undefined || offer.attrs.media === 'video';
}
