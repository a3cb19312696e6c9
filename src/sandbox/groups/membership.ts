import type { Account } from '../account.js';
import type { GroupAction } from '../api.js';
import type { Network } from '../network.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { announce, membersOf } from './announce.js';
import { groupElement, participantElement } from './elements.js';
import type { Group } from './group.js';
import { GroupRefusal } from './refusal.js';
import { requireAdder, requireAdmin, requireMember } from './rights.js';

const MAX_MEMBERS = 1_024;
const MAX_SUBJECT = 100;
/** What the network says of one of the people whom an action is about. */
const NOT_FOUND = 404;
const INVITE_ONLY = 403;
const NOT_POSSIBLE = 406;
const ALREADY_IN = 409;
const FULL = 419;
/** Seconds for which the code is good that stands in for a refused addition. */
const REQUEST_TTL_S = 3 * 24 * 60 * 60;

/** Somebody whom an action is about, as named by who asks. */
export interface Named {
  jid: string;
  /** Undefined when nobody is known by that name. */
  account: Account | undefined;
}

/** What became of an action for one of the people it is about. */
export interface Outcome extends Named {
  /** Why nothing was done: 403, 404, 406, 409 or 419. */
  error?: number;
}

/** The people that somebody wants in a group, each as far as possible. @throws GroupRefusal 406 for a bad subject */
export function createGroup(
  network: Network,
  creator: Account,
  subject: string,
  people: Named[],
  key?: string,
): { group: Group; outcomes: Outcome[] } {
  requireSubject(subject);
  const group = network.groups.create(creator, subject, network.now());
  const outcomes = people
    .filter(({ account }) => account !== creator)
    .map((one) => take(network, group, one, 'add'));
  const element = groupElement(network, group);
  announce(network, group, creator, stanza('create', { type: 'new', key }, [element]));
  return { group, outcomes };
}

/** @throws GroupRefusal 406 for a subject that is empty or too long */
export function requireSubject(subject: string): void {
  if (subject === '' || subject.length > MAX_SUBJECT) throw new GroupRefusal(406);
}

/** Adds, removes, promotes or demotes people, each as far as possible. @throws GroupRefusal when the actor has no right to it */
export function changeMembers(
  network: Network,
  group: Group,
  actor: Account,
  action: GroupAction,
  people: Named[],
): Outcome[] {
  if (action === 'add') requireAdder(group, actor);
  else requireAdmin(group, actor);
  const outcomes = people.map((one) => take(network, group, one, action));
  const done = outcomes.flatMap(({ account, error }) => (account && error === undefined ? [account] : []));
  if (done.length > 0) {
    const elements = done.map((account) => participantElement(network, account));
    announce(network, group, actor, stanza(action, {}, elements), action === 'remove' ? done : []);
  }
  return outcomes;
}

/** Somebody goes. When no admin is left, the oldest member becomes one. @throws GroupRefusal 401 or 403 for no member */
export function leaveGroup(network: Network, group: Group, account: Account): void {
  requireMember(group, account);
  group.drop(account);
  const gone = stanza('remove', {}, [participantElement(network, account)]);
  announce(network, group, account, gone, [account]);
  const [heir, ...others] = membersOf(network, group);
  if (!heir || [heir, ...others].some((member) => group.isAdmin(member))) return;
  group.put(heir, 'admin');
  announce(network, group, heir, stanza('promote', {}, [participantElement(network, heir)]));
}

/** Somebody comes by an invite code. @throws GroupRefusal 409 for members */
export function joinGroup(network: Network, group: Group, account: Account): void {
  if (group.has(account) || group.size >= MAX_MEMBERS) throw new GroupRefusal(409);
  group.put(account, 'member');
  const come = stanza('add', { reason: 'invite' }, [participantElement(network, account)]);
  announce(network, group, account, come);
}

/** An outcome as the network tells it to who asked. */
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

/** By this an admin can invite who cannot be added. */
function request(network: Network, group: Group): Stanza {
  const expiration = String(network.now() + REQUEST_TTL_S);
  return stanza('add_request', { code: group.record.inviteCode, expiration });
}

function take(network: Network, group: Group, named: Named, action: GroupAction): Outcome {
  const { account } = named;
  if (!account) return { ...named, error: NOT_FOUND };
  const error = ACTIONS[action](group, account, network);
  return error === undefined ? named : { ...named, error };
}

/** Each does what it can; the result is the error of what cannot be done. */
const ACTIONS: Record<GroupAction, (group: Group, account: Account, network: Network) => number | undefined> =
  {
    add(group, account) {
      if (group.has(account)) return ALREADY_IN;
      if (account.privacy('groupadd') !== 'all') return INVITE_ONLY;
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
