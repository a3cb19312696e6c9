import { parseRecipient } from '../domain/address.js';

/** What an argument may name. */
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

/**
 * Whether a text is looked up as a name. Addresses, and what can only be a wrong address, go to the daemon as they are.
 */
export function isName(text: string): boolean {
  return (
    text.trim() !== '' && !text.includes('@') && !/^[+\d]/.test(text) && parseRecipient(text) === undefined
  );
}
