import {
  type ChatModification,
  chatModificationToAppPatch,
  proto,
  type WAPatchCreate,
} from '@whiskeysockets/baileys';
import type { ChatUpdate } from '../api.js';
import type { CollectionName } from './collection.js';

const MUTED_MS = 8 * 60 * 60 * 1_000;
const { SET } = proto.SyncdMutation.SyncdOperation;

/** The newest message of a chat, which settings of chats name so that others know how far they reach. */
export interface LastMessage {
  key: proto.IMessageKey;
  /** Seconds since the epoch. */
  messageTimestamp: number;
}

/** The patches of a person's wishes for a chat. */
export function chatPatches(
  jid: string,
  { unread, archived, pinned, muted }: ChatUpdate,
  lastMessages: LastMessage[],
  nowMs: number,
): WAPatchCreate[] {
  const wishes: ChatModification[] = [];
  if (unread !== undefined) wishes.push({ markRead: !unread, lastMessages });
  if (archived !== undefined) wishes.push({ archive: archived, lastMessages });
  if (pinned !== undefined) wishes.push({ pin: pinned });
  if (muted !== undefined) wishes.push({ mute: muted ? nowMs + MUTED_MS : null });
  return wishes.map((wish) => chatModificationToAppPatch(wish, jid));
}

/** The patch by which devices learn their account's name. */
export function namePatch(name: string): WAPatchCreate {
  return chatModificationToAppPatch({ pushNameSetting: name }, '');
}

/** A patch that means nothing to anybody. */
export function markerPatch(type: CollectionName, id: string): WAPatchCreate {
  return {
    type,
    index: ['sandbox_marker', id],
    syncAction: { timestamp: Date.now() },
    apiVersion: 1,
    operation: SET,
  };
}
