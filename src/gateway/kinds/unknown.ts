import type { Content, Reading } from './kind.js';
import { MESSAGE_EDIT, REVOKE } from './protocol-types.js';

/** Fields with a title, the most informative first. */
const TITLE_FIELDS = [
  'text',
  'caption',
  'title',
  'name',
  'displayName',
  'contentText',
  'body',
  'description',
  'orderTitle',
  'groupName',
  'newsletterName',
  'note',
  'conversation',
];
/** Parts that describe another message. */
const BESIDE: ReadonlySet<string> = new Set(['contextInfo', 'key']);
const MAX_TITLE = 1_000;
/** Levels of a content that are searched for a title. */
const MAX_DEPTH = 3;

/** Readable names where the protocol's own name is not clear. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['eventMessage', 'event invitation'],
  ['groupInviteMessage', 'group invitation'],
  ['newsletterAdminInviteMessage', 'channel admin invitation'],
  ['newsletterFollowerInviteMessageV2', 'channel invitation'],
  ['call', 'call'],
  ['callLogMesssage', 'call'],
  ['bcallMessage', 'call'],
  ['scheduledCallCreationMessage', 'scheduled call'],
  ['scheduledCallEditMessage', 'scheduled call changed'],
  ['pinInChatMessage', 'pinned message'],
  ['keepInChatMessage', 'kept message'],
  ['pollResultSnapshotMessage', 'poll result'],
  ['pollResultSnapshotMessageV3', 'poll result'],
  ['encEventResponseMessage', 'event answer'],
  ['encReactionMessage', 'encrypted reaction'],
  ['encCommentMessage', 'encrypted comment'],
  ['secretEncryptedMessage', 'encrypted edit'],
  ['pollUpdateMessage', 'poll vote'],
  ['placeholderMessage', 'message that only the phone shows'],
]);

/** Names of `protocolMessage` types that a person causes, for those without a target. */
const PERSONAL_PROTOCOL = new Map([
  [REVOKE, 'deleted message'],
  [MESSAGE_EDIT, 'edited message'],
]);

/**
 * The fallback: a content of no known kind is shown as text, with its name in brackets and its title:
 * `[event invitation] Team dinner`.
 */
export function readUnknown(content: Content): Reading {
  const [name, part] = mainPart(content);
  const label = `[${PERSONAL_PROTOCOL.get(content.protocolMessage?.type ?? -1) ?? wordsOf(name)}]`;
  const title = titleOf(part);
  return { type: 'text', body: title ? `${label} ${title}` : label };
}

/** The protocol's name of the content, for metrics. */
export function unknownName(content: Content): string {
  return mainPart(content)[0];
}

function mainPart(content: Content): [string, unknown] {
  const parts = Object.entries(content).filter(
    ([key, value]) => value != null && key !== 'messageContextInfo' && key !== 'senderKeyDistributionMessage',
  );
  return parts[0] ?? ['emptyMessage', undefined];
}

/** `stickerPackMessage` → `sticker pack`. */
function wordsOf(name: string): string {
  const base = name.replace(/(Message)?(V\d+)?$/, '') || name;
  return NAMES.get(name) ?? base.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
}

/** The first title in a part or its nested parts; empty when there is none. */
function titleOf(part: unknown, depth = 0): string {
  if (typeof part === 'string') return part.trim().slice(0, MAX_TITLE);
  if (!part || typeof part !== 'object' || part instanceof Uint8Array || depth >= MAX_DEPTH) return '';
  const fields = new Map<string, unknown>(Object.entries(part));
  for (const name of TITLE_FIELDS) {
    const value = fields.get(name);
    if (typeof value === 'string' && value.trim()) return value.trim().slice(0, MAX_TITLE);
  }
  for (const [name, value] of fields) {
    const title = typeof value === 'object' && !BESIDE.has(name) ? titleOf(value, depth + 1) : '';
    if (title) return title;
  }
  return '';
}
