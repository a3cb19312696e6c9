import { type BinaryNode, getAllBinaryNodeChildren, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { PresenceState } from '../../../domain/presence.js';
import type { LinkEvent } from '../events.js';
import { stanzaTime } from './incoming.js';

/**
 * The state in a `<presence>` or a `<chatstate>` (whatsmeow `presence.go`); undefined for others. `last` is a time, or
 * `deny`, `none` or `error` if the person does not show it.
 */
export function presenceIn(node: BinaryNode): LinkEvent | undefined {
  const { from, participant, type, last } = node.attrs;
  const state = node.tag === 'presence' ? onlineState(type) : chatState(node);
  if (!from || !state) return undefined;
  return {
    type: 'presence',
    chat: jidNormalizedUser(from),
    ...(participant && { participant: jidNormalizedUser(participant) }),
    state,
    lastSeenAt: state === 'unavailable' ? stanzaTime(last, 0) : 0,
  };
}

function onlineState(type: string | undefined): PresenceState | undefined {
  if (type === undefined || type === 'available') return 'available';
  return type === 'unavailable' ? 'unavailable' : undefined;
}

function chatState(node: BinaryNode): PresenceState | undefined {
  const [state] = getAllBinaryNodeChildren(node);
  if (state?.tag === 'paused') return 'paused';
  if (state?.tag !== 'composing') return undefined;
  return state.attrs.media === 'audio' ? 'recording' : 'composing';
}
