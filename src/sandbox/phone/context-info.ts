import type { proto } from '@whiskeysockets/baileys';

/** The context (quote, mentions, forwarded mark) of a message, wherever its kind keeps it. */
export function findContextInfo(message: proto.IMessage): proto.IContextInfo | undefined {
  for (const part of Object.values(message)) {
    if (part && typeof part === 'object' && 'contextInfo' in part && part.contextInfo)
      return part.contextInfo;
  }
  return undefined;
}
