import type { Account } from '../state/account.js';
import type { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { GroupRefusal } from '../wire/refusals.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { announce, bothJids, groupElement, notifyPeople, participantElement } from './elements.js';
import { joinCommunity } from './linked.js';
import { MAX_MEMBERS, type Named, type Outcome, requireAdmin } from './membership.js';

/** What an admin does with a request to join, under its name on the wire. */
export type RequestAction = 'approve' | 'reject';

const NOT_FOUND = 404;
const ALREADY_IN = 409;
const FULL = 419;

/**
 * Adds a person with an invite code, or notes the person's request where an admin must approve.
 * The elements of requests are those of zapo's `WaGroupCoordinator.ts` and whatsapp-rust's `iq/groups.rs`.
 * @throws GroupRefusal 409 for members, for people who have asked already, and when the group is full
 */
export function joinByInvite(network: Network, group: Group, account: Account): 'joined' | 'requested' {
  if (group.has(account) || group.requestOf(account) || group.size >= MAX_MEMBERS)
    throw new GroupRefusal(409);
  if (!group.record.joinApproval) {
    group.put(account, 'member');
    const others = network.directory.membersOf(group).filter((member) => member !== account);
    const come = stanza('add', { reason: 'invite' }, [participantElement(network, account)]);
    notifyPeople(network, group, account, come, others);
    // the devices of the person do not know the group yet (whatsmeow `JoinedGroup`)
    const whole = stanza('create', { reason: 'invite' }, [groupElement(network, group, account)]);
    notifyPeople(network, group, account, whole, [account]);
    joinCommunity(network, group, [account]);
    return 'joined';
  }
  group.addRequest(account, network.now());
  const asked = stanza('requested_user', bothJids(network, account, ['jid', 'phone_number', 'lid']));
  tellAdmins(
    network,
    group,
    account,
    stanza('created_membership_requests', { request_method: 'invite_link' }, [asked]),
  );
  return 'requested';
}

/** The requests to join that no admin has answered. @throws GroupRefusal 401 or 403 unless the person is an admin */
export function requestElements(network: Network, group: Group, account: Account): Stanza[] {
  requireAdmin(group, account);
  return group.requests.flatMap(({ lid, at }) => {
    const asker = network.directory.byLid(lid);
    if (!asker) return [];
    const jids = bothJids(network, asker, ['jid', 'phone_number', 'lid']);
    const attrs = { request_method: 'invite_link', request_time: String(at) };
    return [stanza('membership_approval_request', { ...jids, ...attrs })];
  });
}

/** An admin answers requests to join, each on its own. @throws GroupRefusal unless the actor is an admin */
export function answerRequests(
  network: Network,
  group: Group,
  actor: Account,
  action: RequestAction,
  people: Named[],
): Outcome[] {
  requireAdmin(group, actor);
  const outcomes = people.map((one) => answerRequest(group, one, action));
  const done = outcomes.flatMap(({ account, error }) => (account && error === undefined ? [account] : []));
  const elements = done.map((account) => participantElement(network, account));
  if (done.length === 0) return outcomes;
  if (action === 'approve') {
    announce(network, group, actor, stanza('add', {}, elements));
    joinCommunity(network, group, done);
  } else tellAdmins(network, group, actor, stanza('revoked_membership_requests', {}, elements), done);
  return outcomes;
}

function answerRequest(group: Group, named: Named, action: RequestAction): Outcome {
  const { account } = named;
  if (account && group.has(account)) return { ...named, error: ALREADY_IN };
  if (!account || !group.requestOf(account)) return { ...named, error: NOT_FOUND };
  if (action === 'approve' && group.size >= MAX_MEMBERS) return { ...named, error: FULL };
  group.dropRequest(account);
  if (action === 'approve') group.put(account, 'member');
  return named;
}

/** People take their own request back. @throws GroupRefusal 403 for the request of another person, 404 where there is none */
export function cancelRequest(network: Network, group: Group, account: Account, people: Named[]): void {
  if (people.some((named) => named.account !== account)) throw new GroupRefusal(403);
  if (!group.dropRequest(account)) throw new GroupRefusal(404);
  const gone = stanza('revoked_membership_requests', {}, [participantElement(network, account)]);
  tellAdmins(network, group, account, gone);
}

function tellAdmins(
  network: Network,
  group: Group,
  actor: Account,
  change: Stanza,
  also: readonly Account[] = [],
): void {
  const admins = network.directory.membersOf(group).filter((member) => group.isAdmin(member));
  notifyPeople(network, group, actor, change, [...admins, ...also]);
}
