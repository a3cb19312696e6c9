import type { GroupAction, GroupSettings } from '../../contract/sandbox/index.js';
import { allows } from '../people/privacy.js';
import type { Account } from '../state/account.js';
import type { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { GroupRefusal } from '../wire/refusals.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { announce, groupElement, participantElement } from './elements.js';
import { joinCommunity } from './linked.js';

/** @throws GroupRefusal 401 for former members, 403 for strangers */
export function requireMember(group: Group, account: Account): void {
  if (!group.has(account)) throw new GroupRefusal(group.hasLost(account) ? 401 : 403);
}

/** @throws GroupRefusal 403 unless the person is an admin, 401 for former members */
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
function requireAdder(group: Group, account: Account): void {
  requireMember(group, account);
  if (!group.record.membersAdd) requireAdmin(group, account);
  // what the network answers a member here is not known
  if (group.record.joinApproval && !group.isAdmin(account)) throw new GroupRefusal(501);
}

export const MAX_MEMBERS = 1_024;
const MAX_SUBJECT = 100;
/** The status of one participant of an action. */
const NOT_FOUND = 404;
const INVITE_ONLY = 403;
const NOT_POSSIBLE = 406;
const ALREADY_IN = 409;
const FULL = 419;
/** Lifetime in seconds of the invite code that replaces a refused addition. */
const REQUEST_TTL_S = 3 * 24 * 60 * 60;

/** A participant of an action, as the request names it. */
export interface Named {
  jid: string;
  /** Undefined for unknown people. */
  account: Account | undefined;
}

/** The outcome of an action for one participant. */
export interface Outcome extends Named {
  /** 403, 404, 406, 409 or 419 when the action failed. */
  error?: number;
}

/** Creates a group and adds every participant that can be added. @throws GroupRefusal 406 for a bad subject */
export function createGroup(
  network: Network,
  creator: Account,
  {
    subject,
    description = '',
    key,
    ...more
  }: {
    subject: string;
    description?: string;
    /** Names the request in the notification. */
    key?: string | undefined;
  } & GroupSettings &
    Partial<Pick<Group['record'], 'community' | 'parent'>>,
  people: Named[],
): { group: Group; outcomes: Outcome[] } {
  requireSubject(subject);
  const at = network.now();
  const group = network.directory.groups.create(creator, subject, at);
  Object.assign(group.record, more, more.ephemeral ? { ephemeralAt: at } : {});
  if (description) group.record.description = { id: network.newId(), text: description, by: creator.lid, at };
  const outcomes = people
    .filter(({ account }) => account !== creator)
    .map((one) => take({ network, group, actor: creator, action: 'add' }, one));
  const element = groupElement(network, group);
  announce(network, group, creator, stanza('create', { type: 'new', key }, [element]));
  joinCommunity(network, group, network.directory.membersOf(group));
  return { group, outcomes };
}

/** @throws GroupRefusal 406 for a subject that is empty or too long */
export function requireSubject(subject: string): void {
  if (subject === '' || subject.length > MAX_SUBJECT) throw new GroupRefusal(406);
}

/** Adds, removes, promotes or demotes participants, each on its own. @throws GroupRefusal when the actor may not */
export function changeMembers(
  network: Network,
  group: Group,
  actor: Account,
  action: GroupAction,
  people: Named[],
): Outcome[] {
  if (action === 'add') requireAdder(group, actor);
  else requireAdmin(group, actor);
  const outcomes = people.map((one) => take({ network, group, actor, action }, one));
  const done = outcomes.flatMap(({ account, error }) => (account && error === undefined ? [account] : []));
  if (done.length > 0) {
    const elements = done.map((account) => participantElement(network, account));
    announce(network, group, actor, stanza(action, {}, elements), action === 'remove' ? done : []);
    if (action === 'add') joinCommunity(network, group, done);
  }
  return outcomes;
}

/** Removes the person; when no admin is left, the oldest member becomes one. @throws GroupRefusal 401 or 403 for strangers */
export function leaveGroup(network: Network, group: Group, account: Account): void {
  requireMember(group, account);
  group.drop(account);
  const gone = stanza('remove', {}, [participantElement(network, account)]);
  announce(network, group, account, gone, [account]);
  const [heir, ...others] = network.directory.membersOf(group);
  if (!heir || [heir, ...others].some((member) => group.isAdmin(member))) return;
  group.put(heir, 'admin');
  announce(network, group, heir, stanza('promote', {}, [participantElement(network, heir)]));
}

/** The element of an outcome in the answer. */
export function outcomeElement(network: Network, group: Group, { jid, account, error }: Outcome): Stanza {
  const attrs = { error: error === undefined ? undefined : String(error) };
  if (!account) return stanza('participant', { jid, ...attrs });
  return participantElement(
    network,
    account,
    attrs,
    error === INVITE_ONLY ? [request(network, group)] : undefined,
  );
}

/** The invite for a person who cannot be added directly. */
function request(network: Network, group: Group): Stanza {
  const expiration = String(network.now() + REQUEST_TTL_S);
  return stanza('add_request', { code: group.record.inviteCode, expiration });
}

interface Action {
  network: Network;
  group: Group;
  actor: Account;
  action: GroupAction;
}

function take(action: Action, named: Named): Outcome {
  const { account } = named;
  if (!account) return { ...named, error: NOT_FOUND };
  const error = ACTIONS[action.action](action.group, account, action.actor);
  return error === undefined ? named : { ...named, error };
}

/** The actions on one participant; each returns the error if it fails. */
const ACTIONS: Record<GroupAction, (group: Group, account: Account, actor: Account) => number | undefined> = {
  add(group, account, actor) {
    if (group.has(account)) return ALREADY_IN;
    if (!allows(account, 'groupadd', actor)) return INVITE_ONLY;
    if (group.size >= MAX_MEMBERS) return FULL;
    group.put(account, 'member');
    return undefined;
  },
  remove(group, account) {
    const role = group.roleOf(account);
    if (role === undefined) return NOT_FOUND;
    if (role === 'superadmin') return NOT_POSSIBLE;
    group.drop(account);
    return undefined;
  },
  promote(group, account) {
    const role = group.roleOf(account);
    if (role === undefined) return NOT_FOUND;
    if (role === 'member') group.put(account, 'admin');
    return undefined;
  },
  demote(group, account) {
    const role = group.roleOf(account);
    if (role === undefined) return NOT_FOUND;
    if (role === 'superadmin') return NOT_POSSIBLE;
    group.put(account, 'member');
    return undefined;
  },
};
