import type { Content, Reading } from './kind.js';

const TITLE_FIELDS = [
  'text',
  'caption',
  'title',
  'name',
  'displayName',
  'contentText',
  'body',
  'description',
];
const MAX_TITLE = 1_000;
/** `protocolMessage` types that a person caused, in words. */
const PERSONAL_PROTOCOL = new Map([
  [0, 'deleted message'],
  [14, 'edited message'],
]);

/**
 * The honest fallback: a kind that the catalogue does not name is shown as text, its name in brackets and whatever
 * title it carries: `[event invitation] Team dinner`.
 */
export function readUnknown(content: Content): Reading {
  const [name, part] = mainPart(content);
  const { type, editedMessage } = content.protocolMessage ?? {};
  const label = `[${PERSONAL_PROTOCOL.get(type ?? -1) ?? words(name)}]`;
  const title = titleOf(editedMessage?.conversation ?? editedMessage?.extendedTextMessage ?? part);
  return { type: 'text', body: title ? `${label} ${title}` : label };
}

/** The protocol's name of the content, for counting. */
export function unknownName(content: Content): string {
  return mainPart(content)[0];
}

function mainPart(content: Content): [string, unknown] {
  const parts = Object.entries(content).filter(
    ([key, value]) => value != null && key !== 'messageContextInfo' && key !== 'senderKeyDistributionMessage',
  );
  return parts[0] ?? ['emptyMessage', undefined];
}

/** `eventInviteMessage` → `event invite`. */
function words(name: string): string {
  const base = name.replace(/(Message)?(V\d+)?$/, '') || name;
  return base.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
}

function titleOf(part: unknown): string {
  if (typeof part === 'string') return part.slice(0, MAX_TITLE);
  if (!part || typeof part !== 'object') return '';
  const fields = new Map<string, unknown>(Object.entries(part));
  for (const name of TITLE_FIELDS) {
    const value = fields.get(name);
    if (typeof value === 'string' && value.trim()) return value.trim().slice(0, MAX_TITLE);
  }
  return '';
}
