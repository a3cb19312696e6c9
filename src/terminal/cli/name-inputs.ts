import { parseRecipient } from '../../domain/address.js';

/** Kinds of things that an argument may name. */
export type NameKind = 'chat' | 'group' | 'person';

/** Arguments and flags of daemon commands that take an address or a name. */
const KINDS: Readonly<Record<string, NameKind>> = {
  to: 'chat',
  from: 'chat',
  jid: 'chat',
  person: 'person',
  member: 'person',
  groupJid: 'group',
};

export function nameKindOf(input: string): NameKind | undefined {
  return KINDS[input];
}

/** Whether a text is the link of a channel. */
export function isChannelLink(text: string): boolean {
  return /^(https?:\/\/)?(www\.)?whatsapp\.com\/channel\//i.test(text.trim());
}

/** Whether to look a text up as a name. Addresses, and texts that can only be wrong addresses, go to the daemon unchanged. */
export function isName(text: string): boolean {
  return (
    text.trim() !== '' && !text.includes('@') && !/^[+\d]/.test(text) && parseRecipient(text) === undefined
  );
}
