import type { Content } from './kind.js';

/** Housekeeping between devices: keys, app state, history, settings. Nothing that a person wrote. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  'protocolMessage',
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'messageContextInfo',
  'deviceSentMessage',
  'placeholderMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
]);

/** `protocolMessage` types that a person caused: revoke, and edit of an own message. */
const PERSONAL_PROTOCOL_TYPES: ReadonlySet<number> = new Set([0, 14]);

/** True when a content holds nothing that a person wrote or did. */
export function isSilent(content: Content): boolean {
  const keys = Object.entries(content).flatMap(([key, value]) => (value == null ? [] : [key]));
  if (keys.some((key) => !HOUSEKEEPING.has(key))) return false;
  const protocolType = content.protocolMessage?.type;
  return protocolType == null || !PERSONAL_PROTOCOL_TYPES.has(protocolType);
}
