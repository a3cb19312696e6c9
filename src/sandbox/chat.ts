import type { Account } from './account.js';
import type { Group } from './groups/group.js';

/** The other side of a chat: somebody, or a group. Both say what the chat is called and by which jid it goes. */
export type Chat = Account | Group;
