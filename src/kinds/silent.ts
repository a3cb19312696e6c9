import type { Content } from './kind.js';
import { MESSAGE_EDIT, REVOKE } from './protocol-types.js';
import { targetOf } from './target.js';
import { unwrap } from './unwrap.js';

/** Housekeeping between devices: keys, app state, history, settings. Nothing that a person wrote. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  'protocolMessage',
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'messageContextInfo',
  'deviceSentMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
]);

/** True when a content holds nothing that a person wrote or did. */
export function isSilent(content: Content): boolean {
  const inner = unwrap(content);
  const keys = Object.entries(inner).flatMap(([key, value]) => (value == null ? [] : [key]));
  if (keys.some((key) => !HOUSEKEEPING.has(key))) return false;
  const protocolType = inner.protocolMessage?.type;
  return protocolType !== REVOKE && protocolType !== MESSAGE_EDIT && !targetOf(inner);
}
