import type { Account } from '../account.js';
import type { Group } from './group.js';
import { GroupRefusal } from './refusal.js';

/** @throws GroupRefusal 401 for people who were members once, 403 for strangers */
export function requireMember(group: Group, account: Account): void {
  if (!group.has(account)) throw new GroupRefusal(group.hasLost(account) ? 401 : 403);
}

/** @throws GroupRefusal 403 unless the person is an admin, 401 for people who were members once */
export function requireAdmin(group: Group, account: Account): void {
  requireMember(group, account);
  if (!group.isAdmin(account)) throw new GroupRefusal(403);
}

/** Subject, description and the like: everybody may change them, unless the group is locked. */
export function requireEditor(group: Group, account: Account): void {
  requireMember(group, account);
  if (group.record.locked) requireAdmin(group, account);
}

/** @throws GroupRefusal unless the person may add people directly */
export function requireAdder(group: Group, account: Account): void {
  requireMember(group, account);
  if (!group.record.membersAdd) requireAdmin(group, account);
}
