import type { Account } from '../account.js';
import { membersOf } from '../groups/announce.js';
import type { Network } from '../network.js';

/** A person, everybody who has written with the person, and everybody who is in a group with the person. */
export function acquaintances(network: Network, account: Account): Set<Account> {
  const { partners } = network.phone(account);
  const fellows = network.groups.of(account).flatMap((group) => membersOf(network, group));
  return new Set([account, ...partners, ...fellows]);
}
